import { Stack, Tabs, Text } from '@mantine/core'
import { CodeBlock } from './code-block.tsx'
import { type SnippetQuestion, writeSnippets } from './snippets.ts'

export type SnippetTabsProps = Omit<SnippetQuestion, 'baseUrl'>

/** Ready-to-paste code for curl, the SDKs and coding agents, with this gateway's address. */
export function SnippetTabs(question: SnippetTabsProps) {
  const snippets = writeSnippets({ ...question, baseUrl: window.location.origin })
  return (
    <Tabs defaultValue="curl" keepMounted={false} variant="pills" className="snippet-tabs">
      <Tabs.List aria-label="Program to connect" mb="sm">
        {snippets.map(({ id, label }) => (
          <Tabs.Tab key={id} value={id}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {snippets.map(({ id, blocks, note }) => (
        <Tabs.Panel key={id} value={id}>
          <Stack gap="sm">
            {blocks.map(({ title, code }) => (
              <CodeBlock key={title} title={title} code={code} />
            ))}
            {note !== undefined && (
              <Text size="sm" c="dimmed">
                {note}
              </Text>
            )}
          </Stack>
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}
