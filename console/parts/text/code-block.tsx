import { Group, Paper, Text } from '@mantine/core'
import { CopyButton } from './copy-button.tsx'

interface CodeBlockProps {
  readonly code: string
  /** Shown above, and names the copy button: "curl", "config.toml". */
  readonly title?: string
  /** Long texts scroll from this height on, in pixels. */
  readonly maxHeight?: number
  /** Long lines are broken instead of scrolled. */
  readonly isWrapped?: boolean
}

/** Text to be read or pasted as it is. */
export function CodeBlock({ code, title, maxHeight, isWrapped = false }: CodeBlockProps) {
  return (
    <Paper withBorder className="code-block">
      <Group justify="space-between" wrap="nowrap" className="code-block-head" gap="xs">
        <Text size="xs" fw={600} c="dimmed" truncate>
          {title ?? ''}
        </Text>
        <CopyButton value={code} what={title ?? 'the text'} />
      </Group>
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: What scrolls must be reachable by keyboard.
        tabIndex={0}
        aria-label={title ?? 'Text'}
        className="code-block-text"
        data-wrapped={isWrapped || undefined}
        style={maxHeight === undefined ? undefined : { maxHeight }}
      >
        <pre>
          <code>{code}</code>
        </pre>
      </section>
    </Paper>
  )
}

/** JSON with a line for each field; anything else, such as a stream of events, stays as it is. */
export function layOutJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
