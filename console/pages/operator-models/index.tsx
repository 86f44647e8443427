import { Button, Group, Text } from '@mantine/core'
import { IconListDetails, IconPlus, IconSearchOff } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { MODEL_KINDS } from '../../../src/vocabulary/words.ts'
import { MODELS_KEY, OPERATOR, useLiveRoutes } from '../../api/operator.ts'
import { useList } from '../../api/use-list.ts'
import type { CatalogModel, Route } from '../../api/wire.ts'
import { useUrlState } from '../../app/url-state.ts'
import { PageHeader } from '../../parts/layout/page-header.tsx'
import { StatusBadge } from '../../parts/layout/status-badge.tsx'
import { describeKind, hasOutput } from '../../parts/models/supply-words.ts'
import { UnitAmount } from '../../parts/prices/price-details.tsx'
import { unitPriceOf } from '../../parts/prices/price-words.ts'
import { ListFilters } from '../../parts/tables/list-filters.tsx'
import { type Column, TablePanel, TwoLines } from '../../parts/tables/table-panel.tsx'
import { CURRENCY } from '../../parts/text/currency.ts'
import { formatMoney } from '../../parts/text/format.ts'
import { Amount } from '../../parts/text/money.tsx'
import { ModelForm } from './model-form.tsx'

export function Page() {
  const [state, setState] = useUrlState({ q: '', kind: '', sort: '', do: '' })
  const { q, kind, sort, do: doing } = state
  const navigate = useNavigate()
  const query = { search: q.trim(), kind, sort }
  const models = useList<CatalogModel>([...MODELS_KEY, 'paged'], `${OPERATOR}/models`, query)
  const routes = useLiveRoutes()
  const add = () => setState({ do: 'create' })
  return (
    <>
      <PageHeader
        title="Models and prices"
        description="The models customers can use, with their suppliers and prices."
        actions={
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={add}>
            Add model
          </Button>
        }
      />
      <ListFilters
        state={state}
        onChange={setState}
        label="Search models"
        placeholder="Id, name or maker"
        choice={{ name: 'kind', label: 'Kind', all: 'All kinds', options: KINDS }}
      />
      <TablePanel
        label="Models"
        list={models}
        sorting={{ sort, onSort: (wanted) => setState({ sort: wanted }) }}
        columns={columnsOf(routes.data?.data)}
        rowLink={({ id }) => ({ to: '/operator/models/$id', params: { id } })}
        empty={
          q !== '' || kind !== ''
            ? NO_MATCH
            : { ...NONE, action: { label: 'Add model', onClick: add, isMain: true } }
        }
      />
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

const KINDS = MODEL_KINDS.map((value) => ({ value, label: describeKind(value) }))

const NONE = {
  icon: IconListDetails,
  title: 'No models yet',
  children: 'Clients request models by id. Add a model, then a route with its supplier and price.',
}

const NO_MATCH = {
  icon: IconSearchOff,
  title: 'No matching models',
  children: 'The search covers ids, names and makers.',
}

function columnsOf(routes: readonly Route[] | undefined): readonly Column<CatalogModel>[] {
  const routesOf = (id: string) => (routes ?? []).filter(({ model }) => model === id)
  const priceOf = (id: string) => firstRoute(routesOf(id))?.price ?? null
  const unitOf = (id: string) => {
    const price = priceOf(id)
    return price === null ? null : unitPriceOf(price)
  }
  return [
    {
      head: 'Model',
      sort: 'display_name',
      cell: ({ id, display_name, kinds }) => (
        <>
          <TwoLines below={display_name === id ? null : id} belowClass="mono">
            {display_name}
          </TwoLines>
          <Text size="xs" c="dimmed" fw={400} mt={4} hiddenFrom="sm" component="div">
            {describePrice(priceOf(id), kinds)}
          </Text>
        </>
      ),
    },
    { head: 'State', cell: ({ id }) => routes !== undefined && <State routes={routesOf(id)} /> },
    { head: 'Kinds', from: 'md', cell: ({ kinds }) => kinds.map(describeKind).join(', ') },
    { head: 'Routes', isNumeric: true, from: 'sm', cell: ({ id }) => routes && routesOf(id).length },
    {
      head: `Input, ${CURRENCY} per million`,
      isNumeric: true,
      from: 'sm',
      cell: ({ id }) => (unitOf(id) === null ? <Amount amount={priceOf(id)?.input} /> : '–'),
    },
    {
      head: `Output, ${CURRENCY} per million`,
      isNumeric: true,
      from: 'sm',
      cell: ({ id, kinds }) => {
        const unit = unitOf(id)
        if (unit === null && !hasOutput(kinds)) return '–'
        return unit === null ? <Amount amount={priceOf(id)?.output} /> : <UnitAmount price={unit} />
      },
    },
  ]
}

function State({ routes }: { readonly routes: readonly Route[] }) {
  const unpriced = routes.filter((route) => route.unpriced).length
  return (
    <Group gap={6}>
      <Routing routes={routes} />
      {unpriced > 0 && (
        <StatusBadge
          state={unpriced === routes.length ? 'No price' : `${unpriced} without price`}
          tone="warning"
        />
      )}
    </Group>
  )
}

function Routing({ routes }: { readonly routes: readonly Route[] }) {
  if (usableRoutes(routes).length > 0) return <StatusBadge state="Available" tone="good" />
  return <StatusBadge state={routes.length === 0 ? 'No supplier' : 'Unavailable'} tone="warning" />
}

/** Routes a request can take: enabled, with a price or an account's own, and with an active credential. */
function usableRoutes(routes: readonly Route[]): readonly Route[] {
  return routes.filter(
    ({ enabled, unpriced, credentials }) =>
      enabled && !unpriced && credentials.some(({ state }) => state === 'active'),
  )
}

/** The route that is tried first, whose price most requests have. */
function firstRoute(routes: readonly Route[]): Route | null {
  const priced = usableRoutes(routes).filter(({ price }) => price !== null)
  return priced.reduce<Route | null>(
    (first, route) => (first === null || route.priority < first.priority ? route : first),
    null,
  )
}

/** For a phone, where the columns of prices do not fit. */
function describePrice(price: Route['price'], kinds: CatalogModel['kinds']): string {
  if (price === null) return ''
  const unit = unitPriceOf(price)
  if (unit !== null) return `${formatMoney(unit.amount)} ${CURRENCY} per ${unit.unit}`
  const output = hasOutput(kinds) ? `, ${formatMoney(price.output)} out` : ''
  return `${formatMoney(price.input)} in${output}, ${CURRENCY} per million tokens`
}
