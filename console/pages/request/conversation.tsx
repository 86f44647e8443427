import { Badge, Button, Group, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { useConversationOf } from '../../api/settlements.ts'
import type { ReadBodies, SaidPart } from '../../api/wire.ts'
import { useAccount } from '../../app/account.ts'
import { CutText } from '../../parts/tables/cut-text.tsx'
import { layOutJson } from '../../parts/text/code-block.tsx'

const ROLES = { system: 'Instructions', user: 'User', assistant: 'Model' } as const

/** The first turns of a long conversation are folded: what was asked last explains the answer. */
const SHOWN_TURNS = 6

/** The stored request and its answer as a conversation, whatever the format, and put together when it was streamed. */
export function Conversation({ id }: { readonly id: string }) {
  const account = useAccount()
  const { data } = useConversationOf(account.id, id)
  if (data === undefined) return null
  if (data.turns === null && data.answers === null) {
    return (
      <Text size="sm" c="dimmed">
        This request cannot be shown as a conversation. See how it was sent.
      </Text>
    )
  }
  return (
    <Stack gap="sm">
      <Turns turns={data.turns} />
      {data.tools.length > 0 && (
        <Group gap={6}>
          <Text size="xs" c="dimmed">
            Tools offered:
          </Text>
          {data.tools.slice(0, MOST_TOOLS).map((tool) => (
            <Badge key={tool} variant="default" tt="none" fw={500} size="sm">
              {tool}
            </Badge>
          ))}
          {data.tools.length > MOST_TOOLS && (
            <Text size="xs" c="dimmed">
              and {data.tools.length - MOST_TOOLS} more
            </Text>
          )}
        </Group>
      )}
      <Answers answers={data.answers} failure={data.failure} />
    </Stack>
  )
}

const MOST_TOOLS = 20

function Turns({ turns }: Pick<ReadBodies, 'turns'>) {
  const [isWhole, setWhole] = useState(false)
  if (turns === null) {
    return (
      <Text size="sm" c="dimmed">
        The request was too long to be stored in full, so only its beginning is under “As sent”.
      </Text>
    )
  }
  const hidden = isWhole ? 0 : Math.max(0, turns.length - SHOWN_TURNS)
  return (
    <>
      {hidden > 0 && (
        <Button
          variant="default"
          size="compact-sm"
          onClick={() => setWhole(true)}
          style={{ alignSelf: 'start' }}
        >
          Show {hidden} earlier turns
        </Button>
      )}
      {turns.slice(hidden).map(({ role, parts }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: The turns of a stored request never change.
        <Said key={index + hidden} by={role} title={ROLES[role]} parts={parts} />
      ))}
    </>
  )
}

function Answers({ answers, failure }: Pick<ReadBodies, 'answers' | 'failure'>) {
  return (
    <>
      {answers?.map(({ parts, finish }, index) => (
        <Said
          // biome-ignore lint/suspicious/noArrayIndexKey: The answers of a stored request never change.
          key={index}
          by="assistant"
          title={answers.length === 1 ? 'Answer' : `Answer ${index + 1}`}
          parts={parts}
          note={finish === null ? 'broken off' : `ended: ${finish}`}
        />
      ))}
      {failure !== null && (
        <Text size="sm" className="timeline-failure">
          {failure}
        </Text>
      )}
    </>
  )
}

interface SaidProps {
  readonly by: keyof typeof ROLES
  readonly title: string
  readonly parts: readonly SaidPart[]
  readonly note?: string
}

function Said({ by, title, parts, note }: SaidProps) {
  return (
    <section className="said" data-role={by} aria-label={title}>
      <Group gap="xs" mb={4}>
        <Title order={3} size="h6">
          {title}
        </Title>
        {note !== undefined && (
          <Text size="xs" c="dimmed">
            {note}
          </Text>
        )}
      </Group>
      <Stack gap={8}>
        {parts.map((part, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: Parts never change.
          <PartView key={index} part={part} />
        ))}
        {parts.length === 0 && (
          <Text size="sm" c="dimmed">
            Nothing
          </Text>
        )}
      </Stack>
    </section>
  )
}

const KINDS: Readonly<Record<SaidPart['type'], string>> = {
  text: '',
  thinking: 'Thinking',
  tool_call: 'Calls',
  tool_result: 'Result of',
  image: 'Image',
  refusal: 'Declined',
  other: 'Other content',
}

function PartView({ part }: { readonly part: SaidPart }) {
  const { type, text, name } = part
  const isOfTool = type === 'tool_call' || type === 'tool_result'
  return (
    <div>
      {type !== 'text' && (
        <Group gap={6} mb={2}>
          <Badge variant="light" color={part.error ? 'red' : 'gray'} size="sm" tt="none">
            {part.error ? 'Error of' : KINDS[type]}
          </Badge>
          {isOfTool && <CutText text={name ?? part.call_id ?? ''} width={40} isMono />}
        </Group>
      )}
      <pre
        className="said-text"
        data-mono={isOfTool || undefined}
        data-quiet={type === 'thinking' || undefined}
        // Scrollable content must be reachable by keyboard.
        tabIndex={text.length > LONG ? 0 : undefined}
      >
        {type === 'tool_call' ? layOutJson(text) : text}
      </pre>
    </div>
  )
}

/** So much text may need to be scrolled. */
const LONG = 400
