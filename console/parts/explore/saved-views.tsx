import { ActionIcon, Button, Group, Popover, Stack, Text, TextInput } from '@mantine/core'
import { IconBookmark, IconTrash } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { ShownList } from '../../../src/edges/management-api/endpoint.ts'
import { api } from '../../api/client.ts'
import type { SavedView } from '../../api/wire.ts'
import { useAction } from '../forms/use-action.ts'
import { DEFAULTS, type ExploreScope, type ExploreState } from './use-explore.ts'

interface SavedViewsProps {
  readonly scope: ExploreScope
  readonly state: ExploreState
}

/** Named views, which everybody who may see this page shares. */
export function SavedViews({ scope, state }: SavedViewsProps) {
  const [isOpen, setOpen] = useState(false)
  const queryKey = [...scope.queryKey, 'views']
  const views = useQuery({
    queryKey,
    queryFn: ({ signal }) => api.get<ShownList<SavedView>>(`${scope.path}/views`, { signal }),
  })
  const remove = useAction((id: string) => api.delete(`${scope.path}/views/${encodeURIComponent(id)}`), {
    done: 'View deleted',
    refreshes: [queryKey],
    isFailureShown: true,
  })
  const navigate = useNavigate()
  const open = (search: string) => {
    const named = Object.fromEntries(new URLSearchParams(search))
    const chosen = Object.fromEntries(Object.keys(DEFAULTS).map((name) => [name, named[name]]))
    void navigate({ to: '.', search: (before) => ({ ...before, ...chosen }) })
    setOpen(false)
  }
  const rows = views.data?.data ?? []
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-end" width={300} trapFocus returnFocus>
      <Popover.Target>
        <Button
          variant="default"
          leftSection={<IconBookmark size={16} aria-hidden />}
          onClick={() => setOpen(!isOpen)}
        >
          Views
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Saved views">
        <Stack gap="sm">
          {rows.length === 0 && (
            <Text size="sm" c="dimmed">
              No saved views yet.
            </Text>
          )}
          {rows.map(({ id, name, search }) => (
            <Group key={id} gap="xs" wrap="nowrap" justify="space-between">
              <Button
                variant="subtle"
                size="compact-sm"
                className="explore-view"
                onClick={() => open(search)}
              >
                {name}
              </Button>
              {scope.maySave && (
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={`Delete the view ${name}`}
                  onClick={() => remove.run(id)}
                >
                  <IconTrash size={16} aria-hidden />
                </ActionIcon>
              )}
            </Group>
          ))}
          {scope.maySave && <SaveView scope={scope} state={state} />}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}

function SaveView({ scope, state }: SavedViewsProps) {
  const [name, setName] = useState('')
  const save = useAction((body: { name: string; search: string }) => api.post(`${scope.path}/views`, body), {
    done: 'View saved',
    refreshes: [[...scope.queryKey, 'views']],
    onDone: () => setName(''),
    isFailureShown: true,
  })
  const changed = Object.entries(state).filter(
    ([key, value]) => value !== DEFAULTS[key as keyof ExploreState],
  )
  // A view that is all defaults still needs an address.
  const search = new URLSearchParams(changed.length === 0 ? [['metric', state.metric]] : changed).toString()
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (name.trim() !== '') save.run({ name: name.trim(), search })
      }}
    >
      <Group gap="xs" align="flex-end" wrap="nowrap">
        <TextInput
          label="Save this view as"
          placeholder="Spend by model"
          maxLength={80}
          flex={1}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Button type="submit" loading={save.isRunning} disabled={name.trim() === ''}>
          Save
        </Button>
      </Group>
    </form>
  )
}
