import { Group, NumberInput, Stack, Table, Text, Textarea } from '@mantine/core'
import { IconVector } from '@tabler/icons-react'
import { useState } from 'react'
import { ScrollTable } from '../../../parts/tables/scroll-table.tsx'
import { CopyButton } from '../../../parts/text/copy-button.tsx'
import { formatNumber } from '../../../parts/text/format.ts'
import { closestPair, readVectors, similarityOf, splitLines } from './read-results.ts'
import { type Done, Task } from './task.tsx'

// A larger table is no longer readable.
const MOST_TEXTS = 12

const EMPTY = {
  icon: IconVector,
  title: 'Compare texts by meaning',
  children: 'Each text becomes a vector. The closer two vectors are, the more similar are their texts.',
}

export function Embeddings({ account }: { readonly account: string }) {
  const [text, setText] = useState('')
  const [dimensions, setDimensions] = useState<number | string>('')
  const texts = splitLines(text)
  const isTooMany = texts.length > MOST_TEXTS
  const input = texts.length === 0 || isTooMany ? null : { input: texts }
  return (
    <Task
      account={account}
      kind="embedding"
      runLabel="Embed"
      fields={input && { ...input, ...(typeof dimensions === 'number' && { dimensions }) }}
      empty={EMPTY}
      inputs={
        <Textarea
          label="Texts"
          description={`One per line, up to ${MOST_TEXTS}.`}
          placeholder={'A lighthouse at dawn\nThe sun rises over the harbour\nQuarterly tax report'}
          error={isTooMany ? `These are ${texts.length} lines. Remove some.` : null}
          autosize
          minRows={4}
          maxRows={14}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      }
      settings={
        <NumberInput
          label="Dimensions"
          description="Only some models can shorten their vectors."
          placeholder="Model default"
          min={1}
          allowDecimal={false}
          value={dimensions}
          onChange={setDimensions}
        />
      }
    >
      {(done) => <Similarities done={done} />}
    </Task>
  )
}

function Similarities({ done: { body, fields } }: { readonly done: Done }) {
  const vectors = readVectors(body)
  const texts = Array.isArray(fields.input) ? fields.input.map(String) : []
  const pair = closestPair(vectors)
  return (
    <Stack gap="sm">
      <Group justify="space-between" gap="xs">
        <Text size="sm">
          {vectors.length === 1 ? '1 vector' : `${vectors.length} vectors`} of{' '}
          {formatNumber(vectors[0]?.length ?? 0)} dimensions.
          {pair !== null &&
            ` Most similar: ${pair.first + 1} and ${pair.second + 1}, ${formatSimilarity(pair.similarity)}.`}
        </Text>
        <CopyButton value={JSON.stringify(vectors)} what="the vectors" label="Copy vectors" />
      </Group>
      {vectors.length > 1 && (
        <ScrollTable
          label="Similarity of the texts"
          heads={['Text', ...vectors.map((_, index) => String(index + 1))]}
          className="similarities"
        >
          <Table.Tbody>
            {vectors.map((vector, row) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: The texts of one response keep their order.
              <Table.Tr key={row}>
                <Table.Th scope="row">
                  {row + 1}. {texts[row]}
                </Table.Th>
                {vectors.map((other, column) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: As above.
                  <Similarity key={column} value={row === column ? null : similarityOf(vector, other)} />
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </ScrollTable>
      )}
    </Stack>
  )
}

function formatSimilarity(value: number): string {
  return value.toFixed(2).replace('-', '−')
}

// Strong enough to see, and weak enough to read the number on it.
const STRONGEST_PERCENT = 34

/** Null for a text and itself. */
function Similarity({ value }: { readonly value: number | null }) {
  if (value === null) return <Table.Td c="dimmed">–</Table.Td>
  const percent = Math.max(0, Math.round(value * STRONGEST_PERCENT))
  const background = `color-mix(in srgb, var(--mantine-color-teal-6) ${percent}%, transparent)`
  return <Table.Td style={{ background }}>{formatSimilarity(value)}</Table.Td>
}
