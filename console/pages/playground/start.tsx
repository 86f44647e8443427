import { Button, Group } from '@mantine/core'
import { IconMessage2Code } from '@tabler/icons-react'
import { EmptyState } from '../../parts/empty-state.tsx'

const EXAMPLES = [
  'Explain what a model gateway does, in two sentences.',
  'Write a haiku about latency.',
  'List five edge cases for parsing CSV.',
]

export function Start({ onChoose }: { readonly onChoose: (said: string) => void }) {
  return (
    <EmptyState
      icon={IconMessage2Code}
      title="Ask a model something"
      action={
        <Group justify="center" gap="xs" mt="xs">
          {EXAMPLES.map((example) => (
            <Button
              key={example}
              variant="default"
              size="xs"
              fw={450}
              className="start-example"
              onClick={() => onChoose(example)}
            >
              {example}
            </Button>
          ))}
        </Group>
      }
    >
      You see the answer as it comes, what it cost, which supplier gave it, and every byte of the exchange.
    </EmptyState>
  )
}
