import { Button, FileInput, Group, NativeSelect, Stack, TextInput } from '@mantine/core'
import { IconDownload, IconFileMusic, IconMicrophone } from '@tabler/icons-react'
import { type DragEvent, useState } from 'react'
import { CopyButton } from '../../../parts/text/copy-button.tsx'
import { readTranscript } from './read-results.ts'
import { useObjectUrl } from './speech.tsx'
import { type Done, Task } from './task.tsx'

const FORMATS = [
  { value: 'json', label: 'Text' },
  { value: 'srt', label: 'Subtitles, SRT' },
  { value: 'vtt', label: 'Subtitles, WebVTT' },
]

const EMPTY = {
  icon: IconMicrophone,
  title: 'Turn speech into text',
  children: 'Choose a recording. The text appears here and is not stored anywhere else.',
}

export function Transcription({ account }: { readonly account: string }) {
  const [file, setFile] = useState<File | null>(null)
  const [language, setLanguage] = useState('')
  const [format, setFormat] = useState('json')
  const fields = { response_format: format, ...(language.trim() !== '' && { language: language.trim() }) }
  return (
    <Task
      account={account}
      kind="transcription"
      runLabel="Transcribe"
      fields={fields}
      file={file}
      empty={EMPTY}
      inputs={<AudioFile file={file} onFile={setFile} />}
      settings={
        <>
          <NativeSelect
            label="Output format"
            data={FORMATS}
            value={format}
            onChange={(event) => setFormat(event.currentTarget.value)}
          />
          <TextInput
            label="Language"
            description="A code such as en or de. Leave empty to let the model find out."
            placeholder="Found by the model"
            maxLength={20}
            value={language}
            onChange={(event) => setLanguage(event.currentTarget.value)}
          />
        </>
      }
    >
      {(done) => <Transcript done={done} />}
    </Task>
  )
}

interface AudioFileProps {
  readonly file: File | null
  readonly onFile: (file: File | null) => void
}

/** A file from this device, chosen or dropped. */
function AudioFile({ file, onFile }: AudioFileProps) {
  const [isOver, setIsOver] = useState(false)
  const onDrop = (event: DragEvent) => {
    event.preventDefault()
    setIsOver(false)
    const [dropped] = event.dataTransfer.files
    if (dropped !== undefined) onFile(dropped)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Dropping is only a shortcut. The field inside works by keyboard.
    <div
      className="drop-zone"
      data-over={isOver || undefined}
      onDragOver={(event) => {
        event.preventDefault()
        setIsOver(true)
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={onDrop}
    >
      <FileInput
        label="Recording"
        description="An audio file, such as MP3, WAV, M4A or WebM. You can also drop it here."
        placeholder="Choose a file"
        leftSection={<IconFileMusic size={16} aria-hidden />}
        accept="audio/*,video/mp4,video/mpeg,video/webm"
        clearable
        clearButtonProps={{ 'aria-label': 'Remove file' }}
        value={file}
        onChange={onFile}
      />
    </div>
  )
}

function Transcript({ done: { body, content, fields } }: { readonly done: Done }) {
  const source = useObjectUrl(content)
  const isPlain = fields.response_format === 'json'
  const text = readTranscript(body).trimEnd()
  return (
    <Stack gap="sm">
      <div className={isPlain ? 'exchange-text' : 'exchange-text mono'}>{text}</div>
      <Group gap="xs">
        <CopyButton value={text} what="the text" label="Copy text" />
        {!isPlain && (
          <Button
            component="a"
            href={source ?? undefined}
            download={`subtitles.${fields.response_format}`}
            variant="default"
            leftSection={<IconDownload size={16} aria-hidden />}
          >
            Download
          </Button>
        )}
      </Group>
    </Stack>
  )
}
