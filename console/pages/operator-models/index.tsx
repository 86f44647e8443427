import { Button, Text } from '@mantine/core'
import { IconListDetails, IconPlus, IconSearchOff } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { MODEL_KINDS } from '../../../src/vocabulary/words.ts'
import { allModelsQuery, useLiveRoutes } from '../../api/operator.ts'
import type { CatalogModel, Route } from '../../api/wire.ts'
import { useUrlState } from '../../app/url-state.ts'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { ListFilters } from '../../parts/list-filters.tsx'
import { Money } from '../../parts/money.tsx'
import { matchesWords, narrowList } from '../../parts/narrow-list.ts'
import { PageHeader } from '../../parts/page-header.tsx'
import { Panel } from '../../parts/panel.tsx'
import { asList } from '../../parts/static-list.ts'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { ModelForm } from './model-form.tsx'
import { cheapestRoute, usableRoutes } from './usable-routes.ts'

export function Page() {
  const [{ q, kind, do: doing }, setState] = useUrlState({ q: '', kind: '', do: '' })
  const navigate = useNavigate()
  const models = useQuery(allModelsQuery)
  const routes = useLiveRoutes()
  const list = narrowList(
    asList(models),
    (model) =>
      (kind === '' || model.kinds.some((each) => each === kind)) &&
      matchesWords(q.trim(), [model.id, model.display_name, model.owned_by]),
  )
  return (
    <>
      <PageHeader
        title="Models and prices"
        description="What customers can ask for, which suppliers serve it, and what it costs."
        actions={
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setState({ do: 'create' })}>
            Add model
          </Button>
        }
      />
      <ListFilters
        search={{
          label: 'Search models',
          placeholder: 'Id, name or maker',
          value: q,
          onSearch: (text) => setState({ q: text }),
        }}
        choice={{
          label: 'Kind',
          all: 'All kinds',
          options: MODEL_KINDS,
          value: kind,
          onChange: (chosen) => setState({ kind: chosen }),
        }}
      />
      <Panel isFlush>
        <DataTable
          label="Models"
          list={list}
          columns={columnsOf(routes.data?.data)}
          rowKey={({ id }) => id}
          rowLink={({ id }) => ({ to: '/operator/models/$id', params: { id } })}
          empty={<Nothing isNarrowed={q !== '' || kind !== ''} onAdd={() => setState({ do: 'create' })} />}
        />
      </Panel>
      {doing === 'create' && (
        <ModelForm
          model={null}
          onClose={() => setState({ do: '' })}
          onSaved={({ id }) =>
            void navigate({ to: '/operator/models/$id', params: { id }, search: { do: 'route' } })
          }
        />
      )}
    </>
  )
}

function columnsOf(routes: readonly Route[] | undefined): readonly Column<CatalogModel>[] {
  const routesOf = (id: string) => (routes ?? []).filter(({ model }) => model === id)
  const priceOf = (id: string) => cheapestRoute(routesOf(id))?.price ?? null
  return [
    { head: 'Model', cell: (model) => <Name model={model} /> },
    {
      head: 'State',
      cell: ({ id }) => routes !== undefined && <State routes={routesOf(id)} />,
    },
    { head: 'Kinds', from: 'md', cell: ({ kinds }) => kinds.join(', ') },
    { head: 'Routes', isNumeric: true, from: 'sm', cell: ({ id }) => routes && routesOf(id).length },
    {
      head: 'Input, per million',
      isNumeric: true,
      from: 'sm',
      cell: ({ id }) => <Price amount={priceOf(id)?.input} />,
    },
    {
      head: 'Output, per million',
      isNumeric: true,
      from: 'sm',
      cell: ({ id }) => <Price amount={priceOf(id)?.output} />,
    },
  ]
}

function Price({ amount }: { readonly amount: string | undefined }) {
  return amount === undefined ? '–' : <Money amount={amount} isBare />
}

function Name({ model: { id, display_name } }: { readonly model: CatalogModel }) {
  return (
    <span className="two-lines">
      {display_name}
      <Text span size="xs" c="dimmed" fw={400} className="mono">
        {id}
      </Text>
    </span>
  )
}

function State({ routes }: { readonly routes: readonly Route[] }) {
  const usable = usableRoutes(routes).length
  if (usable > 0) return <StatusBadge state="Routed" tone="good" />
  return <StatusBadge state={routes.length === 0 ? 'No route' : 'Not routable'} tone="warning" />
}

function Nothing({ isNarrowed, onAdd }: { readonly isNarrowed: boolean; readonly onAdd: () => void }) {
  if (isNarrowed) {
    return (
      <EmptyState icon={IconSearchOff} title="No model matches">
        Ids, names and makers are searched.
      </EmptyState>
    )
  }
  return (
    <EmptyState
      icon={IconListDetails}
      title="No model yet"
      action={<Button onClick={onAdd}>Add model</Button>}
    >
      A model is what clients ask for. Add one, then a route that says which supplier serves it and at which
      price.
    </EmptyState>
  )
}
