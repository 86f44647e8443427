import { formatUsdt } from '../../../vocabulary/money.ts'
import type { Database } from '../database.ts'
import { LedgerDifference } from './ledger-difference.ts'

interface Pairing {
  readonly table: 'payments' | 'refunds'
  readonly kind: 'payment' | 'refund'
  /** How the note of the entry is called there. */
  readonly note: 'note' | 'reason'
  /** What the amount of the entry is. */
  readonly entered: string
}

const PAYMENTS: Pairing = { table: 'payments', kind: 'payment', note: 'note', entered: 'amount_nano' }
const REFUNDS: Pairing = { table: 'refunds', kind: 'refund', note: 'reason', entered: '-amount_nano' }

/** Every payment and refund is an entry of the ledger, every such entry is one of them, and payments are all that was paid. */
export async function verifyPayments(moment: Database): Promise<{ payments: number; refunds: number }> {
  const payments = await verifyPairs(moment, PAYMENTS)
  const refunds = await verifyPairs(moment, REFUNDS)
  await verifyTotalsPaid(moment)
  return { payments, refunds }
}

async function verifyPairs(moment: Database, pairing: Pairing): Promise<number> {
  await requireEntries(moment, pairing)
  await requireRecords(moment, pairing)
  const [row] = await moment.rows<{ found: bigint }>(`select count(*) as found from ${pairing.table}`, [])
  return Number(row?.found ?? 0)
}

async function requireEntries(moment: Database, { table, kind, note, entered }: Pairing): Promise<void> {
  const [row] = await moment.rows<{ id: string; entry_id: string | null }>(
    `select recorded.id as id, entry.id as entry_id
    from (select id, account_id, reference, ${note} as note, ${entered} as entered, at_ms from ${table}) as recorded
    left join posted_entries as entry on entry.kind = '${kind}' and entry.id = recorded.id
    where entry.id is null or entry.amount_nano <> recorded.entered or entry.account_id <> recorded.account_id
      or entry.at_ms <> recorded.at_ms or coalesce(entry.reference, '') <> recorded.reference
      or coalesce(entry.note, '') <> coalesce(recorded.note, '')
    order by recorded.id limit 1`,
    [],
  )
  if (row === undefined) return
  throw new LedgerDifference(
    row.entry_id === null
      ? `The ${kind} ${row.id} has no ledger entry.`
      : `The ${kind} ${row.id} and its ledger entry differ.`,
  )
}

async function requireRecords(moment: Database, { table, kind }: Pairing): Promise<void> {
  const [row] = await moment.rows<{ id: string }>(
    `select entry.id as id from posted_entries as entry left join ${table} as recorded on recorded.id = entry.id
    where entry.kind = '${kind}' and recorded.id is null order by entry.id limit 1`,
    [],
  )
  if (row !== undefined)
    throw new LedgerDifference(`The ledger has an entry for the ${kind} ${row.id}, which is not there.`)
}

async function verifyTotalsPaid(moment: Database): Promise<void> {
  const [row] = await moment.rows<{ account_id: string; told: bigint; paid: bigint }>(
    `select account_id, cast(sum(told) as bigint) as told, cast(sum(paid) as bigint) as paid
    from (
      select account_id, total_paid_nano as told, 0 as paid from account_balances
      union all
      select account_id, 0 as told, amount_nano as paid from payments
    ) as both_sides
    group by account_id having sum(told) <> sum(paid) order by account_id limit 1`,
    [],
  )
  if (row === undefined) return
  const [told, paid] = [formatUsdt(row.told), formatUsdt(row.paid)]
  throw new LedgerDifference(
    `Account ${row.account_id} has paid ${told} in total, but its payments sum to ${paid}.`,
  )
}
