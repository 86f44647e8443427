import { Alert, Button, Group, Loader, SimpleGrid, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconAlertTriangle, IconDownload, IconPencil, IconPhoto } from '@tabler/icons-react'
import { EmptyState } from '../../parts/layout/empty-state.tsx'
import { AnswerFacts } from './exchange-view.tsx'
import { ImageWireDrawer } from './image-code.tsx'
import type { Painting, Picture } from './paint.ts'

export interface PicturesProps {
  readonly account: string
  readonly painting: Painting | null
  readonly isEdit: boolean
  readonly onEdit: (picture: Blob) => void
}

export function Pictures({ account, painting, isEdit, onEdit }: PicturesProps) {
  const [isInspected, inspect] = useDisclosure(false)
  if (painting === null) {
    return (
      <EmptyState
        icon={IconPhoto}
        title={isEdit ? 'Change a picture with words' : 'Make a picture from words'}
      >
        {isEdit
          ? 'Choose a picture, mark what may change, and say what should be there instead.'
          : 'Say what should be seen. The pictures appear here and are kept nowhere else.'}
      </EmptyState>
    )
  }
  const { answer, question, pictures } = painting
  return (
    <Stack aria-busy={answer.phase === 'waiting'}>
      <Text size="sm" fw={550}>
        {question.prompt}
      </Text>
      {answer.phase === 'waiting' && (
        <Group gap="sm" role="status">
          <Loader size="sm" />
          <Text size="sm" c="dimmed">
            Painting. This may take a minute.
          </Text>
        </Group>
      )}
      {answer.phase === 'stopped' && (
        <Text size="sm" c="dimmed">
          Stopped by you.
        </Text>
      )}
      {answer.failure !== null && (
        <Alert color="red" icon={<IconAlertTriangle size={18} aria-hidden />} title="No picture" role="alert">
          {answer.failure}
        </Alert>
      )}
      <SimpleGrid cols={pictures.length > 1 ? { base: 1, sm: 2 } : 1}>
        {pictures.map((picture, index) => (
          <PictureCard
            // biome-ignore lint/suspicious/noArrayIndexKey: The pictures of one answer never change places.
            key={index}
            picture={picture}
            name={`${question.prompt} (${index + 1})`}
            onEdit={onEdit}
          />
        ))}
      </SimpleGrid>
      {answer.phase !== 'waiting' && (
        <AnswerFacts account={account} answer={answer} onInspect={inspect.open} />
      )}
      <ImageWireDrawer painting={painting} isOpen={isInspected} onClose={inspect.close} />
    </Stack>
  )
}

interface PictureCardProps {
  readonly picture: Picture
  readonly name: string
  readonly onEdit: (picture: Blob) => void
}

function PictureCard({ picture, name, onEdit }: PictureCardProps) {
  return (
    <figure className="picture">
      <img src={picture.source} alt={name} />
      <figcaption>
        {picture.revisedPrompt !== null && (
          <Text size="xs" c="dimmed" mb={6}>
            Understood as: {picture.revisedPrompt}
          </Text>
        )}
        <Group gap="xs">
          <Button
            component="a"
            href={picture.source}
            download="picture"
            size="compact-sm"
            variant="default"
            leftSection={<IconDownload size={14} aria-hidden />}
          >
            Download
          </Button>
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<IconPencil size={14} aria-hidden />}
            onClick={() => onEdit(blobOf(picture.source))}
          >
            Edit
          </Button>
        </Group>
      </figcaption>
    </figure>
  )
}

/** Decoded by hand: the page's policy forbids fetching addresses of this kind. */
function blobOf(source: string): Blob {
  const [head = '', base64 = ''] = source.split(',')
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
  return new Blob([bytes], { type: /^data:([^;]+)/.exec(head)?.[1] ?? 'image/png' })
}
