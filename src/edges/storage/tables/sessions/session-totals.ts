import type { SessionTotals } from '../../../../vocabulary/observability/client-session.ts'
import { SessionTotals as Totals } from '../../../../vocabulary/observability/client-session.ts'
import type { Settlement } from '../../../../vocabulary/settlement.ts'
import type { Database, Parameter } from '../../engines/database.ts'
import { queryOn } from '../../query.ts'
import { insertRows, planInsert } from '../../statements.ts'

const SUMS = ['requests', 'errors', 'input_tokens', 'output_tokens', 'amount_nano', 'cost_nano'] as const

const ADD_TOTALS = planInsert({
  table: 'client_sessions',
  columns: Totals.columns,
  ending: `on conflict (id) do update set
    ${SUMS.map((column) => `${column} = client_sessions.${column} + excluded.${column}`).join(', ')},
    first_at_ms = case when client_sessions.first_at_ms < excluded.first_at_ms
      then client_sessions.first_at_ms else excluded.first_at_ms end,
    last_at_ms = case when client_sessions.last_at_ms > excluded.last_at_ms
      then client_sessions.last_at_ms else excluded.last_at_ms end`,
})

const ADD_NAMES = planInsert({
  table: 'client_session_names',
  columns: ['session_id', 'kind', 'name'],
  ending: 'on conflict (session_id, kind, name) do nothing',
})

/** Counts settlements that were written in the same transaction. */
export async function addToSessions(tx: Database, settlements: readonly Settlement[]): Promise<void> {
  const named = settlements.filter(({ session }) => session !== null)
  if (named.length === 0) return
  await insertRows(tx, ADD_TOTALS, encodeTotals(sumSessions(named)))
  await insertRows(tx, ADD_NAMES, namesOf(named))
}

/** Subtracts settlements that are removed in the same transaction. Its times and names stay. */
export async function takeFromSessions(tx: Database, settlements: readonly Settlement[]): Promise<void> {
  const named = settlements.filter(({ session }) => session !== null)
  if (named.length === 0) return
  const totals = sumSessions(named)
  const negative = totals.map((total) => ({
    ...total,
    requests: -total.requests,
    errors: -total.errors,
    inputTokens: -total.inputTokens,
    outputTokens: -total.outputTokens,
    amountNano: -total.amountNano,
    costNano: -total.costNano,
  }))
  await insertRows(tx, ADD_TOTALS, encodeTotals(negative))
}

/** Two nodes that write the same sessions do it in the same order, so that they cannot deadlock. */
function encodeTotals(totals: readonly SessionTotals[]): Parameter[][] {
  const ordered = totals.toSorted((one, other) => (one.id < other.id ? -1 : 1))
  return ordered.map((total) => Object.values(Totals.toRow(total)))
}

function idOf({ accountId, keyId, session }: Settlement): string {
  return `${accountId} ${keyId} ${session}`
}

function sumSessions(settlements: readonly Settlement[]): SessionTotals[] {
  const totals = new Map<string, SessionTotals>()
  for (const settlement of settlements) {
    const own = totalOf(settlement)
    const known = totals.get(own.id)
    totals.set(own.id, known === undefined ? own : join(known, own))
  }
  return [...totals.values()]
}

function totalOf(settlement: Settlement): SessionTotals {
  const { session, accountId, keyId, outcome, usage, amountNano, costNano } = settlement
  const atMs = Math.round(settlement.startedAtMs)
  return {
    id: idOf(settlement),
    session: session ?? '',
    accountId,
    keyId,
    firstAtMs: atMs,
    lastAtMs: atMs,
    requests: 1,
    errors: outcome === 'completed' || outcome === 'client_left' ? 0 : 1,
    inputTokens: usage.input + usage.cacheRead + usage.cacheWrite,
    outputTokens: usage.output,
    amountNano,
    costNano,
  }
}

function join(one: SessionTotals, other: SessionTotals): SessionTotals {
  return {
    ...one,
    firstAtMs: Math.min(one.firstAtMs, other.firstAtMs),
    lastAtMs: Math.max(one.lastAtMs, other.lastAtMs),
    requests: one.requests + other.requests,
    errors: one.errors + other.errors,
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    amountNano: one.amountNano + other.amountNano,
    costNano: one.costNano + other.costNano,
  }
}

function namesOf(settlements: readonly Settlement[]): Parameter[][] {
  const names = new Map<string, Parameter[]>()
  const add = (...row: string[]) => names.set(row.join('\n'), row)
  for (const settlement of settlements) {
    const id = idOf(settlement)
    add(id, 'model', settlement.model)
    if (settlement.agent !== null) add(id, 'agent', settlement.agent)
  }
  return [...names].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row)
}

/** Deletes up to so many sessions whose last request started before this. */
export async function deleteSessions(tx: Database, beforeMs: number, atMost: number): Promise<void> {
  const deleted = await queryOn(tx)
    .deleteFrom('client_sessions')
    .where('id', 'in', (oldest) =>
      oldest
        .selectFrom('client_sessions')
        .select('id')
        .where('last_at_ms', '<', BigInt(beforeMs))
        .orderBy('last_at_ms')
        .limit(BigInt(atMost)),
    )
    .returning('id')
    .execute()
  if (deleted.length === 0) return
  const ids = deleted.map(({ id }) => id)
  await queryOn(tx).deleteFrom('client_session_names').where('session_id', 'in', ids).execute()
}
