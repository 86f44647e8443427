import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { IconPencil, IconPlus, IconRoute } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { getQuery } from '../../api/client.ts'
import { MODELS_KEY, modelCall, useLiveRoutes } from '../../api/operator.ts'
import type { CatalogModel, Route } from '../../api/wire.ts'
import { useUrlState } from '../../app/url-state.ts'
import { describeLimit } from '../../parts/forms/rate-fields.tsx'
import { DetailPage } from '../../parts/layout/detail-page.tsx'
import { PageHeader } from '../../parts/layout/page-header.tsx'
import { Panel } from '../../parts/layout/panel.tsx'
import { StatusBadge } from '../../parts/layout/status-badge.tsx'
import { describeKind } from '../../parts/models/supply-words.ts'
import { hasMoreRates, PriceDetails, UnitAmount } from '../../parts/prices/price-details.tsx'
import { unitPriceOf } from '../../parts/prices/price-words.ts'
import { wholeList } from '../../parts/tables/lists.ts'
import { type Column, TablePanel, TwoLines } from '../../parts/tables/table-panel.tsx'
import { CodeBlock } from '../../parts/text/code-block.tsx'
import { CopyButton } from '../../parts/text/copy-button.tsx'
import { CURRENCY } from '../../parts/text/currency.ts'
import { formatNumber } from '../../parts/text/format.ts'
import { Amount } from '../../parts/text/money.tsx'
import { TimeStamp } from '../../parts/text/time-stamp.tsx'
import { ModelForm } from '../operator-models/model-form.tsx'
import { RouteForm } from './route-form.tsx'

const BACK = { to: '/operator/models', label: 'Models and prices' } as const

export function Page() {
  const { id = '' } = useParams({ strict: false })
  const model = useQuery(getQuery<CatalogModel>([...MODELS_KEY, id], modelCall(id)))
  return (
    <DetailPage query={model} title={id} back={BACK}>
      {(data) => <Model model={data} />}
    </DetailPage>
  )
}

function Model({ model }: { readonly model: CatalogModel }) {
  const [{ do: doing, route }, setState] = useUrlState({ do: '', route: '' })
  const routes = useLiveRoutes()
  const own = routes.data?.data
    .filter((one) => one.model === model.id)
    .toSorted((one, other) => one.priority - other.priority)
  const edited = own?.find(({ supplier }) => supplier === route)
  const close = () => setState({ do: '', route: '' })
  return (
    <>
      <PageHeader
        title={model.display_name}
        description={
          <Group gap={4}>
            <span className="mono">{model.id}</span>
            <CopyButton value={model.id} what="the model's id" />
          </Group>
        }
        back={BACK}
        actions={
          <Button
            variant="default"
            leftSection={<IconPencil size={16} aria-hidden />}
            onClick={() => setState({ do: 'edit' })}
          >
            Edit model
          </Button>
        }
      />
      <Stack gap="lg">
        <Routes
          routes={own}
          error={routes.error}
          onAdd={() => setState({ do: 'route' })}
          onEdit={(supplier) => setState({ route: supplier })}
        />
        <PricesInFull routes={own ?? []} />
        <Details model={model} />
        {Object.keys(model.capabilities).length > 0 && (
          <Panel title="Capabilities" description="How the model differs from the defaults.">
            <CodeBlock
              code={JSON.stringify(model.capabilities, null, 2)}
              title="Capabilities"
              maxHeight={320}
            />
          </Panel>
        )}
      </Stack>
      {doing === 'edit' && <ModelForm model={model} onClose={close} />}
      {doing === 'route' && <RouteForm model={model} routes={own ?? []} route={null} onClose={close} />}
      {edited !== undefined && <RouteForm model={model} routes={own ?? []} route={edited} onClose={close} />}
    </>
  )
}

const ROUTE_COLUMNS: readonly Column<Route>[] = [
  {
    head: 'Supplier',
    cell: (route) => (
      <>
        <TwoLines below={route.upstream_model === route.model ? null : `as ${route.upstream_model}`}>
          {route.supplier}
        </TwoLines>
        <Group gap={6} mt={4} hiddenFrom="sm">
          <State route={route} />
          <Text size="xs" c="dimmed" fw={400}>
            Priority {route.priority}
          </Text>
        </Group>
      </>
    ),
  },
  { head: 'State', from: 'sm', cell: (route) => <State route={route} /> },
  { head: 'Priority', isNumeric: true, from: 'sm', cell: ({ priority }) => priority },
  { head: 'Input', isNumeric: true, cell: ({ price }) => <TokenAmount price={price} side="input" /> },
  { head: 'Output', isNumeric: true, cell: ({ price }) => <TokenAmount price={price} side="output" /> },
  {
    head: 'Cache read',
    isNumeric: true,
    from: 'sm',
    cell: ({ price }) => <Amount amount={price?.cache_read} />,
  },
  {
    head: 'Cache write',
    isNumeric: true,
    from: 'md',
    cell: ({ price }) => <Amount amount={price?.cache_write} />,
  },
  { head: 'Image', isNumeric: true, from: 'md', cell: ({ price }) => <Amount amount={price?.image} /> },
  { head: 'Requests a minute', isNumeric: true, from: 'lg', cell: ({ rpm }) => describeLimit(rpm) },
  { head: 'Tokens a minute', isNumeric: true, from: 'lg', cell: ({ tpm }) => describeLimit(tpm) },
]

interface TokenAmountProps {
  readonly price: Route['price']
  readonly side: 'input' | 'output'
}

/** The price of a model that is not sold by tokens stands in the last column of token prices. */
function TokenAmount({ price, side }: TokenAmountProps) {
  const unit = price === null ? null : unitPriceOf(price)
  if (unit === null) return <Amount amount={price?.[side]} />
  return side === 'input' ? '–' : <UnitAmount price={unit} />
}

interface RoutesProps {
  readonly routes: readonly Route[] | undefined
  readonly error: Error | null
  readonly onAdd: () => void
  readonly onEdit: (supplier: string) => void
}

function Routes({ routes, error, onAdd, onEdit }: RoutesProps) {
  return (
    <TablePanel
      title="Routes and prices"
      label="Routes"
      description={`${CURRENCY} per million tokens where no other unit is named. The route with the lowest priority number is tried first. Open a route to change it.`}
      actions={
        <Button size="sm" leftSection={<IconPlus size={16} aria-hidden />} onClick={onAdd}>
          Add route
        </Button>
      }
      list={wholeList(routes, error)}
      columns={ROUTE_COLUMNS}
      rowKey={({ supplier }) => supplier}
      onOpen={({ supplier }) => onEdit(supplier)}
      empty={{
        icon: IconRoute,
        title: 'No routes yet',
        action: <Button onClick={onAdd}>Add route</Button>,
        children:
          'A route sets a supplier, the model’s name at that supplier and a price. Clients see the model once it has a route.',
      }}
    />
  )
}

/** Prices of which the table shows only a part. */
function PricesInFull({ routes }: { readonly routes: readonly Route[] }) {
  return routes.map(({ supplier, price, cost, price_source: source }) => {
    const isWhole = cost === null && (price === null || !hasMoreRates(price))
    if (isWhole && source === 'manual') return null
    return (
      <Panel
        key={supplier}
        title={`Price by ${supplier}`}
        description={`${CURRENCY} per million tokens, unless it says otherwise. ${SOURCES[source]}`}
      >
        {price !== null && <PriceDetails price={price} />}
        {cost !== null && (
          <>
            <Title order={3} size="h6" mt="lg" mb={8}>
              What the supplier charges
            </Title>
            <PriceDetails price={cost} />
          </>
        )}
      </Panel>
    )
  })
}

const SOURCES: Readonly<Record<Route['price_source'], string>> = {
  manual: 'It is changed only by hand.',
  catalog: 'It follows the catalog when its prices are applied.',
}

function State({ route }: { readonly route: Route }) {
  if (!route.enabled) return <StatusBadge state="disabled" />
  if (route.unpriced) return <StatusBadge state="No price" tone="warning" />
  if (!route.credentials.some(({ state }) => state === 'active')) {
    return <StatusBadge state="No credential" tone="bad" />
  }
  const isFailing = route.credentials.every(({ circuit }) => circuit === 'open')
  return <StatusBadge state={isFailing ? 'Failing' : 'In use'} tone={isFailing ? 'bad' : 'good'} />
}

function Details({ model }: { readonly model: CatalogModel }) {
  return (
    <Panel
      title="Model"
      facts={[
        { label: 'Made by', value: model.owned_by },
        { label: 'Kinds', value: model.kinds.map(describeKind).join(', ') },
        { label: 'Maximum input tokens', value: tokens(model.input_token_limit) },
        { label: 'Maximum output tokens', value: tokens(model.output_token_limit) },
        { label: 'Requests a minute, all callers', value: describeLimit(model.rpm) },
        { label: 'Tokens a minute, all callers', value: describeLimit(model.tpm) },
        { label: 'Description', value: model.description || 'None' },
        { label: 'Added', value: <TimeStamp at={model.created_at} as="date" /> },
      ]}
    />
  )
}

function tokens(limit: number | null): string {
  return limit === null ? 'Unknown' : formatNumber(limit)
}
