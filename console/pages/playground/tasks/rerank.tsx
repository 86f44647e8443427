import { NumberInput, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { IconSortDescending2 } from '@tabler/icons-react'
import { useState } from 'react'
import { readRanking, splitLines } from './read-results.ts'
import { Score } from './score.tsx'
import { type Done, Task } from './task.tsx'

const EMPTY = {
  icon: IconSortDescending2,
  title: 'Rank documents for a query',
  children: 'The documents that answer the query best come first, each with its score.',
}

export function Rerank({ account }: { readonly account: string }) {
  const [query, setQuery] = useState('')
  const [text, setText] = useState('')
  const [count, setCount] = useState<number | string>('')
  const documents = splitLines(text)
  const isComplete = query.trim() !== '' && documents.length > 0
  return (
    <Task
      account={account}
      kind="rerank"
      runLabel="Rank"
      fields={
        isComplete
          ? { query: query.trim(), documents, ...(typeof count === 'number' && { top_n: count }) }
          : null
      }
      empty={EMPTY}
      inputs={
        <>
          <TextInput
            label="Query"
            placeholder="Which city is the capital of France?"
            value={query}
            onChange={(event) => setQuery(event.currentTarget.value)}
          />
          <Textarea
            label="Documents"
            description="One per line."
            placeholder={'Lyon is a city in France.\nParis is the capital of France.\nBerlin is in Germany.'}
            autosize
            minRows={4}
            maxRows={16}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
        </>
      }
      settings={
        <NumberInput
          label="Results"
          description="How many documents to return."
          placeholder="All"
          min={1}
          allowDecimal={false}
          value={count}
          onChange={setCount}
        />
      }
    >
      {(done) => <Ranking done={done} />}
    </Task>
  )
}

function Ranking({ done: { body, fields } }: { readonly done: Done }) {
  const documents = Array.isArray(fields.documents) ? fields.documents.map(String) : []
  return (
    <Stack component="ol" gap="md" className="ranking" aria-label="Documents by score">
      {readRanking(body).map(({ index, score }, rank) => (
        <li key={index} className="ranked">
          <span className="ranked-place numeral">{rank + 1}</span>
          <div className="ranked-text">{documents[index]}</div>
          <Score value={score} />
          <Text size="xs" c="dimmed" className="ranked-line">
            Line {index + 1}
          </Text>
        </li>
      ))}
    </Stack>
  )
}
