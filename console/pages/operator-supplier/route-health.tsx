import { Tooltip } from '@mantine/core'
import { IconRoute } from '@tabler/icons-react'
import type { CredentialStanding, Route } from '../../api/wire.ts'
import { StatusBadge, type Tone } from '../../parts/layout/status-badge.tsx'
import { wholeList } from '../../parts/tables/lists.ts'
import { type Column, TablePanel, TwoLines } from '../../parts/tables/table-panel.tsx'
import { formatDuration, formatRelative, formatShare } from '../../parts/text/format.ts'
import type { CredentialHealth } from '../operator-suppliers/health.ts'

interface Row {
  readonly route: Route
  readonly standing: CredentialStanding | null
}

const COLUMNS: readonly Column<Row>[] = [
  {
    head: 'Model',
    cell: ({ route: { model, upstream_model: name } }) => (
      <TwoLines below={name === model ? null : `as ${name}`}>{model}</TwoLines>
    ),
  },
  { head: 'Credential', from: 'sm', cell: ({ standing }) => standing?.label ?? standing?.id ?? '–' },
  { head: 'Health', cell: (row) => <Circuit row={row} /> },
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
    // Without an answer so far, there is nothing to take a share of.
    cell: ({ standing }) =>
      standing === null || (standing.latency_ms === null && standing.success_rate === 1)
        ? '–'
        : formatShare(standing.success_rate),
  },
]

interface RouteHealthProps {
  readonly routes: readonly Route[] | undefined
  readonly error: Error | null
}

/** Each route of a supplier with each of its credentials. */
export function RouteHealth({ routes, error }: RouteHealthProps) {
  return (
    <TablePanel
      title="Routes"
      label="Routes of this supplier"
      description="Recent health of each model, by credential."
      list={wholeList(routes && rowsOf(routes), error)}
      columns={COLUMNS}
      rowKey={({ route, standing }) => `${route.model} ${standing?.id ?? ''}`}
      rowLink={({ route }) => ({ to: '/operator/models/$id', params: { id: route.model } })}
      empty={{
        icon: IconRoute,
        title: 'No routes yet',
        children: 'Open a model under “Models and prices” and add a route to this supplier, with a price.',
      }}
    />
  )
}

function rowsOf(routes: readonly Route[]): readonly Row[] {
  return routes.flatMap((route): Row[] =>
    route.credentials.length === 0
      ? [{ route, standing: null }]
      : route.credentials.map((standing) => ({ route, standing })),
  )
}

function Circuit({ row: { route, standing } }: { readonly row: Row }) {
  if (!route.enabled) return <StatusBadge state="Route disabled" tone="neutral" />
  if (route.unpriced) return <StatusBadge state="No price" tone="warning" />
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

const WORDS = {
  closed: { tone: 'good', label: 'Healthy', hint: 'Requests succeed and are routed as usual.' },
  'half-open': {
    tone: 'warning',
    label: 'Probing',
    hint: 'It failed. A single request now checks whether it works again.',
  },
  open: { tone: 'bad', label: 'Paused', hint: 'It failed repeatedly and gets no requests for a while.' },
} as const

interface CircuitBadgeProps {
  readonly health: Pick<CredentialHealth, 'circuit' | 'opensAgainAt' | 'coolingUntil'> | null
  readonly isWaiting: boolean
}

/** Whether a credential gets requests now, and if not, when it does again. */
export function CircuitBadge({ health, isWaiting }: CircuitBadgeProps) {
  if (health === null) return isWaiting ? null : <StatusBadge state="No route" tone="neutral" />
  const nowMs = Date.now()
  const { circuit, coolingUntil, opensAgainAt } = health
  if (coolingUntil !== null && Date.parse(coolingUntil) > nowMs) {
    return (
      <Explained
        hint={`The supplier asked for a pause, which ends ${formatRelative(coolingUntil, nowMs)}.`}
        label={`Cooling, ${secondsUntil(coolingUntil, nowMs)}`}
        tone="warning"
      />
    )
  }
  const { tone, label, hint } = WORDS[circuit]
  const wait = circuit === 'open' && opensAgainAt !== null ? `, ${secondsUntil(opensAgainAt, nowMs)}` : ''
  return <Explained hint={hint} label={`${label}${wait}`} tone={tone} />
}

interface ExplainedProps {
  readonly hint: string
  readonly label: string
  readonly tone: Tone
}

function Explained({ hint, label, tone }: ExplainedProps) {
  return (
    <Tooltip label={hint}>
      <span>
        <StatusBadge state={label} tone={tone} />
      </span>
    </Tooltip>
  )
}

function secondsUntil(at: string, nowMs: number): string {
  return `${Math.max(Math.ceil((Date.parse(at) - nowMs) / 1_000), 0)} s`
}
