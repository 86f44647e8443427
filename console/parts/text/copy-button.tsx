import { ActionIcon, Button, Tooltip } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { showFailure } from '../layout/notify.ts'

export interface CopyButtonProps {
  readonly value: string
  /** What is copied, such as "the key"; names the button for those who cannot see it. */
  readonly what: string
  /** A button with words instead of the mere icon. */
  readonly label?: string
}

const SHOWN_MS = 1_500

/** Copies a text and says so, also to screen readers. */
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

/** Browsers give the clipboard only to pages from https or from this very machine. */
function copyText(value: string, copy: (value: string) => void): void {
  if (navigator.clipboard === undefined) {
    showFailure(
      new Error('This browser allows copying only over https. Select the text and copy it by hand.'),
    )
    return
  }
  copy(value)
}
