import { Alert, Button, Group, Loader, SimpleGrid, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconAlertTriangle, IconDownload, IconPencil, IconPhoto } from '@tabler/icons-react'
import { useMemo } from 'react'
import { EmptyState } from '../../parts/layout/empty-state.tsx'
import { AnswerFacts } from './answer-facts.tsx'
import { type GeneratedImage, type ImageRequest, imagesOf } from './image-generation.ts'
import { CallDrawer } from './tasks/call-drawers.tsx'
import type { Called } from './tasks/use-call.ts'

export interface GeneratedImagesProps {
  readonly account: string
  readonly generation: Called<ImageRequest> | null
  readonly isEdit: boolean
  readonly onEdit: (image: Blob) => void
}

export function GeneratedImages({ account, generation, isEdit, onEdit }: GeneratedImagesProps) {
  const [isInspected, inspect] = useDisclosure(false)
  const answered = generation?.answer
  const images = useMemo(() => (answered === undefined ? [] : imagesOf(answered)), [answered])
  if (generation === null) {
    return (
      <EmptyState icon={IconPhoto} title={isEdit ? 'Edit an image' : 'Generate an image'}>
        {isEdit
          ? 'Choose an image, paint over the area to edit, and describe the change.'
          : 'Describe the image you want. Images appear here and are not stored anywhere else.'}
      </EmptyState>
    )
  }
  const { answer, question, call } = generation
  return (
    <Stack aria-busy={answer.phase === 'waiting'}>
      <Text size="sm" fw={550}>
        {question.prompt}
      </Text>
      {answer.phase === 'waiting' && (
        <Group gap="sm" role="status">
          <Loader size="sm" />
          <Text size="sm" c="dimmed">
            Generating. This may take a minute.
          </Text>
        </Group>
      )}
      {answer.phase === 'stopped' && (
        <Text size="sm" c="dimmed">
          Stopped by you.
        </Text>
      )}
      {answer.failure !== null && (
        <Alert color="red" icon={<IconAlertTriangle size={18} aria-hidden />} title="No image" role="alert">
          {answer.failure}
        </Alert>
      )}
      <SimpleGrid cols={images.length > 1 ? { base: 1, sm: 2 } : 1}>
        {images.map((image, index) => (
          <ImageCard
            // biome-ignore lint/suspicious/noArrayIndexKey: The images of one response keep their order.
            key={index}
            image={image}
            name={`${question.prompt} (${index + 1})`}
            onEdit={onEdit}
          />
        ))}
      </SimpleGrid>
      {answer.phase !== 'waiting' && (
        <AnswerFacts account={account} answer={answer} onInspect={inspect.open} />
      )}
      <CallDrawer call={call} answer={answer} isOpen={isInspected} onClose={inspect.close} />
    </Stack>
  )
}

interface ImageCardProps {
  readonly image: GeneratedImage
  readonly name: string
  readonly onEdit: (image: Blob) => void
}

function ImageCard({ image, name, onEdit }: ImageCardProps) {
  return (
    <figure className="generated-image">
      <img src={image.source} alt={name} />
      <figcaption>
        {image.revisedPrompt !== null && (
          <Text size="xs" c="dimmed" mb={6}>
            Revised prompt: {image.revisedPrompt}
          </Text>
        )}
        <Group gap="xs">
          <Button
            component="a"
            href={image.source}
            download="image"
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
            onClick={() => onEdit(blobOf(image.source))}
          >
            Edit
          </Button>
        </Group>
      </figcaption>
    </figure>
  )
}

/** Decoded manually: the content security policy forbids fetching data URLs. */
function blobOf(source: string): Blob {
  const [head = '', base64 = ''] = source.split(',')
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
  return new Blob([bytes], { type: /^data:([^;]+)/.exec(head)?.[1] ?? 'image/png' })
}
