import type { DailySpend, Listing, Page, SettlementFilter } from '../../../gateway/ports/storage.ts'
import type { Settlement } from '../../../vocabulary/settlement.ts'
import { decodeCursor, pageOf } from '../cursor.ts'
import type { Database, Parameter } from '../database.ts'
import { insertRows, planInsert } from '../statements.ts'
import { addToDailySpends, enterInLedger, type LedgerEntry } from './ledger.ts'
import {
  decodeSettlement,
  encodeSettlement,
  SETTLEMENT_COLUMNS,
  type SettlementRow,
} from './settlement-rows.ts'

const DAY_MS = 86_400_000

const INSERT_SETTLEMENTS = planInsert({
  table: 'settlements',
  columns: SETTLEMENT_COLUMNS,
  ending: 'on conflict (request_id) do nothing returning request_id',
})

const SELECT_SETTLEMENTS = `select ${SETTLEMENT_COLUMNS.join(', ')} from settlements`

/** A settlement that costs nothing has no ledger entry and adds to no spend: it moves no money. */
export async function writeSettlements(
  database: Database,
  settlements: readonly Settlement[],
): Promise<void> {
  if (settlements.length === 0) return
  const batch = orderById(settlements)
  await database.transaction(async (tx) => {
    const rows = await insertRows<{ request_id: string }>(tx, INSERT_SETTLEMENTS, batch.map(encodeSettlement))
    const charged = newOnes(batch, rows).filter(({ amountNano }) => amountNano !== 0n)
    await enterInLedger(tx, charged.map(ledgerEntryOf))
    await addToDailySpends(tx, charged.map(dailySpendOf))
  })
}

/** Usually all of them: a batch comes twice only after a crash. */
function newOnes(
  batch: readonly Settlement[],
  inserted: readonly { request_id: string }[],
): readonly Settlement[] {
  if (inserted.length === batch.length) return batch
  const ids = new Set(inserted.map((row) => row.request_id))
  return batch.filter(({ requestId }) => ids.has(requestId))
}

/**
 * Each request once, the first one given, in the order of ids: two nodes that write the same requests then meet them in the same
 * order and cannot wait for each other.
 */
function orderById(settlements: readonly Settlement[]): readonly Settlement[] {
  if (isInOrder(settlements)) return settlements
  const byId = new Map<string, Settlement>()
  for (const settlement of settlements) {
    if (!byId.has(settlement.requestId)) byId.set(settlement.requestId, settlement)
  }
  return [...byId.values()].sort((left, right) => (left.requestId < right.requestId ? -1 : 1))
}

function isInOrder(settlements: readonly Settlement[]): boolean {
  return settlements.every((one, index) => {
    const before = settlements[index - 1]
    return before === undefined || before.requestId < one.requestId
  })
}

function ledgerEntryOf(settlement: Settlement): LedgerEntry {
  return {
    kind: 'settlement',
    id: settlement.requestId,
    accountId: settlement.accountId,
    amountNano: -settlement.amountNano,
    requestId: settlement.requestId,
    reference: null,
    note: null,
    atMs: endOf(settlement),
  }
}

function dailySpendOf(settlement: Settlement): DailySpend {
  const { keyId, amountNano } = settlement
  return { keyId, day: Math.floor(endOf(settlement) / DAY_MS), amountNano }
}

function endOf(settlement: Settlement): number {
  return Math.round(settlement.startedAtMs + settlement.durationMs)
}

export async function findSettlement(database: Database, requestId: string): Promise<Settlement | null> {
  const [row] = await database.rows<SettlementRow>(`${SELECT_SETTLEMENTS} where request_id = $1`, [requestId])
  return row === undefined ? null : decodeSettlement(row)
}

export async function listSettlements(
  database: Database,
  filter: SettlementFilter,
  page: Page,
): Promise<Listing<Settlement>> {
  const { conditions, parameters } = selectWith(filter, page.cursor)
  parameters.push(BigInt(page.limit + 1))
  const rows = await database.rows<SettlementRow>(
    `${SELECT_SETTLEMENTS} ${conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`}
    order by started_at_ms desc, request_id desc limit $${parameters.length}`,
    parameters,
  )
  return pageOf(rows.map(decodeSettlement), page, ({ startedAtMs, requestId }) => ({
    atMs: startedAtMs,
    id: requestId,
  }))
}

/** `fromMs` is part of the wanted time, `toMs` is not, so that adjoining times share no settlement. */
function selectWith(filter: SettlementFilter, cursor: string | null) {
  const conditions: string[] = []
  const parameters: Parameter[] = []
  const require = (condition: string, value: Parameter) => {
    parameters.push(value)
    conditions.push(`${condition} $${parameters.length}`)
  }
  if (filter.accountId !== undefined) require('account_id =', filter.accountId)
  if (filter.keyId !== undefined) require('key_id =', filter.keyId)
  if (filter.model !== undefined) require('model =', filter.model)
  if (filter.fromMs !== undefined) require('started_at_ms >=', BigInt(filter.fromMs))
  if (filter.toMs !== undefined) require('started_at_ms <', BigInt(filter.toMs))
  if (cursor !== null) {
    const { atMs, id } = decodeCursor(cursor)
    parameters.push(BigInt(atMs), id)
    conditions.push(`(started_at_ms, request_id) < ($${parameters.length - 1}, $${parameters.length})`)
  }
  return { conditions, parameters }
}
