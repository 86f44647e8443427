import { NativeSelect, Switch } from '@mantine/core'
import { accountPath, withQuery } from '../../api/client.ts'
import { useModels } from '../../api/models.ts'
import { useBodyStorage } from '../../api/settlements.ts'
import { useSupplierNames } from '../../api/usage.ts'
import { useKeyNames } from '../../api/use-list.ts'
import { useAccount, useMay } from '../../app/account.ts'
import { useUrlState } from '../../app/url-state.ts'
import { KeyPicker } from '../../parts/pickers/key-picker.tsx'
import { FilterBar } from '../../parts/requests/filter-bar.tsx'
import { plainChoices, withChosen } from '../../parts/requests/filter-choices.ts'
import {
  type FiltersProps,
  isTextSearch,
  NO_FILTERS,
  queryOf,
  type RequestFilters,
  viewOf,
} from '../../parts/requests/request-filters.ts'
import { narrowedBy, RequestFrame } from '../../parts/requests/request-frame.tsx'
import { SessionTable } from '../../parts/requests/session-table.tsx'
import { Refusals } from '../../parts/tables/refusals.tsx'
import { FoundRequests } from './found-requests.tsx'
import { RequestTable } from './request-table.tsx'

const DESCRIPTIONS = {
  '': 'Every accepted request, with its route, usage and cost.',
  refused: 'Requests that were refused before they reached a model, and why. They cost nothing.',
  sessions: 'What coding agents and other programs did in one session, as one row.',
} as const

export function Page() {
  const account = useAccount()
  const [filters, onChange] = useUrlState<RequestFilters>(NO_FILTERS)
  const parts = { filters, onChange }
  const isList = viewOf(filters) === '' && !isTextSearch(filters)
  const query = { ...queryOf(filters, Date.now()), id: '', format: 'csv' }
  return (
    <RequestFrame
      {...parts}
      title="Requests"
      descriptions={DESCRIPTIONS}
      actions={isList && <LiveSwitch {...parts} />}
      exportHref={isList ? withQuery(accountPath(account.id, '/exports/settlements'), query) : null}
    >
      <ViewContent {...parts} />
    </RequestFrame>
  )
}

function ViewContent({ filters, onChange }: FiltersProps) {
  const account = useAccount()
  const keyName = useKeyNames(account.id)
  const query = queryOf(filters, Date.now())
  const bar = <OwnFilterBar filters={filters} onChange={onChange} />
  const narrowed = narrowedBy({ filters, onChange })
  switch (viewOf(filters)) {
    case 'refused':
      return (
        <Refusals
          queryKey={[account.id]}
          path={accountPath(account.id, '/refusals')}
          filters={query}
          filterBar={bar}
          ownerHead="Key"
          ownerOf={({ key_id }) => keyName(key_id)}
        />
      )
    case 'sessions':
      return (
        <SessionTable
          queryKey={[account.id]}
          path={accountPath(account.id, '/client-sessions')}
          query={query}
          filters={bar}
          ownerHead="Key"
          ownerOf={({ key_id }) => keyName(key_id)}
          rowLink={({ session, key_id: key }) => ({ to: '/requests', search: { session, key } })}
          {...narrowed}
        />
      )
    case '':
      return isTextSearch(filters) ? (
        <FoundRequests filters={filters} bar={bar} />
      ) : (
        <RequestTable query={query} filters={bar} keyName={keyName} {...narrowed} />
      )
  }
}

function OwnFilterBar({ filters, onChange }: FiltersProps) {
  const account = useAccount()
  const models = plainChoices(useModels(account.id).data?.data.map(({ id }) => id) ?? [])
  const suppliers = useSupplierNames(account.id)
  const maySee = useMay('see-bodies')
  const hasBodies = useBodyStorage(account.id).data?.enabled === true && maySee
  return (
    <FilterBar
      filters={filters}
      onChange={onChange}
      isTextSearch={isTextSearch(filters)}
      searchHint={hasBodies && viewOf(filters) === '' ? 'Request id or text' : 'Request id'}
      keyPicker={
        <KeyPicker
          aria-label="Key"
          account={account.id}
          value={filters.key}
          onChange={(key) => onChange({ key })}
        />
      }
      modelPicker={
        <NativeSelect
          aria-label="Model"
          value={filters.model}
          onChange={(event) => onChange({ model: event.currentTarget.value })}
          data={[{ value: '', label: 'All models' }, ...withChosen(models, filters.model)]}
        />
      }
      suppliers={plainChoices(suppliers)}
    />
  )
}

/** A paused list ends at the time of the pause. The address contains it, so that a shared link shows the same rows. */
function LiveSwitch({ filters, onChange }: FiltersProps) {
  if (filters.span === 'custom') return null
  const isLive = filters.to === ''
  return (
    <Switch
      label="Live"
      checked={isLive}
      onChange={() => onChange({ to: isLive ? new Date().toISOString() : '' })}
      className="live-switch"
      wrapperProps={{ 'data-live': isLive || undefined }}
    />
  )
}
