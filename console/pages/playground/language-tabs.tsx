import { Tabs } from '@mantine/core'
import { CodeBlock } from '../../parts/code-block.tsx'

export interface Snippet {
  readonly id: string
  readonly label: string
  readonly code: string
}

/** The same request in several languages. */
export function LanguageTabs({ codes }: { readonly codes: readonly Snippet[] }) {
  return (
    <Tabs defaultValue="curl" keepMounted={false} variant="pills">
      <Tabs.List mb="sm" aria-label="Language">
        {codes.map(({ id, label }) => (
          <Tabs.Tab key={id} value={id}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {codes.map(({ id, label, code }) => (
        <Tabs.Panel key={id} value={id}>
          <CodeBlock title={label} code={code} />
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}
