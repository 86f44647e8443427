import type { LedgerEntry, Listing, Page } from '../../../gateway/ports/storage.ts'
import { decodeCursor, pageOf } from '../cursor.ts'
import type { Database, Parameter } from '../database.ts'

export interface LedgerRow {
  readonly kind: LedgerEntry['kind']
  readonly id: string
  readonly account_id: string
  readonly amount_nano: bigint
  readonly request_id: string | null
  readonly reference: string | null
  readonly note: string | null
  readonly at_ms: bigint
}

const POSTED = `select kind, id, account_id, amount_nano, request_id, reference, note, at_ms
  from posted_entries where account_id = $1`

const END = 'cast(started_at_ms + duration_ms as bigint)'
const SETTLED = `select cast('settlement' as text) as kind, request_id as id, account_id,
    cast(-amount_nano as bigint) as amount_nano, request_id, cast(null as text) as reference,
    cast(null as text) as note, ${END} as at_ms
  from settlements where account_id = $1 and amount_nano <> 0`

const CARRIED_ID = "cast('carried_' || key_id || '_' || day as text)"
const CARRIED = `select cast('settlement' as text) as kind, ${CARRIED_ID} as id, account_id,
    cast(-amount_nano as bigint) as amount_nano, cast(null as text) as request_id,
    cast(null as text) as reference,
    cast('the sum of ' || settlements || ' settlements of ' || key_id as text) as note, at_ms
  from carried_settlements where account_id = $1 and amount_nano <> 0`

/**
 * An account's movements, newest first. Each part of the ledger gives its newest and they are merged here: asked for
 * all at once, PostgreSQL would sort everything the account ever did.
 */
export async function listLedger(
  database: Database,
  accountId: string,
  page: Page,
): Promise<Listing<LedgerEntry>> {
  const parts = await Promise.all([
    newestOf(database, { select: POSTED, at: 'at_ms', id: 'id' }, { accountId, page }),
    newestOf(database, { select: SETTLED, at: END, id: 'request_id' }, { accountId, page }),
    newestOf(database, { select: CARRIED, at: 'at_ms', id: CARRIED_ID }, { accountId, page }),
  ])
  const rows = parts
    .flat()
    .sort(newestFirst)
    .slice(0, page.limit + 1)
  return pageOf(rows.map(decodeEntry), page, ({ atMs, id }) => ({ atMs, id }))
}

interface LedgerPart {
  readonly select: string
  /** What says when an entry was made, and what tells it from others of the same moment. */
  readonly at: string
  readonly id: string
}

function newestOf(
  database: Database,
  { select, at, id }: LedgerPart,
  { accountId, page }: { readonly accountId: string; readonly page: Page },
): Promise<LedgerRow[]> {
  const parameters: Parameter[] = [accountId]
  let rest = ''
  if (page.cursor !== null) {
    const position = decodeCursor(page.cursor)
    parameters.push(BigInt(position.atMs), position.id)
    // The first says nothing new, but with an index on an expression it is all that SQLite can make use of.
    rest = `and ${at} <= $2 and (${at}, ${id}) < ($2, $3)`
  }
  parameters.push(BigInt(page.limit + 1))
  const order = `order by ${at} desc, ${id} desc limit $${parameters.length}`
  return database.rows<LedgerRow>(`${select} ${rest} ${order}`, parameters)
}

function newestFirst(one: LedgerRow, other: LedgerRow): number {
  if (one.at_ms !== other.at_ms) return one.at_ms < other.at_ms ? 1 : -1
  return one.id < other.id ? 1 : -1
}

export function decodeEntry(row: LedgerRow): LedgerEntry {
  return {
    kind: row.kind,
    id: row.id,
    accountId: row.account_id,
    amountNano: row.amount_nano,
    requestId: row.request_id,
    reference: row.reference,
    note: row.note,
    atMs: Number(row.at_ms),
  }
}
