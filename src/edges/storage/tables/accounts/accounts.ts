import { isDeepStrictEqual } from 'node:util'
import type { TierStep } from '../../../../manage/ports/storage.ts'
import { Account } from '../../../../vocabulary/account.ts'
import { type ApiKey, KeyRecord, KeySecret } from '../../../../vocabulary/api-key.ts'
import { amount, integer, text, time } from '../../../../vocabulary/field.ts'
import { shape } from '../../../../vocabulary/shape.ts'
import type { Database } from '../../engines/database.ts'
import { queryOn } from '../../query.ts'
import type { StoreMethods } from '../../store.ts'
import { tableOf } from '../../table.ts'

// Stored with the balance, which payments change.
const AccountRow = Account.without('AccountRow', ['totalPaidNano'])

/**
 * Total paid and earned tier are stored only with a new account. After that, only payments change the one and evaluations
 * the other: the caller may have read the account before its latest change of tier.
 */
export const ACCOUNTS = tableOf('accounts', AccountRow, {
  key: ['id'],
  keeps: ['earned_tier', 'created_at_ms'],
})
const Balance = shape('Balance', { accountId: text(), balanceNano: amount(), totalPaidNano: amount() })
const BALANCES = tableOf('account_balances', Balance, { key: ['account_id'] })

const KEYS = tableOf('api_keys', KeyRecord, { key: ['id'], order: ['created_at_ms', 'id'] })
const KEY_SECRETS = tableOf(
  'key_secrets',
  KeySecret.with('KeySecretRow', { keyId: text(), position: integer() }),
  { key: ['fingerprint'], order: ['key_id', 'position'] },
)

export const accountStore = {
  saveAccount: ({ changes }, account, event) => changes.write(event, (tx) => saveAccount(tx, account)),
  saveKey: ({ changes }, key, event) => changes.write(event, (tx) => saveKey(tx, key)),
  loadAccounts: ({ database }) => loadAccounts(database),

  // For tier evaluations.
  loadTierDoubts: async ({ database }) => {
    const doubts = await DOUBTS.list(database)
    return new Map(doubts.map(({ accountId, sinceMs }) => [accountId, sinceMs]))
  },
  takeTierStep: ({ changes }, step, event) => changes.writeIf(event, (tx) => takeTierStep(tx, step)),
  findLastRunMs: async ({ database }, name) => (await JOBS.find(database, { name }))?.lastRunMs ?? null,
  saveLastRunMs: ({ database }, name, lastRunMs) => JOBS.save(database, { name, lastRunMs }),
} satisfies Partial<StoreMethods>

export async function saveAccount(tx: Database, account: Account): Promise<void> {
  await ACCOUNTS.save(tx, account)
  const { id: accountId, totalPaidNano } = account
  await BALANCES.insert(tx, { accountId, balanceNano: 0n, totalPaidNano }, ['account_id'])
}

export async function loadAccounts(database: Database): Promise<Account[]> {
  const rows = await queryOn(database)
    .selectFrom('accounts')
    .innerJoin('account_balances', 'account_balances.account_id', 'accounts.id')
    .select(Account.columns)
    .orderBy('created_at_ms')
    .orderBy('id')
    .execute()
  return rows.map((row) => Account.fromRow(row))
}

/** The ids that belong to no account. */
export async function findStrangers(database: Database, ids: readonly string[]): Promise<readonly string[]> {
  const accounts = await ACCOUNTS.listOf(database, { field: 'id', values: ids })
  const known = new Set(accounts.map(({ id }) => id))
  return ids.filter((id) => !known.has(id))
}

export async function saveKey(tx: Database, key: ApiKey): Promise<void> {
  await KEYS.save(tx, key)
  await KEY_SECRETS.remove(tx, { keyId: key.id })
  for (const [position, secret] of key.secrets.entries()) {
    await KEY_SECRETS.insert(tx, { ...secret, keyId: key.id, position })
  }
}

export async function loadKeys(database: Database): Promise<ApiKey[]> {
  const keys = await KEYS.list(database)
  const secretsByKey = Map.groupBy(await KEY_SECRETS.list(database), ({ keyId }) => keyId)
  return keys.map((key) => ({
    ...key,
    secrets: (secretsByKey.get(key.id) ?? []).map(({ keyId: _key, position: _place, ...secret }) => secret),
  }))
}

const DOUBTS = tableOf('tier_doubts', shape('TierDoubt', { accountId: text(), sinceMs: time() }), {
  key: ['account_id'],
})
const JOBS = tableOf('scheduled_jobs', shape('ScheduledJob', { name: text(), lastRunMs: time() }), {
  key: ['name'],
})

/**
 * Whether this call made the change. Each is one statement that finds nothing to change after another transaction has made
 * it.
 */
async function takeTierStep(tx: Database, step: TierStep): Promise<boolean> {
  const { accountId } = step
  switch (step.kind) {
    case 'move':
      await DOUBTS.remove(tx, { accountId })
      return (
        (await ACCOUNTS.change(tx, { id: accountId, earnedTier: step.from }, { earnedTier: step.to })) > 0
      )
    case 'doubt':
      return DOUBTS.insert(tx, step, ['account_id'])
    case 'trust':
      return (await DOUBTS.remove(tx, { accountId })) > 0
    case 'end-assignment':
      return endAssignment(tx, step)
  }
}

async function endAssignment(
  tx: Database,
  { accountId, assignment }: Extract<TierStep, { kind: 'end-assignment' }>,
): Promise<boolean> {
  const query = queryOn(tx)
  const ofAccount = query.selectFrom('accounts').select('tier_assignment').where('id', '=', accountId)
  const [row] = await ofAccount.execute()
  const stored = row?.tier_assignment ?? null
  // The values are compared, because the fields of the JSON text may be in another order.
  if (!isDeepStrictEqual(Account.fields.tierAssignment.codec.decode(stored), assignment)) return false
  const ended = await query
    .updateTable('accounts')
    .set({ tier_assignment: null })
    .where('id', '=', accountId)
    .where('tier_assignment', '=', stored)
    .returning('id')
    .execute()
  return ended.length > 0
}
