import { useQuery } from '@tanstack/react-query'
import { type Query, withQuery } from '../../api/client.ts'
import { allSuppliersQuery, OPERATOR, useAccountNames } from '../../api/operator.ts'
import { useUrlState } from '../../app/url-state.ts'
import { AccountPicker, AnyKeyPicker, CatalogModelPicker } from '../../parts/pickers/operator-pickers.tsx'
import { FilterBar } from '../../parts/requests/filter-bar.tsx'
import { plainChoices } from '../../parts/requests/filter-choices.ts'
import {
  type FiltersProps,
  NO_FILTERS,
  queryOf,
  type RequestFilters,
  viewOf,
} from '../../parts/requests/request-filters.ts'
import { narrowedBy, RequestFrame } from '../../parts/requests/request-frame.tsx'
import { SessionTable } from '../../parts/requests/session-table.tsx'
import { Refusals } from '../../parts/tables/refusals.tsx'
import { AllRequests } from './all-requests.tsx'

const DESCRIPTIONS = {
  '': 'Finished requests of all accounts, newest first. Open one to see its attempts and price.',
  refused:
    'Requests that were refused before they were admitted. Those without a known key are only counted.',
  sessions: 'The sessions that clients name, one row for each key and session.',
} as const

export function Page() {
  const [filters, onChange] = useUrlState<RequestFilters>(NO_FILTERS)
  const parts = { filters, onChange }
  const { id: _, ...query } = queryOf(filters, Date.now())
  const asked = { ...query, account_id: filters.customer, format: 'csv' }
  return (
    <RequestFrame
      {...parts}
      title="All requests"
      descriptions={DESCRIPTIONS}
      exportHref={viewOf(filters) === '' ? withQuery(`${OPERATOR}/exports/settlements`, asked) : null}
    >
      <ViewContent {...parts} />
    </RequestFrame>
  )
}

function ViewContent({ filters, onChange }: FiltersProps) {
  const nameOf = useAccountNames()
  const { customer } = filters
  const query = queryOf(filters, Date.now())
  const bar = <AllFilterBar filters={filters} onChange={onChange} />
  const narrowed = narrowedBy({ filters, onChange })
  switch (viewOf(filters)) {
    case 'refused':
      return (
        <Refusals
          queryKey={['operator']}
          path={`${OPERATOR}/refusals`}
          filters={{ ...query, account_id: customer }}
          filterBar={bar}
          ownerHead="Account"
          ownerOf={({ account_id }) => nameOf(account_id)}
        />
      )
    case 'sessions':
      return (
        <SessionTable
          queryKey={['operator']}
          path={`${OPERATOR}/client-sessions`}
          query={{ ...query, account: customer }}
          filters={bar}
          ownerHead="Account"
          ownerOf={({ account_id }) => nameOf(account_id)}
          rowLink={({ session, account_id, key_id: key }) => ({
            to: '/operator/settlements',
            search: { session, customer: account_id, key },
          })}
          {...narrowed}
        />
      )
    case '':
      return <AllRequests query={listQuery(query, filters)} filters={bar} nameOf={nameOf} {...narrowed} />
  }
}

/** The list calls these two filters by shorter names. */
function listQuery({ key_id: key, ...query }: Query, { customer: account, q: id }: RequestFilters): Query {
  return { ...query, key, account, id }
}

function AllFilterBar({ filters, onChange }: FiltersProps) {
  const suppliers = useQuery(allSuppliersQuery).data?.data ?? []
  return (
    <FilterBar
      filters={filters}
      onChange={onChange}
      searchHint="Request id"
      first={
        <AccountPicker
          aria-label="Account"
          value={filters.customer}
          onChange={(customer) => onChange({ customer, key: '' })}
        />
      }
      keyPicker={
        <AnyKeyPicker
          aria-label="Key"
          account={filters.customer}
          value={filters.key}
          onChange={(key) => onChange({ key })}
        />
      }
      modelPicker={
        <CatalogModelPicker
          aria-label="Model"
          value={filters.model}
          onChange={(model) => onChange({ model })}
        />
      }
      suppliers={plainChoices(suppliers.map(({ id }) => id))}
    />
  )
}
