import { Button, Paper, Stack, Text, Textarea } from '@mantine/core'
import { IconArrowRight } from '@tabler/icons-react'
import { useState } from 'react'
import { CodeBlock, layOutJson } from '../../../parts/text/code-block.tsx'
import type { ToolCall, ToolResult } from '../../../parts/wire/question.ts'

export interface CallsWaitingProps {
  readonly calls: readonly ToolCall[]
  readonly onResults: (results: readonly ToolResult[]) => void
}

/** Functions that the model wants to call. The user plays them: types what they return. */
export function CallsWaiting({ calls, onResults }: CallsWaitingProps) {
  const [outputs, setOutputs] = useState<readonly string[]>([])
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        onResults(calls.map((call, index) => ({ call, output: outputs[index] ?? '' })))
      }}
    >
      <Stack gap="sm">
        {calls.map((call, index) => (
          <CallFrame key={call.id} call={call}>
            <Textarea
              label={`Result of ${call.name}`}
              description="What the function returns: JSON or text."
              placeholder='{"ok": true}'
              autosize
              minRows={2}
              maxRows={12}
              spellCheck={false}
              classNames={{ input: 'mono' }}
              value={outputs[index] ?? ''}
              onChange={(event) => {
                const { value } = event.currentTarget
                setOutputs(calls.map((_, place) => (place === index ? value : (outputs[place] ?? ''))))
              }}
            />
          </CallFrame>
        ))}
        <div>
          <Button type="submit" leftSection={<IconArrowRight size={16} aria-hidden />}>
            {calls.length === 1 ? 'Send the result' : 'Send the results'}
          </Button>
        </div>
      </Stack>
    </form>
  )
}

/** Calls with the results that the user gave. */
export function CallsMade({ results }: { readonly results: readonly ToolResult[] }) {
  return results.map(({ call, output }) => (
    <CallFrame key={call.id} call={call}>
      <CodeBlock
        title="Result"
        code={output === '' ? '(empty)' : layOutJson(output)}
        maxHeight={240}
        isWrapped
      />
    </CallFrame>
  ))
}

function CallFrame({ call, children }: { readonly call: ToolCall; readonly children: React.ReactNode }) {
  return (
    <Paper withBorder p="sm" className="tool-call">
      <Stack gap="xs">
        <Text size="sm">
          Calls <strong>{call.name}</strong>
        </Text>
        <CodeBlock title="Arguments" code={layOutJson(call.arguments)} maxHeight={240} isWrapped />
        {children}
      </Stack>
    </Paper>
  )
}
