import { type AliasedExpression, sql } from 'kysely'
import type { JournalReading } from '../../../../manage/ports/ledger.ts'
import { endedAtMs } from '../../../../rules/ledger/period.ts'
import { type LedgerVerification, Payment } from '../../../../vocabulary/ledger.ts'
import { formatUsdt } from '../../../../vocabulary/money.ts'
import type { Settlement } from '../../../../vocabulary/settlement.ts'
import type { Row } from '../../../../vocabulary/shape.ts'
import type { Database, Parameter } from '../../engines/database.ts'
import { inPortions, queryOn } from '../../query.ts'
import { findHorizonMs } from './retention.ts'
import { encodeSettlement, SETTLEMENT_COLUMNS, type SettlementRow } from './settlement-rows.ts'
import { LedgerDifference, verifySettlements } from './verify-settlements.ts'

type Checked = { -readonly [Name in keyof LedgerVerification['checked']]: number }

/** Compares everything as of one moment, up to the first difference. */
export async function verifyLedger(
  database: Database,
  journal: JournalReading,
  { mayWait }: { readonly mayWait: boolean },
): Promise<LedgerVerification> {
  const checked: Checked = { accounts: 0, payments: 0, refunds: 0, settlements: 0, days: 0, journaled: 0 }
  try {
    const waiting = await database.snapshot(async (moment) => {
      const horizonMs = await findHorizonMs(moment)
      Object.assign(checked, await verifyPayments(moment))
      const { spentByAccount, ...counts } = await verifySettlements(moment, horizonMs)
      Object.assign(checked, counts)
      checked.accounts = await verifyBalances(moment, spentByAccount)
      await verifyOwners(moment, spentByAccount.keys())
      let waiting = 0
      checked.journaled = await verifyJournal(moment, journal.settled(), (settlement) => {
        // A file of the journal may be older than the details that are kept.
        if (endedAtMs(settlement) < horizonMs) return
        if (!mayWait) throw missing(settlement)
        waiting += 1
      })
      checked.journaled += await verifyJournal(moment, journal.setAside(), refuseSetAside)
      return waiting
    })
    return { difference: null, checked, waiting }
  } catch (error) {
    if (!(error instanceof LedgerDifference)) throw error
    return { difference: error.message, checked, waiting: 0 }
  }
}

function missing({ requestId }: Settlement): LedgerDifference {
  return new LedgerDifference(`Settlement ${requestId} is in the journal, but not in the database.`)
}

function refuseSetAside({ requestId, amountNano }: Settlement): void {
  if (amountNano === 0n) return
  throw new LedgerDifference(
    `Settlement ${requestId} is set aside in the journal's folder and was charged to nobody.`,
  )
}

interface Pairing {
  readonly kind: 'payment' | 'refund'
  /** Payments, or refunds written like them. */
  readonly recorded: AliasedExpression<Row<typeof Payment>, 'recorded'>
}

/** Every payment and refund is an entry of the ledger, every such entry is one of them, and payments are all that was paid. */
async function verifyPayments(moment: Database): Promise<{ payments: number; refunds: number }> {
  const query = queryOn(moment)
  const payments = await verifyPairs(moment, {
    kind: 'payment',
    recorded: query.selectFrom('payments').select(Payment.columns).as('recorded'),
  })
  const refunds = await verifyPairs(moment, {
    kind: 'refund',
    recorded: query
      .selectFrom('refunds')
      .select(['id', 'account_id', 'reference', 'reason as note', 'at_ms'])
      .select((row) => row.neg(row.ref('amount_nano')).as('amount_nano'))
      .as('recorded'),
  })
  await verifyTotalsPaid(moment)
  return { payments, refunds }
}

async function verifyPairs(moment: Database, pairing: Pairing): Promise<number> {
  await requireEntries(moment, pairing)
  await requireRecords(moment, pairing)
  const { found } = await queryOn(moment)
    .selectFrom(pairing.recorded)
    .select((row) => row.fn.countAll<bigint>().as('found'))
    .executeTakeFirstOrThrow()
  return Number(found)
}

async function requireEntries(moment: Database, { kind, recorded }: Pairing): Promise<void> {
  const row = await queryOn(moment)
    .selectFrom(recorded)
    .leftJoin('posted_entries as entry', (entry) =>
      entry.on('entry.kind', '=', kind).onRef('entry.id', '=', 'recorded.id'),
    )
    .select(['recorded.id', 'entry.id as entry_id'])
    .where(({ or, eb, fn, ref, val }) =>
      or([
        eb('entry.id', 'is', null),
        eb('entry.amount_nano', '<>', ref('recorded.amount_nano')),
        eb('entry.account_id', '<>', ref('recorded.account_id')),
        eb('entry.at_ms', '<>', ref('recorded.at_ms')),
        eb(fn.coalesce('entry.reference', val('')), '<>', ref('recorded.reference')),
        eb(fn.coalesce('entry.note', val('')), '<>', fn.coalesce('recorded.note', val(''))),
      ]),
    )
    .orderBy('recorded.id')
    .limit(1)
    .executeTakeFirst()
  if (row === undefined) return
  throw new LedgerDifference(
    row.entry_id === null
      ? `The ${kind} ${row.id} has no ledger entry.`
      : `The ${kind} ${row.id} and its ledger entry differ.`,
  )
}

async function requireRecords(moment: Database, { kind, recorded }: Pairing): Promise<void> {
  const row = await queryOn(moment)
    .selectFrom('posted_entries as entry')
    .leftJoin(recorded, 'recorded.id', 'entry.id')
    .select('entry.id')
    .where('entry.kind', '=', kind)
    .where('recorded.id', 'is', null)
    .orderBy('entry.id')
    .limit(1)
    .executeTakeFirst()
  if (row === undefined) return
  throw new LedgerDifference(`The ledger has an entry for the ${kind} ${row.id}, which is not there.`)
}

async function verifyTotalsPaid(moment: Database): Promise<void> {
  const none = sql<bigint>`0`
  const row = await queryOn(moment)
    .selectFrom((sides) =>
      sides
        .selectFrom('account_balances')
        .select(['account_id', 'total_paid_nano as total', none.as('paid')])
        .unionAll(
          sides.selectFrom('payments').select(['account_id', none.as('total'), 'amount_nano as paid']),
        )
        .as('both_sides'),
    )
    .select((row) => [
      'account_id',
      row.cast<bigint>(row.fn.sum('total'), 'bigint').as('total'),
      row.cast<bigint>(row.fn.sum('paid'), 'bigint').as('paid'),
    ])
    .groupBy('account_id')
    .having((row) => row(row.fn.sum('total'), '<>', row.fn.sum('paid')))
    .orderBy('account_id')
    .limit(1)
    .executeTakeFirst()
  if (row === undefined) return
  const [total, paid] = [formatUsdt(row.total), formatUsdt(row.paid)]
  throw new LedgerDifference(
    `Account ${row.account_id} has paid ${total} in total, but its payments sum to ${paid}.`,
  )
}

/** A balance is the sum of its entries: what was posted, less what the settlements cost, deleted ones included. */
async function verifyBalances(
  moment: Database,
  spentByAccount: ReadonlyMap<string, bigint>,
): Promise<number> {
  const entered = await sumEntries(moment, spentByAccount)
  const balances = await queryOn(moment)
    .selectFrom('account_balances')
    .select(['account_id', 'balance_nano'])
    .orderBy('account_id')
    .execute()
  for (const { account_id: accountId, balance_nano: balanceNano } of balances) {
    requireBalance(accountId, balanceNano, entered.get(accountId) ?? 0n)
    entered.delete(accountId)
  }
  for (const [accountId, sumNano] of entered) requireBalance(accountId, 0n, sumNano)
  return balances.length
}

async function sumEntries(
  moment: Database,
  spentByAccount: ReadonlyMap<string, bigint>,
): Promise<Map<string, bigint>> {
  const sums = new Map<string, bigint>()
  const add = (accountId: string, amountNano: bigint) =>
    sums.set(accountId, (sums.get(accountId) ?? 0n) + amountNano)
  for (const [accountId, spentNano] of spentByAccount) add(accountId, -spentNano)
  const sumsIn = (table: 'posted_entries' | 'carried_settlements') =>
    queryOn(moment)
      .selectFrom(table)
      .select((row) => ['account_id', row.cast<bigint>(row.fn.sum('amount_nano'), 'bigint').as('sum_nano')])
      .groupBy('account_id')
      .execute()
  for (const row of await sumsIn('posted_entries')) add(row.account_id, row.sum_nano)
  for (const row of await sumsIn('carried_settlements')) add(row.account_id, -row.sum_nano)
  return sums
}

function requireBalance(accountId: string, balanceNano: bigint, sumNano: bigint): void {
  if (balanceNano === sumNano) return
  throw new LedgerDifference(
    `Account ${accountId} has a balance of ${formatUsdt(balanceNano)}, ` +
      `but its ledger entries sum to ${formatUsdt(sumNano)}.`,
  )
}

/**
 * No account is ever deleted, so whatever names one that is not there tells of an account that was lost. Settlements are
 * looked up for those accounts only that have any, which are few beside them.
 */
async function verifyOwners(moment: Database, spenders: Iterable<string>): Promise<void> {
  const query = queryOn(moment)
  const accounts = await query.selectFrom('accounts').select('id').execute()
  const known = new Set(accounts.map(({ id }) => id))
  for (const accountId of spenders) if (!known.has(accountId)) throw await settlementOf(moment, accountId)
  const owned = {
    'The ledger entry': query.selectFrom('posted_entries').select(['id as name', 'account_id']),
    'The key': query.selectFrom('api_keys').select(['id as name', 'account_id']),
    'The daily sum of the key': query
      .selectFrom('carried_settlements')
      .select(['key_id as name', 'account_id']),
    'The balance': query.selectFrom('account_balances').select(['account_id as name', 'account_id']),
  }
  for (const [what, rows] of Object.entries(owned)) await requireOwner(moment, what, rows.as('owned'))
}

async function settlementOf(moment: Database, accountId: string): Promise<LedgerDifference> {
  const row = await queryOn(moment)
    .selectFrom('settlements')
    .select('request_id')
    .where('account_id', '=', accountId)
    .orderBy('started_at_ms')
    .limit(1)
    .executeTakeFirst()
  return new LedgerDifference(
    `Settlement ${row?.request_id} is of the account ${accountId}, which does not exist.`,
  )
}

async function requireOwner(
  moment: Database,
  what: string,
  rows: AliasedExpression<{ readonly name: string; readonly account_id: string }, 'owned'>,
): Promise<void> {
  const row = await queryOn(moment)
    .selectFrom(rows)
    .leftJoin('accounts', 'accounts.id', 'owned.account_id')
    .select(['owned.name', 'owned.account_id'])
    .where('accounts.id', 'is', null)
    .orderBy('owned.name')
    .limit(1)
    .executeTakeFirst()
  if (row === undefined) return
  throw new LedgerDifference(`${what} ${row.name} is of the account ${row.account_id}, which does not exist.`)
}

const PORTION = 100

/** What is in the journal is in the database and the same there. Gives how many were compared, and how many are missing. */
async function verifyJournal(
  moment: Database,
  settlements: Iterable<Settlement>,
  onMissing: (settlement: Settlement) => void,
): Promise<number> {
  let compared = 0
  for (const portion of inPortions(settlements, PORTION)) {
    const stored = await findStored(moment, portion)
    for (const settlement of portion) {
      const row = stored.get(settlement.requestId)
      if (row === undefined) onMissing(settlement)
      else requireSame(settlement, row)
    }
    compared += portion.length
  }
  return compared
}

async function findStored(
  moment: Database,
  portion: readonly Settlement[],
): Promise<Map<string, SettlementRow>> {
  const ids = portion.map(({ requestId }) => requestId)
  const rows = await queryOn(moment)
    .selectFrom('settlements')
    .select(SETTLEMENT_COLUMNS)
    .where('request_id', 'in', ids)
    .execute()
  return new Map(rows.map((row) => [row.request_id, row]))
}

function requireSame(settlement: Settlement, row: SettlementRow): void {
  const journaled = encodeSettlement(settlement)
  for (const [index, column] of SETTLEMENT_COLUMNS.entries()) {
    if (comparable(journaled[index] ?? null) === comparable(row[column])) continue
    throw new LedgerDifference(
      `Settlement ${settlement.requestId} has another ${column} in the journal than in the database.`,
    )
  }
}

// As PostgreSQL keeps a text: it cannot hold the character NUL.
function comparable(value: Parameter): string | null {
  return value === null ? null : String(value).replaceAll('\0', '\uFFFD')
}
