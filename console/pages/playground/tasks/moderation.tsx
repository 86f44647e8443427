import { Stack, Table, Text, Textarea } from '@mantine/core'
import { IconShieldCheck } from '@tabler/icons-react'
import { useState } from 'react'
import { StatusBadge } from '../../../parts/layout/status-badge.tsx'
import { ScrollTable } from '../../../parts/tables/scroll-table.tsx'
import { readVerdict } from './read-results.ts'
import { Score } from './score.tsx'
import { Task } from './task.tsx'

const EMPTY = {
  icon: IconShieldCheck,
  title: 'Check a text',
  children: 'See which categories of harmful content the model finds in it, and how sure it is.',
}

export function Moderation({ account }: { readonly account: string }) {
  const [text, setText] = useState('')
  return (
    <Task
      account={account}
      kind="moderation"
      runLabel="Check"
      fields={text.trim() === '' ? null : { input: text }}
      empty={EMPTY}
      inputs={
        <Textarea
          label="Text to check"
          placeholder="Paste a message, a comment or a prompt"
          autosize
          minRows={4}
          maxRows={14}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      }
    >
      {({ body }) => <Verdict body={body} />}
    </Task>
  )
}

function Verdict({ body }: { readonly body: string }) {
  const verdict = readVerdict(body)
  if (verdict === null) return <Text size="sm">The response has no verdict.</Text>
  return (
    <Stack gap="sm">
      <div>
        <StatusBadge
          state={verdict.isFlagged ? 'Flagged' : 'Not flagged'}
          tone={verdict.isFlagged ? 'bad' : 'good'}
        />
      </div>
      <ScrollTable label="Categories" heads={['Category', 'Flagged', 'Score']} className="verdict">
        <Table.Tbody>
          {verdict.categories.map(({ name, isFlagged, score }) => (
            <Table.Tr key={name}>
              <Table.Th scope="row">{describeCategory(name)}</Table.Th>
              <Table.Td>{isFlagged ? 'Yes' : 'No'}</Table.Td>
              <Table.Td>
                <Score value={score} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </ScrollTable>
    </Stack>
  )
}

/** `self-harm/instructions` → `Self-harm: instructions`. */
function describeCategory(name: string): string {
  const words = name.replaceAll('_', ' ').replace('/', ': ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
