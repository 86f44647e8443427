import { Button, Group } from '@mantine/core'
import { IconActivity, IconFilterOff } from '@tabler/icons-react'
import { useKeys } from '../../api/keys.ts'
import { useModels } from '../../api/models.ts'
import { useSettlements } from '../../api/settlements.ts'
import { useAccount } from '../../app/account.ts'
import { useUrlState } from '../../app/url-state.ts'
import type { EmptyStateProps } from '../../parts/empty-state.tsx'
import { ButtonLink } from '../../parts/links.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { TablePanel } from '../../parts/table-panel.tsx'
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
      <TablePanel
        label="Requests"
        filters={
          <FilterBar
            filters={filters}
            onChange={setFilters}
            keys={keys.rows}
            models={models.data?.data ?? []}
          />
        }
        list={list}
        columns={columns}
        rowKey={({ request_id }) => request_id}
        rowLink={({ request_id }) => ({ to: '/requests/$id', params: { id: request_id } })}
        empty={isNarrowed ? noMatch(() => setFilters(NO_FILTERS)) : NONE}
      />
    </>
  )
}

function noMatch(onClear: () => void): EmptyStateProps {
  return {
    icon: IconFilterOff,
    title: 'No request fits',
    children:
      'Choose a longer time or fewer conditions. Requests that were refused before they were let in, such as those with a wrong key, are not recorded.',
    action: (
      <Button variant="default" onClick={onClear}>
        Clear the filters
      </Button>
    ),
  }
}

const NONE: EmptyStateProps = {
  icon: IconActivity,
  title: 'Waiting for the first request',
  children: 'It shows here by itself the moment it ends, with every attempt, its tokens and its price.',
  action: (
    <Group justify="center">
      <ButtonLink to="/playground">Try the playground</ButtonLink>
      <ButtonLink variant="default" to="/connect">
        Connect a program
      </ButtonLink>
    </Group>
  ),
}
