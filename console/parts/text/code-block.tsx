import { Group, Paper, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { CopyButton } from './copy-button.tsx'

interface CodeBlockProps {
  readonly code: string
  /** Shown above the code and in the copy button's name: "curl", "config.toml". */
  readonly title?: string
  /** Long texts scroll from this height on, in pixels. */
  readonly maxHeight?: number
  /** Wraps long lines instead of scrolling. */
  readonly isWrapped?: boolean
  /** The code as elements, for colours. */
  readonly content?: ReactNode
}

/** Text to read or copy. */
export function CodeBlock({ code, title, maxHeight, isWrapped = false, content }: CodeBlockProps) {
  return (
    <Paper withBorder className="code-block">
      <Group justify="space-between" wrap="nowrap" className="code-block-head" gap="xs">
        <Text size="xs" fw={600} c="dimmed" truncate>
          {title ?? ''}
        </Text>
        <CopyButton value={code} what={title ?? 'the text'} />
      </Group>
      {/* biome-ignore lint/a11y/useSemanticElements: It holds no fields. A landmark needs a title of its own. */}
      <div
        role="group"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: Scrollable content must be reachable by keyboard.
        tabIndex={0}
        aria-label={title ?? 'Text'}
        className="code-block-text"
        data-wrapped={isWrapped || undefined}
        style={maxHeight === undefined ? undefined : { maxHeight }}
      >
        <pre>
          <code>{content ?? code}</code>
        </pre>
      </div>
    </Paper>
  )
}

/** Formats JSON with a line per field. Other text, such as an event stream, stays unchanged. */
export function layOutJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
