import { Button, Drawer, Fieldset, Group, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import type { Tool } from '../../../../parts/wire/question.ts'
import { draftOf, EXAMPLE_TOOL, findToolProblems, NEW_TOOL, type ToolDraft, toolOf } from './read-schema.ts'

export interface ToolsDrawerProps {
  readonly tools: readonly Tool[]
  readonly onSave: (tools: readonly Tool[]) => void
  readonly onClose: () => void
}

interface Numbered extends ToolDraft {
  readonly id: number
}

/** The functions that a model may call. The playground does not run them: the user types their results. */
export function ToolsDrawer({ tools, onSave, onClose }: ToolsDrawerProps) {
  const [drafts, setDrafts] = useState<readonly Numbered[]>(() =>
    tools.map((tool, id) => ({ ...draftOf(tool), id })),
  )
  const [isChecked, setIsChecked] = useState(false)
  const add = (draft: ToolDraft) => setDrafts([...drafts, { ...draft, id: (drafts.at(-1)?.id ?? -1) + 1 }])
  const problemsOf = (draft: Numbered) =>
    findToolProblems(
      draft,
      drafts.filter(({ id }) => id < draft.id),
    )
  const save = () => {
    setIsChecked(true)
    if (drafts.some((draft) => Object.keys(problemsOf(draft)).length > 0)) return
    onSave(drafts.map(toolOf))
    onClose()
  }
  return (
    <Drawer opened onClose={onClose} title="Tools" size="lg">
      <Stack>
        <Text size="sm" c="dimmed">
          Functions that the model may ask to call. Nothing is run here: you type the result of each call, and
          the model goes on.
        </Text>
        {drafts.map((draft, index) => (
          <ToolFields
            key={draft.id}
            title={`Function ${index + 1}`}
            draft={draft}
            problems={isChecked ? problemsOf(draft) : {}}
            onChange={(change) =>
              setDrafts(drafts.map((each) => (each.id === draft.id ? { ...each, ...change } : each)))
            }
            onRemove={() => setDrafts(drafts.filter(({ id }) => id !== draft.id))}
          />
        ))}
        <Group gap="xs">
          <Button
            variant="default"
            leftSection={<IconPlus size={16} aria-hidden />}
            onClick={() => add(NEW_TOOL)}
          >
            Add function
          </Button>
          {drafts.length === 0 && (
            <Button variant="default" onClick={() => add(EXAMPLE_TOOL)}>
              Add an example
            </Button>
          )}
        </Group>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button onClick={save}>Use these tools</Button>
        </Group>
      </Stack>
    </Drawer>
  )
}

interface ToolFieldsProps {
  readonly title: string
  readonly draft: ToolDraft
  readonly problems: Partial<ToolDraft>
  readonly onChange: (change: Partial<ToolDraft>) => void
  readonly onRemove: () => void
}

function ToolFields({ title, draft, problems, onChange, onRemove }: ToolFieldsProps) {
  return (
    <Fieldset legend={title}>
      <Stack gap="sm">
        <TextInput
          label="Name"
          placeholder="get_weather"
          error={problems.name}
          value={draft.name}
          onChange={(event) => onChange({ name: event.currentTarget.value })}
        />
        <TextInput
          label="Description"
          placeholder="What it does, and when to call it"
          value={draft.description}
          onChange={(event) => onChange({ description: event.currentTarget.value })}
        />
        <Textarea
          label="Parameters"
          description="A JSON schema."
          autosize
          minRows={4}
          maxRows={16}
          spellCheck={false}
          classNames={{ input: 'mono' }}
          error={problems.parameters}
          value={draft.parameters}
          onChange={(event) => onChange({ parameters: event.currentTarget.value })}
        />
        <Group>
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<IconTrash size={14} aria-hidden />}
            onClick={onRemove}
          >
            Remove
          </Button>
        </Group>
      </Stack>
    </Fieldset>
  )
}
