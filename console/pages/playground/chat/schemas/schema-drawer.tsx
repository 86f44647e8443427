import { Button, Drawer, Group, Stack, Text, Textarea } from '@mantine/core'
import { useState } from 'react'
import type { JsonObject } from '../../../../parts/wire/question.ts'
import { EXAMPLE_SCHEMA, readSchema } from './read-schema.ts'

export interface SchemaDrawerProps {
  readonly schema: JsonObject | null
  readonly onSave: (schema: JsonObject | null) => void
  readonly onClose: () => void
}

/** The schema that responses must follow. */
export function SchemaDrawer({ schema, onSave, onClose }: SchemaDrawerProps) {
  const [text, setText] = useState(schema === null ? EXAMPLE_SCHEMA : JSON.stringify(schema, null, 2))
  const [problem, setProblem] = useState<string | null>(null)
  const save = () => {
    const read = readSchema(text)
    if ('problem' in read) return setProblem(read.problem)
    onSave(read.schema)
    onClose()
  }
  return (
    <Drawer opened onClose={onClose} title="JSON output" size="lg">
      <Stack>
        <Text size="sm" c="dimmed">
          The model answers in JSON that follows this schema. Every response is checked against it.
        </Text>
        <Textarea
          label="JSON schema"
          data-autofocus
          autosize
          minRows={8}
          maxRows={24}
          spellCheck={false}
          classNames={{ input: 'mono' }}
          error={problem}
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value)
            setProblem(null)
          }}
        />
        <Group justify="flex-end">
          {schema !== null && (
            <Button
              variant="default"
              mr="auto"
              onClick={() => {
                onSave(null)
                onClose()
              }}
            >
              Turn off
            </Button>
          )}
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button onClick={save}>Use this schema</Button>
        </Group>
      </Stack>
    </Drawer>
  )
}
