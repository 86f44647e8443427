import { Button, Text } from '@mantine/core'
import { IconPlus, IconRoute } from '@tabler/icons-react'
import type { Route } from '../../api/wire.ts'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Money } from '../../parts/money.tsx'
import { Panel } from '../../parts/panel.tsx'
import { describeLimit } from '../../parts/read-count.ts'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { wholeList } from '../../parts/whole-list.ts'

const COLUMNS: readonly Column<Route>[] = [
  { head: 'Supplier', cell: (route) => <Name route={route} /> },
  { head: 'State', cell: (route) => <State route={route} /> },
  { head: 'Priority', isNumeric: true, from: 'sm', cell: ({ priority }) => priority },
  { head: 'Input', isNumeric: true, cell: ({ price }) => <Amount amount={price?.input} /> },
  { head: 'Output', isNumeric: true, cell: ({ price }) => <Amount amount={price?.output} /> },
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
  { head: 'Picture', isNumeric: true, from: 'md', cell: ({ price }) => <Amount amount={price?.image} /> },
  { head: 'Requests a minute', isNumeric: true, from: 'lg', cell: ({ rpm }) => describeLimit(rpm) },
  { head: 'Tokens a minute', isNumeric: true, from: 'lg', cell: ({ tpm }) => describeLimit(tpm) },
]

interface RoutesProps {
  readonly routes: readonly Route[] | undefined
  readonly error: Error | null
  readonly onAdd: () => void
  readonly onEdit: (supplier: string) => void
}

export function Routes({ routes, error, onAdd, onEdit }: RoutesProps) {
  return (
    <Panel
      title="Routes and prices"
      description="USDT per million tokens, and per picture. Lower priorities are tried first; open a route to change it."
      actions={
        <Button size="sm" leftSection={<IconPlus size={16} aria-hidden />} onClick={onAdd}>
          Add route
        </Button>
      }
      isFlush
    >
      <DataTable
        label="Routes"
        list={wholeList(routes, error)}
        columns={COLUMNS}
        rowKey={({ supplier }) => supplier}
        onOpen={({ supplier }) => onEdit(supplier)}
        empty={
          <EmptyState
            icon={IconRoute}
            title="Nobody serves this model"
            action={<Button onClick={onAdd}>Add route</Button>}
          >
            A route names a supplier, the model’s name there and a price. Until there is one, clients do not
            see the model.
          </EmptyState>
        }
      />
    </Panel>
  )
}

function Amount({ amount }: { readonly amount: string | undefined }) {
  return amount === undefined ? '–' : <Money amount={amount} isBare />
}

function Name({ route: { supplier, upstream_model, model } }: { readonly route: Route }) {
  return (
    <span className="two-lines">
      {supplier}
      {upstream_model !== model && (
        <Text span size="xs" c="dimmed" fw={400}>
          as {upstream_model}
        </Text>
      )}
    </span>
  )
}

function State({ route }: { readonly route: Route }) {
  if (!route.enabled) return <StatusBadge state="disabled" />
  if (route.price === null) return <StatusBadge state="No price" tone="warning" />
  if (!route.credentials.some(({ state }) => state === 'active')) {
    return <StatusBadge state="No credential" tone="bad" />
  }
  const isFailing = route.credentials.every(({ circuit }) => circuit === 'open')
  return <StatusBadge state={isFailing ? 'Failing' : 'In use'} tone={isFailing ? 'bad' : 'good'} />
}
