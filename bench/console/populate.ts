import type { Database } from '../../src/edges/storage/engines/database.ts'
import { Account } from '../../src/vocabulary/account.ts'
import { KeyRecord } from '../../src/vocabulary/api-key.ts'
import { Model, Supplier } from '../../src/vocabulary/supply.ts'
import { StoredUser } from '../../src/vocabulary/user.ts'

export const ACCOUNT_PREFIX = 'acc_bench_'
export const KEY_PREFIX = 'key_bench_'
export const OTHER_KEY_PREFIX = 'key_other_'

export interface Population {
  readonly accountId: string
  readonly accounts: number
  /** Of the account; each of the other accounts has one. */
  readonly keys: number
  readonly users: number
  readonly models: number
  readonly suppliers: number
}

/** Copies of what is there already, under other ids and names. Made by the database itself. */
export async function populate(database: Database, population: Population): Promise<void> {
  const { accountId, accounts, keys, users, models, suppliers } = population
  const accountColumns = Account.without('AccountRow', ['totalPaidNano']).columns
  await copy(database, {
    table: 'accounts',
    columns: accountColumns,
    prefix: ACCOUNT_PREFIX,
    count: accounts,
  })
  await database.rows(
    `insert into account_balances (account_id, balance_nano, total_paid_nano)
    select id, 5000000000, 5000000000 from accounts where id like '${ACCOUNT_PREFIX}%'`,
    [],
  )
  const key = { table: 'api_keys', columns: KeyRecord.columns }
  await copy(database, {
    ...key,
    prefix: KEY_PREFIX,
    count: keys,
    set: { account_id: `'${accountId}'`, usage_limit: LIMIT },
  })
  await copy(database, {
    ...key,
    prefix: OTHER_KEY_PREFIX,
    count: accounts,
    set: { account_id: `'${ACCOUNT_PREFIX}' || n` },
  })
  await database.rows(
    `insert into key_secrets (fingerprint, key_id, position, last_four, expires_at_ms)
    select 'bench ' || id, id, 0, substr(id, length(id) - 3), null from api_keys where name like 'Bench %'`,
    [],
  )
  await copy(database, {
    table: 'users',
    columns: StoredUser.columns,
    prefix: 'usr_bench_',
    count: users,
    set: { email: "'bench-' || n || '@example.com'", is_operator: '0' },
  })
  await database.rows(
    `insert into memberships (user_id, account_id, role)
    select id, '${ACCOUNT_PREFIX}0', 'member' from users where id like 'usr_bench_%'`,
    [],
  )
  await copy(database, {
    table: 'models',
    columns: Model.columns,
    prefix: 'bench/model-',
    count: models,
    set: { display_name: "'Bench model ' || n" },
  })
  await copy(database, { table: 'suppliers', columns: Supplier.columns, prefix: 'bench-', count: suppliers })
}

// Every seventh key has used up its limit.
const LIMIT = `case when n % 7 = 0 then '{"period":"forever","amountNano":"1000"}' end`

interface Copies {
  readonly table: string
  readonly columns: readonly string[]
  readonly prefix: string
  readonly count: number
  /** Values of columns in SQL, where `n` is the number of the copy. */
  readonly set?: Readonly<Record<string, string>>
}

function copy(database: Database, { table, columns, prefix, count, set = {} }: Copies): Promise<unknown> {
  const values = columns.map((column) => {
    if (column === 'id') return `'${prefix}' || n`
    if (set[column] !== undefined) return set[column]
    if (column === 'name') return `'Bench ' || n`
    return column === 'created_at_ms' ? 'created_at_ms + n' : `one.${column}`
  })
  return database.rows(
    `with recursive series (n) as (
      select cast(0 as bigint) union all select n + 1 from series where n + 1 < $1
    )
    insert into ${table} (${columns.join(', ')})
    select ${values.join(', ')} from series cross join (select * from ${table} limit 1) one`,
    [BigInt(count)],
  )
}
