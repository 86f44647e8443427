import type { CountedRequest } from '../../../rules/ledger/aggregate.ts'
import { priceOf } from '../../../rules/ledger/price.ts'
import { Recount } from '../../../rules/ledger/recount.ts'
import { formatUsdt } from '../../../vocabulary/money.ts'
import type { Price } from '../../../vocabulary/supply.ts'
import { createPriceReader, decodeInteger } from '../columns.ts'
import type { Database } from '../database.ts'
import { LedgerDifference } from './ledger-difference.ts'
import { decodeUsage, type SettlementRow } from './settlement-rows.ts'
import { DayVerifier } from './verify-days.ts'

const PAGE = 500

const COLUMNS = [
  'request_id',
  'account_id',
  'key_id',
  'model',
  'supplier',
  'input_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'output_tokens',
  'reasoning_tokens',
  'images',
  'price',
  'amount_nano',
  'outcome',
  'started_at_ms',
  'first_byte_ms',
  'duration_ms',
] as const satisfies readonly (keyof SettlementRow)[]

type Row = Pick<SettlementRow, (typeof COLUMNS)[number]>

export interface SettlementSums {
  readonly settlements: number
  readonly days: number
  /** What each account has spent, as far as the settlements are still there. */
  readonly spentByAccount: ReadonlyMap<string, bigint>
}

/** Reads every settlement once, in pages, and compares everything that was ever counted of them. */
export async function verifySettlements(moment: Database, horizonMs: number): Promise<SettlementSums> {
  const days = new DayVerifier(moment, horizonMs)
  const recount = new Recount()
  const spentByAccount = new Map<string, bigint>()
  const readPrice = createPriceReader()
  let settlements = 0
  for await (const row of readAll(moment)) {
    const request = decodeRequest(row)
    const startedAtMs = Number(row.started_at_ms)
    for (const day of recount.takeComplete(startedAtMs)) await days.verify(day)
    if (!recount.add(request)) {
      throw new LedgerDifference(`Settlement ${row.request_id} ended before it started.`)
    }
    requirePrice(row.request_id, request, readPrice(row.price))
    spentByAccount.set(row.account_id, (spentByAccount.get(row.account_id) ?? 0n) + row.amount_nano)
    settlements += 1
  }
  for (const day of recount.takeRest()) await days.verify(day)
  await days.verifyRest()
  return { settlements, days: days.days, spentByAccount }
}

async function* readAll(moment: Database): AsyncGenerator<Row> {
  let after: readonly [bigint, string] = [BigInt(Number.MIN_SAFE_INTEGER), '']
  for (;;) {
    const rows = await moment.rows<Row>(
      `select ${COLUMNS.join(', ')} from settlements where (started_at_ms, request_id) > ($1, $2)
      order by started_at_ms, request_id limit ${PAGE}`,
      after,
    )
    yield* rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < PAGE) return
    after = [last.started_at_ms, last.request_id]
  }
}

function decodeRequest(row: Row): CountedRequest {
  return {
    accountId: row.account_id,
    keyId: row.key_id,
    model: row.model,
    supplier: row.supplier,
    usage: decodeUsage(row),
    amountNano: row.amount_nano,
    outcome: row.outcome,
    startedAtMs: Number(row.started_at_ms),
    firstByteMs: decodeInteger(row.first_byte_ms),
    durationMs: Number(row.duration_ms),
  }
}

function requirePrice(requestId: string, { usage, amountNano }: CountedRequest, price: Price | null): void {
  const costNano = price === null ? 0n : priceOf(usage, price)
  if (costNano === amountNano) return
  throw new LedgerDifference(
    `Settlement ${requestId} was charged ${formatUsdt(amountNano)}, but its usage at its price is ${formatUsdt(costNano)}.`,
  )
}
