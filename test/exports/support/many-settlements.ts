import { join } from 'node:path'
import type { Database } from '../../../src/edges/storage/engines/database.ts'
import { openSqlite } from '../../../src/edges/storage/engines/sqlite.ts'
import { MIGRATIONS, migrate } from '../../../src/edges/storage/migrations.ts'
import { saveAccount } from '../../../src/edges/storage/tables/accounts/accounts.ts'
import { rebuildUsage } from '../../../src/edges/storage/tables/money/usage.ts'
import { ACCOUNT } from '../../../src/edges/storage/testing/samples.ts'

const ACCOUNT_IDS = Array.from({ length: 10 }, (_, index) => `acc_${index}`)

const PRICE = JSON.stringify({
  inputNanoPerMillion: '1250000000',
  outputNanoPerMillion: '10000000000',
  cacheReadNanoPerMillion: '125000000',
  cacheWriteNanoPerMillion: '1250000000',
  imageNano: '0',
})

const ATTEMPTS = JSON.stringify([
  {
    supplier: 'acme',
    credentialId: 'cred_1',
    reason: 'priority 1, weight 1',
    result: 'answered',
    status: 200,
    failure: null,
    startedAtMs: 1_767_225_600_000,
    firstByteMs: 210,
    durationMs: 1_900,
  },
])

/** A data folder with that many settlements over thirty days and a consistent ledger, generated in SQL. */
export async function fillFolder(dataFolder: string, count: number): Promise<void> {
  const database = await openSqlite(join(dataFolder, 'turnpike.db'))
  try {
    await migrate(database, MIGRATIONS)
    await insertSettlements(database, count)
    await database.rows(
      `insert into key_daily_spend (key_id, day, amount_nano)
      select key_id, (started_at_ms + duration_ms) / 86400000, sum(amount_nano) from settlements
      group by key_id, (started_at_ms + duration_ms) / 86400000`,
      [],
    )
    await database.rows(
      `insert into account_balances (account_id, balance_nano, total_paid_nano)
      select account_id, -sum(amount_nano), 0 from settlements group by account_id`,
      [],
    )
    for (const id of ACCOUNT_IDS) await saveAccount(database, { ...ACCOUNT, id })
    await rebuildUsage(database)
  } finally {
    await database.close()
  }
}

function insertSettlements(database: Database, count: number): Promise<unknown> {
  const spacingMs = Math.floor((30 * 86_400_000) / count)
  // 800 × 1.25 + 200 × 10 + 100 × 0.125 per million, in nano.
  const amountNano = 800 * 1_250 + 200 * 10_000 + 100 * 125
  return database.rows(
    `with recursive series (n) as (select 0 union all select n + 1 from series where n + 1 < $1)
    insert into settlements (request_id, account_id, key_id, model, supplier, credential_id, client_format,
      supplier_format, stream, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens,
      images, provenance, price, amount_nano, outcome, attempts, started_at_ms, first_byte_ms, duration_ms)
    select 'req_' || printf('%032d', n), 'acc_' || (n % 10), 'key_' || (n % 50), 'model-' || (n % 4), 'acme', 'cred_1',
      'chat-completion', 'chat-completion', 1, 800, 100, 0, 200, 20, 0, 'supplier', $2, ${amountNano}, 'completed', $3,
      1767225600000 + n * ${spacingMs}, 210, 1900
    from series`,
    [BigInt(count), PRICE, ATTEMPTS],
  )
}
