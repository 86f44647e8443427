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

/** An account's movements, newest first. */
export async function listLedger(
  database: Database,
  accountId: string,
  page: Page,
): Promise<Listing<LedgerEntry>> {
  const parameters: Parameter[] = [accountId]
  let rest = ''
  if (page.cursor !== null) {
    const { atMs, id } = decodeCursor(page.cursor)
    parameters.push(BigInt(atMs), id)
    // The first says nothing new, but with an index on an expression it is all that SQLite can make use of.
    rest = 'and at_ms <= $2 and (at_ms, id) < ($2, $3)'
  }
  parameters.push(BigInt(page.limit + 1))
  const rows = await database.rows<LedgerRow>(
    `select kind, id, account_id, amount_nano, request_id, reference, note, at_ms
    from ledger_entries where account_id = $1 ${rest}
    order by at_ms desc, id desc limit $${parameters.length}`,
    parameters,
  )
  return pageOf(rows.map(decodeEntry), page, ({ atMs, id }) => ({ atMs, id }))
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
