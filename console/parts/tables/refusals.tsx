import { Code, Group, Stack, Text } from '@mantine/core'
import { IconCircleCheck } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { type Query, readPages } from '../../api/client.ts'
import { type List, useList } from '../../api/use-list.ts'
import type { Refusal, RefusalTotal } from '../../api/wire.ts'
import { formatNumber } from '../text/format.ts'
import { TimeStamp } from '../text/time-stamp.tsx'
import { CutId, CutText } from './cut-text.tsx'
import { type Column, TablePanel, TwoLines } from './table-panel.tsx'

export interface RefusalsProps {
  /** Starts with the account, so that events refresh it. */
  readonly queryKey: readonly unknown[]
  /** The path of the list; the counts are below it. */
  readonly path: string
  readonly filters: Query
  readonly filterBar: ReactNode
  /** Whose request it was, and the head of its column. */
  readonly ownerHead: string
  readonly ownerOf: (refusal: Refusal) => string
}

/** Refused requests: how many there were of each kind in the last day, and the last ones. */
export function Refusals({ queryKey, path, filters, filterBar, ownerHead, ownerOf }: RefusalsProps) {
  const startMs = dayStartMs(Date.now())
  const from = new Date(startMs).toISOString()
  // Counts tell neither models nor ids, and are of the last day whatever the time of the list.
  const { account_id, key_id, code } = filters
  const counted = { account_id, key_id, code }
  const counts = useQuery({
    queryKey: [...queryKey, 'refusal-counts', path, counted, from],
    queryFn: ({ signal }) => {
      const query = { ...counted, span: 'hour', from, limit: LARGEST_PAGE }
      return readPages<RefusalTotal>(`${path}/counts`, { query, signal })
    },
  })
  const list = useList<Refusal>([...queryKey, 'refusals'], path, filters)
  const kinds = kindsOf(counts.data ?? [], startMs)
  const byCode: List<Kind> = {
    rows: kinds,
    error: counts.error,
    isPending: counts.isPending,
    ...NO_PAGES,
    retry: () => void counts.refetch(),
  }
  return (
    <Stack gap="lg">
      <TablePanel
        title="Refusals by code"
        description="The last 24 hours, by hour."
        filters={filterBar}
        list={byCode}
        columns={KIND_COLUMNS}
        rowKey={({ code }) => code}
        empty={NONE}
      />
      <TablePanel
        title="Last refused requests"
        description="The newest few of each key. Bodies are never kept."
        list={list}
        columns={detailColumns(ownerHead, ownerOf)}
        rowKey={({ request_id }) => request_id}
        empty={NONE}
      />
    </Stack>
  )
}

const NO_PAGES = { isOutdated: false, hasMore: false, isLoadingMore: false, loadMore: () => {} }

const NONE = {
  icon: IconCircleCheck,
  title: 'Nothing was refused',
  children: 'Requests that are refused before they reach a model appear here, with the reason.',
}

const LARGEST_PAGE = 200
const HOUR_MS = 60 * 60 * 1_000
const HOURS = 24

/** The start of the first of the last 24 hours. */
function dayStartMs(nowMs: number): number {
  return nowMs - (nowMs % HOUR_MS) - (HOURS - 1) * HOUR_MS
}

interface Kind {
  readonly code: string
  readonly count: number
  readonly lastAt: string
  /** By hour, oldest first. */
  readonly hours: readonly number[]
}

/** The most frequent first. */
function kindsOf(points: readonly RefusalTotal[], startMs: number): Kind[] {
  const kinds = [...Map.groupBy(points, ({ code }) => code)].map(([code, own]) => {
    const hours = new Array<number>(HOURS).fill(0)
    for (const { starts_at, count } of own) {
      const hour = Math.round((Date.parse(starts_at) - startMs) / HOUR_MS)
      hours[hour] = (hours[hour] ?? 0) + count
    }
    const count = own.reduce((sum, point) => sum + point.count, 0)
    const lastAt = own.map(({ last_at }) => last_at).reduce((last, at) => (at > last ? at : last))
    return { code, count, lastAt, hours }
  })
  return kinds.sort((one, other) => other.count - one.count)
}

const KIND_COLUMNS: readonly Column<Kind>[] = [
  { head: 'Code', cell: ({ code }) => <Code className="refusal-code">{code}</Code> },
  { head: 'Requests', isNumeric: true, cell: ({ count }) => formatNumber(count) },
  { head: 'By hour', from: 'sm', cell: (kind) => <HourBars {...kind} /> },
  { head: 'Last', cell: ({ lastAt }) => <TimeStamp at={lastAt} as="relative" /> },
]

const BAR_WIDTH = 5
const BAR_HEIGHT = 24

function HourBars({ code, hours }: Kind) {
  const most = Math.max(1, ...hours)
  return (
    <svg
      className="refusal-hours"
      width={HOURS * BAR_WIDTH}
      height={BAR_HEIGHT}
      role="img"
      aria-label={`${code} in each of the last ${HOURS} hours: ${hours.join(', ')}`}
    >
      {hours.map((count, hour) => {
        const height = count === 0 ? 1 : Math.max(3, (count / most) * BAR_HEIGHT)
        const place = { x: hour * BAR_WIDTH, y: BAR_HEIGHT - height, width: BAR_WIDTH - 1, height }
        return <rect key={place.x} {...place} data-empty={count === 0 || undefined} />
      })}
    </svg>
  )
}

function detailColumns(ownerHead: string, ownerOf: (refusal: Refusal) => string): readonly Column<Refusal>[] {
  return [
    {
      head: 'Reason',
      cell: (refusal) => (
        <Stack gap={2} data-request={refusal.request_id}>
          <Group gap={6}>
            <Code className="refusal-code">{refusal.code}</Code>
            <Text span size="xs" c="dimmed">
              {refusal.status}
              {refusal.param === null ? '' : ` · ${refusal.param}`}
            </Text>
          </Group>
          <Text inherit fw={400} className="refusal-message">
            {refusal.message}
          </Text>
          <Text size="xs" c="dimmed" fw={400} hiddenFrom="sm">
            <TimeStamp at={refusal.at} as="relative" /> · {ownerOf(refusal)}
          </Text>
        </Stack>
      ),
    },
    { head: 'Time', from: 'sm', cell: ({ at }) => <TimeStamp at={at} /> },
    { head: ownerHead, from: 'sm', cell: (refusal) => <CutText text={ownerOf(refusal)} width={20} /> },
    { head: 'Model', from: 'md', cell: ({ model }) => <CutText text={model ?? '–'} width={20} /> },
    {
      head: 'Request',
      from: 'lg',
      cell: ({ method, path, request_id }) => (
        <TwoLines below={<CutId id={request_id} />}>{`${method} ${path}`}</TwoLines>
      ),
    },
  ]
}
