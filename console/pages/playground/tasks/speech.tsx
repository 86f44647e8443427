import { Autocomplete, Button, Group, NativeSelect, NumberInput, Stack, Text, Textarea } from '@mantine/core'
import { IconDownload, IconVolume } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { formatBytes } from '../../../parts/text/format.ts'
import { audioExtension } from './read-results.ts'
import { type Done, Task } from './task.tsx'

const VOICES = [
  'alloy',
  'ash',
  'ballad',
  'coral',
  'echo',
  'fable',
  'nova',
  'onyx',
  'sage',
  'shimmer',
  'verse',
]
const FORMATS = [
  { value: '', label: 'Model default' },
  { value: 'mp3', label: 'MP3' },
  { value: 'wav', label: 'WAV' },
  { value: 'opus', label: 'Opus' },
  { value: 'aac', label: 'AAC' },
  { value: 'flac', label: 'FLAC' },
  { value: 'pcm', label: 'PCM, without a header' },
]

const EMPTY = {
  icon: IconVolume,
  title: 'Turn text into speech',
  children: 'Listen to the result and download it. It is not stored anywhere else.',
}

export function Speech({ account }: { readonly account: string }) {
  const [text, setText] = useState('')
  const [voice, setVoice] = useState('alloy')
  const [format, setFormat] = useState('')
  const [speed, setSpeed] = useState<number | string>('')
  const isComplete = text.trim() !== '' && voice.trim() !== ''
  const fields = {
    input: text,
    voice: voice.trim(),
    ...(format !== '' && { response_format: format }),
    ...(typeof speed === 'number' && { speed }),
  }
  return (
    <Task
      account={account}
      kind="speech"
      runLabel="Speak"
      fields={isComplete ? fields : null}
      empty={EMPTY}
      inputs={
        <Textarea
          label="Text to speak"
          placeholder="The ship leaves at dawn."
          autosize
          minRows={4}
          maxRows={14}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      }
      settings={
        <>
          <Autocomplete
            label="Voice"
            description="Each model has its own voices."
            data={VOICES}
            value={voice}
            onChange={setVoice}
          />
          <NativeSelect
            label="Audio format"
            data={FORMATS}
            value={format}
            onChange={(event) => setFormat(event.currentTarget.value)}
          />
          <NumberInput
            label="Speed"
            placeholder="1"
            min={0.25}
            max={4}
            step={0.25}
            decimalScale={2}
            value={speed}
            onChange={setSpeed}
          />
        </>
      }
    >
      {(done) => <Player done={done} />}
    </Task>
  )
}

function Player({ done: { content } }: { readonly done: Done }) {
  const source = useObjectUrl(content)
  const extension = audioExtension(content.type)
  // Without a header, a browser does not know how to play it.
  const isPlayable = extension !== 'pcm'
  return (
    <Stack gap="sm">
      {isPlayable && source !== null && (
        // biome-ignore lint/a11y/useMediaCaption: The text that is spoken stands above.
        <audio controls src={source} className="player" aria-label="Spoken text" />
      )}
      <Group gap="xs">
        <Button
          component="a"
          href={source ?? undefined}
          download={`speech.${extension}`}
          size="compact-sm"
          variant="default"
          leftSection={<IconDownload size={14} aria-hidden />}
        >
          Download
        </Button>
        <Text size="sm" c="dimmed">
          {formatBytes(content.size)}
          {!isPlayable && '. Browsers cannot play this format.'}
        </Text>
      </Group>
    </Stack>
  )
}

/** An address for a blob, released when it is no longer shown. */
export function useObjectUrl(content: Blob): string | null {
  const [url, setUrl] = useState<string | null>(null)
  useEffect(() => {
    const made = URL.createObjectURL(content)
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [content])
  return url
}
