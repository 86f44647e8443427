import { ActionIcon, Group } from '@mantine/core'
import { IconFileText, IconFileTypePdf, IconX } from '@tabler/icons-react'
import type { Attachment } from '../../../../parts/wire/question.ts'

export interface AttachmentsProps {
  readonly files: readonly Attachment[]
  /** Absent when they cannot be removed any more. */
  readonly onRemove?: (file: Attachment) => void
}

/** Files of a message, images as small pictures. */
export function Attachments({ files, onRemove }: AttachmentsProps) {
  if (files.length === 0) return null
  return (
    <Group gap="xs" component="ul" className="attachments" aria-label="Files">
      {files.map((file, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: Two files may have the same name.
        <li key={index} className="attachment">
          <Preview file={file} />
          <span className="attachment-name" title={file.name}>
            {file.name}
          </span>
          {onRemove !== undefined && (
            <ActionIcon
              variant="subtle"
              color="gray"
              size="sm"
              aria-label={`Remove ${file.name}`}
              onClick={() => onRemove(file)}
            >
              <IconX size={14} aria-hidden />
            </ActionIcon>
          )}
        </li>
      ))}
    </Group>
  )
}

function Preview({ file: { kind, type, data } }: { readonly file: Attachment }) {
  if (kind === 'image') return <img src={`data:${type};base64,${data}`} alt="" className="attachment-image" />
  const Glyph = kind === 'pdf' ? IconFileTypePdf : IconFileText
  return <Glyph size={18} stroke={1.7} aria-hidden />
}
