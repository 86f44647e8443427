import { Button, Text } from '@mantine/core'
import { IconSearchOff, IconUserPlus, IconUsers } from '@tabler/icons-react'
import { USERS, USERS_KEY, useAccountNames } from '../../api/operator.ts'
import { useList } from '../../api/use-list.ts'
import type { User } from '../../api/wire.ts'
import { ROLE_WORDS } from '../../app/role-words.ts'
import { useUrlState } from '../../app/url-state.ts'
import { PageHeader } from '../../parts/layout/page-header.tsx'
import { StatusBadge } from '../../parts/layout/status-badge.tsx'
import { ListFilters } from '../../parts/tables/list-filters.tsx'
import { type Column, TablePanel, TwoLines } from '../../parts/tables/table-panel.tsx'
import { TimeStamp } from '../../parts/text/time-stamp.tsx'
import { AddUser, UserActions } from './user-actions.tsx'

const SHOWN = [
  { value: 'operators', label: 'Operators' },
  { value: 'disabled', label: 'Disabled' },
]

export function Page() {
  const [state, setState] = useUrlState({ q: '', show: '', sort: '', do: '' })
  const { q, show, sort, do: doing } = state
  const nameOf = useAccountNames()
  const users = useList<User>(USERS_KEY, USERS, {
    search: q.trim(),
    sort,
    ...(show === 'operators' && { is_operator: true }),
    ...(show === 'disabled' && { disabled: true }),
  })
  const isNarrowed = q.trim() !== '' || show !== ''
  const add = () => setState({ do: 'create' })
  return (
    <>
      <PageHeader
        title="Users"
        description="Who can sign in to the console. Operators see these pages and every account."
        actions={
          <Button leftSection={<IconUserPlus size={16} aria-hidden />} onClick={add}>
            Add user
          </Button>
        }
      />
      <ListFilters
        state={state}
        onChange={setState}
        label="Search users"
        placeholder="Name or e-mail"
        choice={{ name: 'show', label: 'Which users', all: 'All users', options: SHOWN }}
      />
      <TablePanel
        label="Users"
        list={users}
        sorting={{ sort, onSort: (wanted) => setState({ sort: wanted }) }}
        columns={columnsOf(nameOf)}
        empty={isNarrowed ? NO_MATCH : { ...NONE, action: { label: 'Add user', onClick: add, isMain: true } }}
      />
      {doing === 'create' && <AddUser onClose={() => setState({ do: '' })} />}
    </>
  )
}

const NONE = {
  icon: IconUsers,
  title: 'No users yet',
  children: 'Add users by e-mail address, and give them the password that is shown once.',
}

const NO_MATCH = {
  icon: IconSearchOff,
  title: 'No matching users',
  children: 'The search covers names, e-mail addresses and ids.',
}

function columnsOf(nameOf: (id: string) => string): readonly Column<User>[] {
  return [
    { head: 'User', sort: 'name', cell: (user) => <Name user={user} /> },
    { head: 'Role', cell: (user) => <Standing user={user} /> },
    {
      head: 'Accounts',
      from: 'sm',
      cell: ({ accounts }) =>
        accounts.length === 0
          ? 'None'
          : accounts.map(({ id, role }) => `${nameOf(id)} (${ROLE_WORDS[role].label})`).join(', '),
    },
    { head: 'Signs in with', from: 'md', cell: (user) => signInOf(user) },
    {
      head: 'Created',
      sort: 'created_at',
      from: 'md',
      cell: ({ created_at }) => <TimeStamp at={created_at} as="date" />,
    },
    { head: 'Actions', isHeadHidden: true, isNumeric: true, cell: (user) => <UserActions user={user} /> },
  ]
}

function Name({ user: { name, email } }: { readonly user: User }) {
  return (
    <Text span inherit fw={550}>
      <TwoLines below={name === email ? null : email}>{name}</TwoLines>
    </Text>
  )
}

function Standing({ user: { disabled, is_operator } }: { readonly user: User }) {
  if (disabled) return <StatusBadge state="disabled" tone="warning" />
  return is_operator ? (
    <StatusBadge state="Operator" tone="info" />
  ) : (
    <StatusBadge state="Customer" tone="neutral" />
  )
}

function signInOf({ has_password, totp_enabled }: User): string {
  if (!has_password) return 'Identity provider'
  return totp_enabled ? 'Password and code' : 'Password'
}
