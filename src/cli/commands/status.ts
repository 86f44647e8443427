import type { Shown } from '../../vocabulary/shape.ts'
import type { RouteState } from '../../vocabulary/supply.ts'
import type { SystemStatus } from '../../vocabulary/system.ts'
import { singleAction } from '../action-group.ts'
import { DONE, FAILED } from '../command.ts'
import { gatewayAddressOf } from '../gateway-address.ts'
import { callEndpoint, readList } from '../operator-action.ts'
import { type Cell, layOut, megabytes, writeJson } from '../print-table.ts'

type System = Shown<typeof SystemStatus>
type Row = Readonly<Record<string, Cell>>

type Route = Shown<typeof RouteState>

const MOST_ROUTES = 2_000

/** The gateway on one screen. Nothing is called that costs money: `doctor` calls the suppliers. */
export const createStatusCommand = singleAction('status', {
  summary: 'address, version, uptime, nodes, suppliers and waiting settlements of a running gateway',
  examples: ['turnpike status', 'turnpike status --json'],
  run: async ({ environment, client, terminal, asJson }) => {
    const address = gatewayAddressOf(environment)
    const all = { limit: MOST_ROUTES }
    const [system, suppliers, routes] = await Promise.all([
      callEndpoint(client, 'showSystem'),
      readList(client, 'listSuppliers', all),
      readList(client, 'listRoutes', all),
    ])
    const listed = suppliers.items.map(({ id, enabled }) => {
      return { supplier: id, enabled, ...healthOf(routes.items.filter(({ supplier }) => supplier === id)) }
    })
    const trouble = troubleOf(system)
    const facts = { address, trouble, system, suppliers: listed }
    if (asJson) terminal.print(writeJson(facts))
    else {
      terminal.print(
        table(Object.entries(describe(address, system)).map(([what, value]) => ({ what, value }))),
      )
      terminal.print(`\n${table(system.nodes.map(describeNode))}`)
      if (listed.length > 0) terminal.print(`\n${table(listed.map(spaceNames))}`)
      terminal.print(`\n${trouble.length === 0 ? 'All is well.' : trouble.join('\n')}\n`)
    }
    return trouble.length === 0 ? DONE : FAILED
  },
})

/** What requests have told of a supplier lately. */
function healthOf(routes: readonly Route[]) {
  const standings = routes.flatMap(({ credentials }) => credentials)
  const latencies = standings.flatMap(({ latency_ms }) => (latency_ms === null ? [] : [latency_ms]))
  return {
    routes: routes.length,
    open_circuits: standings.filter(({ circuit }) => circuit === 'open').length,
    cooling: standings.filter(({ cooling_until }) => cooling_until !== null).length,
    lowest_success_rate:
      standings.length === 0 ? null : Math.min(...standings.map((each) => each.success_rate)),
    slowest_first_byte_ms: latencies.length === 0 ? null : Math.max(...latencies),
  }
}

function describe(
  address: string,
  { version, uptime_seconds, database, journal, redis, ...system }: System,
): Row {
  return {
    address,
    version,
    uptime: duration(uptime_seconds),
    database: `${database.engine}, ${database.size_bytes === null ? 'size unknown' : megabytes(database.size_bytes)}`,
    redis: redis && `${redis.mode}, limits ${redis.state}`,
    'waiting settlements': journal.waiting,
    streams: system.streams,
    memory: megabytes(system.memory_bytes),
  }
}

function describeNode({ name, version, started_at, last_heard_at, is_this }: System['nodes'][number]): Row {
  return {
    node: is_this ? `${name} (this)` : name,
    version,
    started: started_at,
    'last heard': last_heard_at,
  }
}

function troubleOf({ database, journal, redis }: System): string[] {
  const said: (string | null)[] = [
    database.reachable ? null : 'The database does not answer.',
    journal.refusal,
    redis === null || redis.reachable ? null : 'Redis does not answer.',
  ]
  return said.filter((line) => line !== null)
}

function spaceNames(row: Row): Row {
  return Object.fromEntries(Object.entries(row).map(([name, cell]) => [name.replaceAll('_', ' '), cell]))
}

function table(rows: readonly Row[]): string {
  const titles = Object.keys(rows[0] ?? {})
  return layOut(
    rows,
    titles.map((title) => ({ title, cell: (row: Row) => row[title] })),
  )
}

const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const

/** `2 d 3 h`: the two largest units. */
export function duration(seconds: number): string {
  let rest = Math.floor(seconds)
  const parts: string[] = []
  for (const [unit, size] of UNITS) {
    const count = Math.floor(rest / size)
    rest -= count * size
    if (count > 0) parts.push(`${count} ${unit}`)
  }
  return parts.slice(0, 2).join(' ') || '0 s'
}
