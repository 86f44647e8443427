import { Button, Group, NativeSelect, TextInput } from '@mantine/core'
import { IconKey, IconPlus, IconSearch } from '@tabler/icons-react'
import { useState } from 'react'
import { useKeys } from '../../api/keys.ts'
import type { List } from '../../api/use-list.ts'
import type { ApiKey, IssuedKey } from '../../api/wire.ts'
import { useAccount } from '../../app/account.ts'
import { useUrlState } from '../../app/url-state.ts'
import { IssuedKeyDialog } from '../../parts/keys/issued-key-dialog.tsx'
import { CreateKey, EditKey } from '../../parts/keys/key-form.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { TablePanel } from '../../parts/table-panel.tsx'
import { keyColumns } from './key-columns.tsx'

const STATES = [
  { value: '', label: 'All but revoked' },
  { value: 'active', label: 'Active' },
  { value: 'disabled', label: 'Disabled' },
  { value: 'expired', label: 'Expired' },
  { value: 'revoked', label: 'Revoked' },
]

const DEFAULTS = { q: '', state: '', create: '', edit: '' }

export function Page() {
  const account = useAccount()
  const [address, setAddress] = useUrlState(DEFAULTS)
  const [issued, setIssued] = useState<IssuedKey | null>(null)
  const keys = useKeys(account.id)
  const edited = keys.rows.find(({ id }) => id === address.edit)
  const create = (
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
        description="A key lets a program spend from this account, within what you allow it. Give every program its own: you then see what each costs, and can stop one without the others."
        actions={create}
      />
      <TablePanel
        label="API keys"
        filters={
          (keys.rows.length > 0 || keys.isPending) && <Filters address={address} onChange={setAddress} />
        }
        list={filterKeys(keys, address)}
        columns={columns}
        rowLink={({ id }) => ({ to: '/keys/$id', params: { id } })}
        empty={
          keys.rows.length === 0
            ? { ...NONE, action: create }
            : { ...NO_MATCH, action: <ShowAll onClick={() => setAddress(DEFAULTS)} /> }
        }
      />
      {address.create !== '' && (
        <CreateKey account={account.id} onClose={() => setAddress({ create: '' })} onIssued={setIssued} />
      )}
      {edited !== undefined && (
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
      <TextInput
        aria-label="Search keys"
        placeholder="Search by name or last four"
        leftSection={<IconSearch size={16} aria-hidden />}
        value={address.q}
        onChange={(event) => onChange({ q: event.currentTarget.value })}
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

function filterKeys(keys: List<ApiKey>, { q, state }: typeof DEFAULTS): List<ApiKey> {
  const sought = q.trim().toLowerCase()
  const rows = keys.rows.filter(
    (key) =>
      (state === '' ? key.state !== 'revoked' : key.state === state) &&
      `${key.name} ${key.last_four} ${key.id}`.toLowerCase().includes(sought),
  )
  return { ...keys, rows }
}

const NONE = {
  icon: IconKey,
  title: 'No keys yet',
  children:
    'Create one for the first program that shall use models through this gateway. Its secret is shown once, together with lines to paste for curl, the SDKs and coding agents.',
}

const NO_MATCH = {
  icon: IconSearch,
  title: 'No key fits',
  children: 'Other keys exist, but none with this name and state.',
}

function ShowAll({ onClick }: { readonly onClick: () => void }) {
  return (
    <Button variant="default" onClick={onClick}>
      Show all
    </Button>
  )
}
