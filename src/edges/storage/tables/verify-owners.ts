import type { Database } from '../database.ts'
import { LedgerDifference } from './ledger-difference.ts'

/** What belongs to an account: how a row is called, and what names it. */
interface Owned {
  readonly what: string
  readonly table: string
  readonly name: string
}

const OWNED: readonly Owned[] = [
  { what: 'The ledger entry', table: 'posted_entries', name: 'id' },
  { what: 'The key', table: 'api_keys', name: 'id' },
  { what: 'The daily sum of the key', table: 'carried_settlements', name: 'key_id' },
  { what: 'The balance', table: 'account_balances', name: 'account_id' },
]

/**
 * No account is ever deleted, so whatever names one that is not there tells of an account that was lost. Settlements are
 * looked up for those accounts only that have any, which are few beside them.
 */
export async function verifyOwners(moment: Database, spenders: Iterable<string>): Promise<void> {
  const accounts = await moment.rows<{ id: string }>('select id from accounts', [])
  const known = new Set(accounts.map(({ id }) => id))
  for (const accountId of spenders) if (!known.has(accountId)) throw await settlementOf(moment, accountId)
  for (const owned of OWNED) await requireOwner(moment, owned)
}

async function settlementOf(moment: Database, accountId: string): Promise<LedgerDifference> {
  const [row] = await moment.rows<{ request_id: string }>(
    'select request_id from settlements where account_id = $1 order by started_at_ms limit 1',
    [accountId],
  )
  return new LedgerDifference(
    `Settlement ${row?.request_id} is of the account ${accountId}, which does not exist.`,
  )
}

async function requireOwner(moment: Database, { what, table, name }: Owned): Promise<void> {
  const [row] = await moment.rows<{ name: string; account_id: string }>(
    `select owned.${name} as name, owned.account_id as account_id from ${table} as owned
    left join accounts on accounts.id = owned.account_id
    where accounts.id is null order by owned.${name} limit 1`,
    [],
  )
  if (row === undefined) return
  throw new LedgerDifference(`${what} ${row.name} is of the account ${row.account_id}, which does not exist.`)
}
