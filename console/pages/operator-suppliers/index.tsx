import { Button, Group, Stack } from '@mantine/core'
import { IconPlus, IconStethoscope, IconTruckDelivery } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { askSuppliers, OPERATOR, SUPPLIERS_KEY, useAccountNames, useLiveRoutes } from '../../api/operator.ts'
import { useList } from '../../api/use-list.ts'
import type { Route, Supplier } from '../../api/wire.ts'
import { useUrlState } from '../../app/url-state.ts'
import { SearchField } from '../../parts/forms/search-field.tsx'
import { useAction } from '../../parts/forms/use-action.ts'
import { PageHeader } from '../../parts/layout/page-header.tsx'
import { StatusBadge } from '../../parts/layout/status-badge.tsx'
import { describeFormat } from '../../parts/models/supply-words.ts'
import { type Column, TablePanel, TwoLines } from '../../parts/tables/table-panel.tsx'
import { Findings } from './findings.tsx'
import { healthOfSupplier } from './health.ts'
import { SupplierForm, typeLabel } from './supplier-form.tsx'

export function Page() {
  const [{ q, sort, do: doing }, setState] = useUrlState({ q: '', sort: '', do: '' })
  const navigate = useNavigate()
  const query = { search: q.trim(), sort }
  const suppliers = useList<Supplier>([...SUPPLIERS_KEY, 'paged'], `${OPERATOR}/suppliers`, query)
  const routes = useLiveRoutes()
  const nameOf = useAccountNames()
  const test = useAction(askSuppliers, { isFailureShown: true })
  const columns = columnsOf(routes.data?.data, nameOf)
  const openForm = () => setState({ do: 'create' })
  return (
    <>
      <PageHeader
        title="Suppliers"
        description="The suppliers that serve requests, and their current health."
        actions={
          <>
            <Button
              variant="default"
              leftSection={<IconStethoscope size={16} aria-hidden />}
              loading={test.isRunning}
              onClick={() => test.run(undefined)}
            >
              Test all
            </Button>
            <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={openForm}>
              Add supplier
            </Button>
          </>
        }
      />
      <Stack gap="md">
        <Group>
          <SearchField
            label="Search suppliers"
            placeholder="Id, type or address"
            value={q}
            onSearch={(text) => setState({ q: text })}
            className="filter-wide"
          />
        </Group>
        <TablePanel
          label="Suppliers"
          list={suppliers}
          sorting={{ sort, onSort: (wanted) => setState({ sort: wanted }) }}
          columns={columns}
          rowLink={({ id }) => ({ to: '/operator/suppliers/$id', params: { id } })}
          empty={
            q === ''
              ? { ...NONE, action: { label: 'Add supplier', onClick: openForm, isMain: true } }
              : NO_MATCH
          }
        />
        <Findings
          description="Each active credential was tested with a short request to the supplier’s cheapest text model."
          findings={test.result}
          isAsking={test.isRunning}
        />
      </Stack>
      {doing === 'create' && (
        <SupplierForm
          supplier={null}
          onClose={() => setState({ do: '' })}
          onSaved={({ id }) =>
            void navigate({ to: '/operator/suppliers/$id', params: { id }, search: { do: 'credential' } })
          }
        />
      )}
    </>
  )
}

function columnsOf(
  routes: readonly Route[] | undefined,
  nameOf: (id: string) => string,
): readonly Column<Supplier>[] {
  return [
    {
      head: 'Supplier',
      sort: 'id',
      cell: ({ id, type, base_url }) => <TwoLines below={`${typeLabel(type)} · ${base_url}`}>{id}</TwoLines>,
    },
    {
      head: 'Health',
      cell: ({ id, enabled }) => {
        if (!enabled) return <StatusBadge state="disabled" />
        if (routes === undefined) return null
        const { tone, label } = healthOfSupplier(id, routes)
        return <StatusBadge state={label} tone={tone} />
      },
    },
    {
      head: 'Routes',
      isNumeric: true,
      from: 'sm',
      cell: ({ id }) => routes?.filter(({ supplier }) => supplier === id).length ?? '',
    },
    { head: 'Formats', from: 'md', cell: ({ formats }) => formats.map(describeFormat).join(', ') },
    {
      head: 'Used by',
      from: 'sm',
      cell: ({ source, account_id }) => (source === 'shared' ? 'All accounts' : nameOf(account_id ?? '')),
    },
  ]
}

const NONE = {
  icon: IconTruckDelivery,
  title: 'No suppliers yet',
  children:
    'A supplier is a vendor, or your own server, that runs models. Add one, give it a credential, then route models to it with a price. If the environment contains a vendor’s key at start, the gateway does all of this for you.',
}

const NO_MATCH = {
  icon: IconTruckDelivery,
  title: 'No matching suppliers',
  children: 'The search covers ids, types and addresses.',
}
