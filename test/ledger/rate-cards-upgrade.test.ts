import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Database } from '../../src/edges/storage/engines/database.ts'
import { usageAndRetention } from '../../src/edges/storage/migrations/0009-usage-and-retention.ts'
import { rateCards } from '../../src/edges/storage/migrations/0019-rate-cards.ts'
import { MIGRATIONS, migrate } from '../../src/edges/storage/migrations.ts'
import { saveAccount } from '../../src/edges/storage/tables/accounts/accounts.ts'
import { findSettlement, writeSettlements } from '../../src/edges/storage/tables/money/settlements.ts'
import { rebuildUsage } from '../../src/edges/storage/tables/money/usage.ts'
import { verifyLedger } from '../../src/edges/storage/tables/money/verify-ledger.ts'
import { testedEngines } from '../../src/edges/storage/testing/engines.ts'
import { insertOldSettlement } from '../../src/edges/storage/testing/old-settlements.ts'
import { ACCOUNT } from '../../src/edges/storage/testing/samples.ts'
import { decodeJournalLine, encodeJournalLine } from '../../src/rules/ledger/journal-line.ts'
import { dayOf, endedAtMs } from '../../src/rules/ledger/period.ts'
import type { Settlement } from '../../src/vocabulary/settlement.ts'
import { arbitraryBatches, beforeRateCards, firstOfEach } from './support/arbitrary-settlement.ts'

const [OLD = [], NEW = []] = fc
  .sample(arbitraryBatches(), { numRuns: 8, seed: 17 })
  .map((batches) => firstOfEach(batches))
const SETTLED = OLD.map(beforeRateCards)

for (const engine of testedEngines()) {
  test(`a ledger from before rate cards keeps its sums and is verified on ${engine.name}`, async () => {
    const site = await engine.makeEmptySite()
    const database = await site.openDatabase()
    try {
      await fillOldLedger(database)
      const before = await readSums(database)
      await migrate(database, MIGRATIONS)
      expect(await readSums(database)).toEqual(before)
      for (const id of ['acc_1', 'acc_2']) await saveAccount(database, { ...ACCOUNT, id })

      const journal = { settled: () => SETTLED.map(throughJournal), setAside: () => [] }
      const verify = async () => (await verifyLedger(database, journal, { mayWait: false })).difference
      expect(await verify()).toBeNull()
      for (const one of SETTLED) {
        const { startedAtMs, firstByteMs, durationMs, ...rest } = one
        expect(await findSettlement(database, one.requestId)).toMatchObject(rest)
      }

      // Old and new settlements of one hour are counted together.
      await writeSettlements(
        database,
        NEW.map((one) => ({ ...one, requestId: `${one.requestId}_new` })),
      )
      expect(await verify()).toBeNull()
      await rebuildUsage(database)
      expect(await verify()).toBeNull()
    } finally {
      await database.close()
      await site.remove()
    }
  })
}

/** As the version before rate cards left it. */
async function fillOldLedger(database: Database): Promise<void> {
  const before = (version: number) => MIGRATIONS.filter((one) => one.version < version)
  await migrate(database, before(usageAndRetention.version))
  for (const one of SETTLED) await insertOldSettlement(database, one)
  for (const [accountId, ofAccount] of Map.groupBy(SETTLED, (one) => one.accountId)) {
    await database.rows(
      'insert into account_balances (account_id, balance_nano, total_paid_nano) values ($1, $2, 0)',
      [accountId, -totalNano(ofAccount)],
    )
  }
  const placeOf = (one: Settlement) => JSON.stringify([one.keyId, dayOf(endedAtMs(one))])
  for (const [place, ofDay] of Map.groupBy(SETTLED, placeOf)) {
    await database.rows('insert into key_daily_spend (key_id, day, amount_nano) values ($1, $2, $3)', [
      ...JSON.parse(place),
      totalNano(ofDay),
    ])
  }
  // The migration counts the usage of what is there.
  await migrate(database, before(rateCards.version))
}

function totalNano(settlements: readonly Settlement[]): bigint {
  return settlements.reduce((sum, { amountNano }) => sum + amountNano, 0n)
}

async function readSums(database: Database) {
  return {
    balances: await database.rows('select account_id, balance_nano from account_balances order by 1', []),
    spends: await database.rows('select key_id, day, amount_nano from key_daily_spend order by 1, 2', []),
    settlements: await database.rows(
      'select request_id, amount_nano, price from settlements order by request_id',
      [],
    ),
    usage: await database.rows(
      `select span, start_ms, account_id, key_id, model, supplier, amount_nano, output_tokens
      from usage_totals order by 1, 2, 3, 4, 5, 6`,
      [],
    ),
  }
}

function throughJournal(settlement: Settlement): Settlement {
  const line = decodeJournalLine(encodeJournalLine({ type: 'settled', settlement }))
  if (line?.type !== 'settled') throw new Error('It was not read.')
  return line.settlement
}
