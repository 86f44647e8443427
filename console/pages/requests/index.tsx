import { Button, Group } from '@mantine/core'
import { IconActivity, IconFilterOff } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useKeys } from '../../api/keys.ts'
import { useModels } from '../../api/models.ts'
import { useSettlements } from '../../api/settlements.ts'
import { useAccount } from '../../app/account.ts'
import { useUrlState } from '../../app/url-state.ts'
import { DataTable } from '../../parts/data-table.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { Panel } from '../../parts/panel.tsx'
import { columnsOf } from './columns.tsx'
import { FilterBar, type Filters, LiveSwitch, NO_FILTERS } from './filters.tsx'
import { boundsOf } from './time-filter.ts'

export function Page() {
  const account = useAccount()
  const [filters, setFilters] = useUrlState<Filters>(NO_FILTERS)
  const keys = useKeys(account.id)
  const models = useModels(account.id)
  const { from, to } = boundsOf(filters, Date.now())
  const { key, model, outcome } = filters
  const list = useSettlements(account.id, { key_id: key, model, outcome, from, to })
  const names = new Map(keys.rows.map(({ id, name }) => [id, name]))
  const columns = columnsOf((id) => names.get(id) ?? id)
  const isNarrowed = key !== '' || model !== '' || outcome !== '' || from !== ''
  return (
    <>
      <PageHeader
        title="Requests"
        description="Every request the gateway let in: where it went, what it used and what it cost."
        actions={<LiveSwitch filters={filters} onChange={setFilters} />}
      />
      <Panel isFlush>
        <FilterBar
          filters={filters}
          onChange={setFilters}
          keys={keys.rows}
          models={models.data?.data ?? []}
        />
        <DataTable
          label="Requests"
          list={list}
          columns={columns}
          rowKey={({ request_id }) => request_id}
          rowLink={({ request_id }) => ({ to: '/requests/$id', params: { id: request_id } })}
          empty={isNarrowed ? <NothingFits onClear={() => setFilters(NO_FILTERS)} /> : <NothingYet />}
        />
      </Panel>
    </>
  )
}

function NothingFits({ onClear }: { readonly onClear: () => void }) {
  return (
    <EmptyState
      icon={IconFilterOff}
      title="No request fits"
      action={
        <Button variant="default" onClick={onClear}>
          Clear the filters
        </Button>
      }
    >
      Choose a longer time or fewer conditions. Requests that were refused before they were let in, such as
      those with a wrong key, are not recorded.
    </EmptyState>
  )
}

function NothingYet() {
  return (
    <EmptyState
      icon={IconActivity}
      title="Waiting for the first request"
      action={
        <Group justify="center">
          <Button renderRoot={(props) => <Link to="/playground" {...props} />}>Try the playground</Button>
          <Button variant="default" renderRoot={(props) => <Link to="/connect" {...props} />}>
            Connect a program
          </Button>
        </Group>
      }
    >
      It shows here by itself the moment it ends, with every attempt, its tokens and its price.
    </EmptyState>
  )
}
