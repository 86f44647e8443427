import { Button, Group } from '@mantine/core'
import { IconMessage2Code } from '@tabler/icons-react'
import { type ReactNode, useEffect, useRef } from 'react'
import { EmptyState } from '../../../parts/layout/empty-state.tsx'
import type { Rounds } from './conversation.ts'

const NEAR_END_PIXELS = 120

/** Scrolls to the newest text, unless the reader has scrolled back. */
export function Talk({ rounds, children }: { readonly rounds: Rounds; readonly children: ReactNode }) {
  const box = useRef<HTMLElement>(null)
  const isAtEnd = useRef(true)
  const isEmpty = rounds.length === 0
  useEffect(() => {
    const element = box.current
    if (rounds.length > 0 && element !== null && isAtEnd.current) element.scrollTop = element.scrollHeight
  }, [rounds])
  return (
    <section
      ref={box}
      className="playground-talk"
      data-empty={isEmpty || undefined}
      aria-label="Conversation"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: Scrollable content must be reachable by keyboard.
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < NEAR_END_PIXELS
      }}
    >
      {children}
    </section>
  )
}

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
      See the response as it streams, its cost, the supplier that served it, and the raw exchange.
    </EmptyState>
  )
}
