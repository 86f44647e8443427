import { Alert, List, Stack } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { StatusBadge } from '../../../../parts/layout/status-badge.tsx'
import { CodeBlock, layOutJson } from '../../../../parts/text/code-block.tsx'
import type { JsonObject } from '../../../../parts/wire/question.ts'

export interface StructuredOutputProps {
  readonly text: string
  readonly schema: JsonObject
  /** Incomplete JSON is not checked. */
  readonly isComplete: boolean
}

/** A response in JSON, laid out, and whether it follows its schema. */
export function StructuredOutput({ text, schema, isComplete }: StructuredOutputProps) {
  const problems = useProblems(isComplete ? text : null, schema)
  return (
    <Stack gap="xs">
      <CodeBlock title="JSON" code={isComplete ? layOutJson(text) : text} isWrapped />
      {problems?.length === 0 && (
        <div>
          <StatusBadge state="matches" tone="good" label="Matches the schema" />
        </div>
      )}
      {problems !== null && problems.length > 0 && (
        <Alert
          color="orange"
          title="Does not match the schema"
          icon={<IconAlertTriangle size={18} aria-hidden />}
        >
          <List size="sm">
            {problems.map((problem) => (
              <List.Item key={problem}>{problem}</List.Item>
            ))}
          </List>
        </Alert>
      )}
    </Stack>
  )
}

/** Null until it is checked. The checker is loaded with the first response. */
function useProblems(text: string | null, schema: JsonObject): readonly string[] | null {
  const [problems, setProblems] = useState<readonly string[] | null>(null)
  useEffect(() => {
    let isShown = true
    setProblems(null)
    if (text === null) return
    void import('./check-json.ts').then(({ checkJson }) => {
      if (isShown) setProblems(checkJson(text, schema))
    })
    return () => {
      isShown = false
    }
  }, [text, schema])
  return problems
}
