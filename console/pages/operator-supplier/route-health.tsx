import { Text } from '@mantine/core'
import { IconRoute } from '@tabler/icons-react'
import type { CredentialStanding, Route } from '../../api/wire.ts'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { formatDuration, formatShare } from '../../parts/format.ts'
import { Panel } from '../../parts/panel.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { wholeList } from '../../parts/whole-list.ts'
import { CircuitBadge } from './circuit-badge.tsx'

interface Row {
  readonly route: Route
  readonly standing: CredentialStanding | null
}

const COLUMNS: readonly Column<Row>[] = [
  { head: 'Model', cell: ({ route }) => <Name route={route} /> },
  { head: 'Credential', from: 'sm', cell: ({ standing }) => standing?.label ?? standing?.id ?? '–' },
  { head: 'Circuit', cell: (row) => <Circuit row={row} /> },
  {
    head: 'First byte',
    isNumeric: true,
    from: 'sm',
    cell: ({ standing }) =>
      standing === null || standing.latency_ms === null ? '–' : formatDuration(standing.latency_ms),
  },
  {
    head: 'Success',
    isNumeric: true,
    cell: ({ standing }) => (standing === null ? '–' : formatShare(standing.success_rate)),
  },
]

interface RouteHealthProps {
  readonly routes: readonly Route[] | undefined
  readonly error: Error | null
}

/** Every route of a supplier with each of its credentials. */
export function RouteHealth({ routes, error }: RouteHealthProps) {
  return (
    <Panel
      title="Routes"
      description="How each model has been doing lately, credential by credential."
      isFlush
    >
      <DataTable
        label="Routes of this supplier"
        list={wholeList(routes && rowsOf(routes), error)}
        columns={COLUMNS}
        rowKey={({ route, standing }) => `${route.model} ${standing?.id ?? ''}`}
        rowLink={({ route }) => ({ to: '/operator/models/$id', params: { id: route.model } })}
        empty={
          <EmptyState icon={IconRoute} title="No model is routed here">
            Open a model under “Models and prices” and add a route to this supplier, with a price.
          </EmptyState>
        }
      />
    </Panel>
  )
}

function rowsOf(routes: readonly Route[]): readonly Row[] {
  return routes.flatMap((route): Row[] =>
    route.credentials.length === 0
      ? [{ route, standing: null }]
      : route.credentials.map((standing) => ({ route, standing })),
  )
}

function Name({ route: { model, upstream_model } }: { readonly route: Route }) {
  return (
    <span className="two-lines">
      {model}
      {upstream_model !== model && (
        <Text span size="xs" c="dimmed" fw={400}>
          as {upstream_model}
        </Text>
      )}
    </span>
  )
}

function Circuit({ row: { route, standing } }: { readonly row: Row }) {
  if (!route.enabled) return <StatusBadge state="Route disabled" tone="neutral" />
  if (route.price === null) return <StatusBadge state="No price" tone="warning" />
  if (standing === null) return <StatusBadge state="No credential" tone="bad" />
  if (standing.state === 'disabled') return <StatusBadge state="disabled" />
  const { circuit, opens_again_at, cooling_until } = standing
  return (
    <CircuitBadge
      health={{ circuit, opensAgainAt: opens_again_at, coolingUntil: cooling_until }}
      isWaiting={false}
    />
  )
}
