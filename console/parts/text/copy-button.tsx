import { ActionIcon, Button, Tooltip } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { showFailure } from '../layout/notify.ts'

export interface CopyButtonProps {
  readonly value: string
  /** What is copied, such as "the key"; part of the button's accessible name. */
  readonly what: string
  /** Shows a text button instead of an icon. */
  readonly label?: string
}

const SHOWN_MS = 1_500

/** Copies a text and confirms it, also to screen readers. */
export function CopyButton({ value, what, label }: CopyButtonProps) {
  const clipboard = useClipboard({ timeout: SHOWN_MS })
  const copy = () => copyText(value, clipboard.copy)
  const Glyph = clipboard.copied ? IconCheck : IconCopy
  const said = clipboard.copied ? 'Copied' : `Copy ${what}`
  if (label !== undefined) {
    return (
      <Button
        variant="default"
        onClick={copy}
        leftSection={<Glyph size={16} aria-hidden />}
        aria-live="polite"
      >
        {clipboard.copied ? 'Copied' : label}
      </Button>
    )
  }
  return (
    <Tooltip label={said}>
      <ActionIcon onClick={copy} aria-label={said} color={clipboard.copied ? 'teal' : 'gray'}>
        <Glyph size={16} stroke={1.7} />
      </ActionIcon>
    </Tooltip>
  )
}

/** Browsers allow clipboard access only over https or on localhost. */
function copyText(value: string, copy: (value: string) => void): void {
  if (navigator.clipboard === undefined) {
    showFailure(
      new Error('Your browser allows copying only over https. Select the text and copy it yourself.'),
    )
    return
  }
  copy(value)
}
