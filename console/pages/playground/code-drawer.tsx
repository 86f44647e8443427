import { Drawer, NativeSelect, Stack, Table, Tabs, Text } from '@mantine/core'
import { useState } from 'react'
import { describeFormat } from '../../parts/models/supply-words.ts'
import { CodeBlock, layOutJson } from '../../parts/text/code-block.tsx'
import { formatDuration } from '../../parts/text/format.ts'
import type { Answer } from '../../parts/wire/ask.ts'
import { CHAT_FORMATS, type ChatFormat, type Question } from '../../parts/wire/question.ts'
import { keyHeaders, writeRequest } from '../../parts/wire/write-request.ts'
import type { Step } from './chat/conversation.ts'
import { shortenBody, withoutData } from './shorten.ts'
import { writeCode } from './write-code.ts'

interface CodeDrawerProps {
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly question: Question
}

export function CodeDrawer({ isOpen, onClose, question }: CodeDrawerProps) {
  return (
    <Drawer opened={isOpen} onClose={onClose} size="xl" title="Copy as code">
      {isOpen && <CodeTabs question={question} />}
    </Drawer>
  )
}

const SDKS: Readonly<Record<ChatFormat, string>> = {
  'chat-completion': 'OpenAI SDK',
  responses: 'OpenAI SDK',
  messages: 'Anthropic SDK',
  'content-generation': 'Google SDK',
}

/** The same request as code, in any format. */
function CodeTabs({ question }: { readonly question: Question }) {
  const [format, setFormat] = useState<ChatFormat>(question.format)
  const codes = writeCode({ ...withoutData(question), format }, window.location.origin)
  return (
    <Stack gap="sm">
      <NativeSelect
        label="Format"
        value={format}
        onChange={(event) => setFormat(event.currentTarget.value as ChatFormat)}
        data={CHAT_FORMATS.map((value) => ({ value, label: `${describeFormat(value)} – ${SDKS[value]}` }))}
      />
      <LanguageTabs codes={codes} />
      <Text size="sm" c="dimmed">
        The code reads the key from the environment variable TURNPIKE_API_KEY.
      </Text>
    </Stack>
  )
}

interface Snippet {
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

interface WireDrawerProps {
  /** Null when closed. */
  readonly step: Step | null
  readonly onClose: () => void
}

const HIDDEN_KEY = 'sk-…'

/** Request and response as sent; only the key is hidden, and files are shortened. */
export function WireDrawer({ step, onClose }: WireDrawerProps) {
  return (
    <Drawer opened={step !== null} onClose={onClose} size="xl" title="As sent">
      {step !== null && <Wire step={step} />}
    </Drawer>
  )
}

function Wire({ step: { question, answer } }: { readonly step: Step }) {
  const request = writeRequest(question)
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
          <CodeBlock title="Headers" code={`POST ${request.path}\n${linesOf(headers)}`} isWrapped />
          <CodeBlock title="Body" code={layOutJson(shortenBody(JSON.stringify(request.body)))} isWrapped />
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
        No response.
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
      <CodeBlock title="Headers" code={`Status ${answer.status}\n${linesOf(answer.headers)}`} isWrapped />
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
