import { Drawer, Stack, Table, Tabs, Text } from '@mantine/core'
import { CodeBlock } from '../../parts/code-block.tsx'
import { formatDuration } from '../../parts/format.ts'
import { layOutJson } from '../../parts/lay-out-json.ts'
import type { Answer } from '../../parts/wire/ask.ts'
import { keyHeaders } from '../../parts/wire/write-request.ts'
import { CodeTabs } from './code-drawer.tsx'
import type { Exchange } from './use-conversation.ts'

export interface WireDrawerProps {
  /** null when it is closed. */
  readonly exchange: Exchange | null
  readonly onClose: () => void
}

const HIDDEN_KEY = 'sk-…'

/** Request and response of an exchange as they went over the wire; only the key is hidden. */
export function WireDrawer({ exchange, onClose }: WireDrawerProps) {
  return (
    <Drawer opened={exchange !== null} onClose={onClose} size="xl" title="As sent">
      {exchange !== null && <Wire exchange={exchange} />}
    </Drawer>
  )
}

function Wire({ exchange: { request, question, answer } }: { readonly exchange: Exchange }) {
  const headers = { 'content-type': 'application/json', ...keyHeaders(question.format, HIDDEN_KEY) }
  const hasEvents = answer.events.length > 0
  return (
    <Tabs defaultValue="request" keepMounted={false}>
      <Tabs.List mb="md">
        <Tabs.Tab value="request">Request</Tabs.Tab>
        <Tabs.Tab value="response">Response</Tabs.Tab>
        {hasEvents && <Tabs.Tab value="events">Events ({answer.events.length})</Tabs.Tab>}
        <Tabs.Tab value="code">Code</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="request">
        <Stack gap="sm">
          <CodeBlock title="Head" code={`POST ${request.path}\n${linesOf(headers)}`} isWrapped />
          <CodeBlock title="Body" code={JSON.stringify(request.body, null, 2)} isWrapped />
        </Stack>
      </Tabs.Panel>
      <Tabs.Panel value="response">
        <ResponseView answer={answer} />
      </Tabs.Panel>
      <Tabs.Panel value="events">
        <EventTable answer={answer} />
      </Tabs.Panel>
      <Tabs.Panel value="code">
        <CodeTabs question={question} />
      </Tabs.Panel>
    </Tabs>
  )
}

export function ResponseView({ answer }: { readonly answer: Answer }) {
  if (answer.status === null) {
    return (
      <Text size="sm" c="dimmed">
        No answer came.
      </Text>
    )
  }
  const raw =
    answer.body === null
      ? answer.events
          .map(({ name, data }) => `${name === null ? '' : `event: ${name}\n`}data: ${data}\n\n`)
          .join('')
      : layOutJson(answer.body)
  return (
    <Stack gap="sm">
      <CodeBlock title="Head" code={`Status ${answer.status}\n${linesOf(answer.headers)}`} isWrapped />
      <CodeBlock title="Body" code={raw} maxHeight={560} isWrapped />
    </Stack>
  )
}

function EventTable({ answer }: { readonly answer: Answer }) {
  return (
    <Table className="event-table">
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">After</Table.Th>
          <Table.Th scope="col">Event</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {answer.events.map(({ atMs, name, data }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: Events are only ever added at the end.
          <Table.Tr key={index}>
            <Table.Td className="numeral event-time">{formatDuration(atMs)}</Table.Td>
            <Table.Td>
              {name !== null && (
                <Text size="xs" fw={600}>
                  {name}
                </Text>
              )}
              <code className="event-data">{data}</code>
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

function linesOf(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')
}
