import { Button, Code, Group, NativeSelect, Stack, Text } from '@mantine/core'
import { IconKey, IconPlus, IconSearch } from '@tabler/icons-react'
import { useState } from 'react'
import { useKey, useKeys } from '../../api/keys.ts'
import type { ApiKey, IssuedKey } from '../../api/wire.ts'
import { useAccount, useMay } from '../../app/account.ts'
import { listRoles } from '../../app/role-words.ts'
import { useUrlState } from '../../app/url-state.ts'
import { LimitBar } from '../../parts/charts/limit-bar.tsx'
import { SearchField } from '../../parts/forms/search-field.tsx'
import { IssuedKeyDialog } from '../../parts/keys/issued-key-dialog.tsx'
import { KeyActions } from '../../parts/keys/key-actions.tsx'
import { CreateKey, EditKey } from '../../parts/keys/key-form.tsx'
import { KeyStateBadge } from '../../parts/keys/key-state-badge.tsx'
import {
  describeAllowlist,
  describePeriod,
  describeRate,
  describeSecret,
} from '../../parts/keys/key-words.ts'
import { Hint } from '../../parts/layout/hint.tsx'
import { PageHeader } from '../../parts/layout/page-header.tsx'
import { CutContent } from '../../parts/tables/cut-text.tsx'
import { type Column, TablePanel } from '../../parts/tables/table-panel.tsx'
import { Money } from '../../parts/text/money.tsx'
import { TimeStamp } from '../../parts/text/time-stamp.tsx'

const NOT_REVOKED = 'not_revoked'

const STATES = [
  { value: NOT_REVOKED, label: 'Not revoked' },
  { value: 'active', label: 'Active' },
  { value: 'disabled', label: 'Disabled' },
  { value: 'expired', label: 'Expired' },
  { value: 'limit_reached', label: 'Limit reached' },
  { value: 'revoked', label: 'Revoked' },
]

const DEFAULTS = { q: '', state: NOT_REVOKED, sort: '', create: '', edit: '' }

export function Page() {
  const account = useAccount()
  const [address, setAddress] = useUrlState(DEFAULTS)
  const [issued, setIssued] = useState<IssuedKey | null>(null)
  const { q, state, sort } = address
  const keys = useKeys(account.id, { search: q.trim(), state, sort })
  const isNarrowed = q.trim() !== '' || state !== NOT_REVOKED
  const edited = useKey(account.id, address.edit).data
  const mayManage = useMay('manage-keys')
  const create = mayManage && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setAddress({ create: 'yes' })}>
      Create key
    </Button>
  )
  const columns = keyColumns({
    account: account.id,
    onEdit: (key) => setAddress({ edit: key.id }),
    onIssued: setIssued,
  })
  return (
    <>
      <PageHeader
        title="API keys"
        description="A key lets a program use this account within the limits you set. Give each program its own key, so that you can see its cost and stop it without affecting the others."
        actions={create}
      />
      <TablePanel
        label="API keys"
        filters={
          (isNarrowed || keys.rows.length > 0 || keys.isPending) && (
            <Filters address={address} onChange={setAddress} />
          )
        }
        list={keys}
        columns={columns}
        sorting={{ sort, onSort: (wanted) => setAddress({ sort: wanted }) }}
        rowLink={({ id }) => ({ to: '/keys/$id', params: { id } })}
        empty={
          isNarrowed
            ? { ...NO_MATCH, action: { label: 'Show all', onClick: () => setAddress(DEFAULTS) } }
            : mayManage
              ? { ...NONE, action: create }
              : NONE_TO_SEE
        }
      />
      {mayManage && address.create !== '' && (
        <CreateKey account={account.id} onClose={() => setAddress({ create: '' })} onIssued={setIssued} />
      )}
      {mayManage && edited !== undefined && (
        <EditKey account={account.id} apiKey={edited} onClose={() => setAddress({ edit: '' })} />
      )}
      {issued !== null && (
        <IssuedKeyDialog account={account.id} issued={issued} onClose={() => setIssued(null)} />
      )}
    </>
  )
}

interface FiltersProps {
  readonly address: typeof DEFAULTS
  readonly onChange: (change: Partial<typeof DEFAULTS>) => void
}

function Filters({ address, onChange }: FiltersProps) {
  return (
    <Group className="filter-bar" gap="sm">
      <SearchField
        label="Search keys"
        placeholder="Name or last four characters"
        value={address.q}
        onSearch={(q) => onChange({ q })}
        flex="1 1 200px"
        maw={360}
      />
      <NativeSelect
        aria-label="State"
        data={STATES}
        value={address.state}
        onChange={(event) => onChange({ state: event.currentTarget.value })}
      />
    </Group>
  )
}

const NONE = {
  icon: IconKey,
  title: 'No keys yet',
  children:
    'Create a key for your first program. Its secret is shown once, ready to paste for curl, the SDKs and coding agents.',
}

const NONE_TO_SEE = { ...NONE, children: `Keys are created by ${listRoles('manage-keys')}.` }

const NO_MATCH = {
  icon: IconSearch,
  title: 'No matching keys',
  children: 'No key has this name and state.',
}

interface KeyColumnsOptions {
  readonly account: string
  readonly onEdit: (key: ApiKey) => void
  readonly onIssued: (key: IssuedKey) => void
}

function keyColumns({ account, onEdit, onIssued }: KeyColumnsOptions): readonly Column<ApiKey>[] {
  return [
    { head: 'Name', sort: 'name', cell: (key) => <KeyName apiKey={key} /> },
    { head: 'State', from: 'sm', cell: (key) => <KeyBadge apiKey={key} /> },
    { head: 'Usage limit', sort: 'spent', from: 'sm', cell: (key) => <UsageAgainstLimit apiKey={key} /> },
    { head: 'Budget', from: 'md', cell: (key) => <UsageAgainstBudget apiKey={key} /> },
    { head: 'Last used', from: 'md', cell: (key) => <LastUse apiKey={key} /> },
    {
      head: 'Rate limit',
      from: 'lg',
      cell: (key) => <Quiet words={describeRate(key)} isUsual={key.rpm === null && key.tpm === null} />,
    },
    { head: 'Models', from: 'lg', cell: (key) => <Models apiKey={key} /> },
    {
      head: 'Actions',
      isHeadHidden: true,
      isNumeric: true,
      cell: (key) => (
        <KeyActions account={account} apiKey={key} onEdit={() => onEdit(key)} onIssued={onIssued} />
      ),
    },
  ]
}

interface CellProps {
  readonly apiKey: ApiKey
}

function KeyName({ apiKey }: CellProps) {
  return (
    <Stack gap={3} className="key-name">
      <CutContent>{apiKey.name}</CutContent>
      <Group gap={6}>
        <Code className="key-secret">{describeSecret(apiKey)}</Code>
        <span className="mantine-hidden-from-sm">
          <KeyBadge apiKey={apiKey} />
        </span>
      </Group>
      <div className="mantine-hidden-from-sm key-name-limit">
        <UsageAgainstLimit apiKey={apiKey} />
      </div>
    </Stack>
  )
}

function KeyBadge({ apiKey }: CellProps) {
  const { state, expires_at } = apiKey
  return (
    <Stack gap={3} align="flex-start">
      <KeyStateBadge apiKey={apiKey} />
      {state === 'active' && expires_at !== null && (
        <Text size="xs" c="dimmed" span>
          ends <TimeStamp at={expires_at} as="relative" />
        </Text>
      )}
    </Stack>
  )
}

function UsageAgainstLimit({ apiKey: { name, usage, usage_limit: limit } }: CellProps) {
  if (limit === null) {
    return (
      <Text size="sm" c="dimmed" component="div">
        <Money amount={usage.spent} /> in total, no limit
      </Text>
    )
  }
  return (
    <LimitBar
      label={`Usage limit of ${name}`}
      spent={usage.spent}
      limit={limit.amount}
      hint={
        <>
          {describePeriod(limit.period)}
          {usage.resets_at !== null && (
            <>
              {', resets '}
              <TimeStamp at={usage.resets_at} as="relative" />
            </>
          )}
        </>
      }
    />
  )
}

function UsageAgainstBudget({ apiKey: { name, usage, budget } }: CellProps) {
  if (budget === null) return <Quiet words="none" isUsual />
  return (
    <LimitBar
      label={`Budget of ${name}`}
      spent={usage.spent_this_month}
      limit={budget.amount}
      hint="this month, alerts only"
      warnsFrom={Math.min(...budget.thresholds) / 100}
    />
  )
}

function LastUse({ apiKey: { last_used_at: at } }: CellProps) {
  return at === null ? <Quiet words="never" isUsual /> : <TimeStamp at={at} as="relative" />
}

function Models({ apiKey }: CellProps) {
  const { model_allowlist: list } = apiKey
  if (list === null) return <Quiet words="all" isUsual />
  return <Hint label={list.join(', ')}>{describeAllowlist(apiKey)}</Hint>
}

function Quiet({ words, isUsual }: { readonly words: string; readonly isUsual: boolean }) {
  return (
    <Text size="sm" span {...(isUsual && { c: 'dimmed' })}>
      {words}
    </Text>
  )
}
