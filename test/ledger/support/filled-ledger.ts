import { ConfigurationWriter } from '../../../src/edges/storage/configuration-writer.ts'
import type { Database } from '../../../src/edges/storage/engines/database.ts'
import { MIGRATIONS, migrate } from '../../../src/edges/storage/migrations.ts'
import { saveAccount } from '../../../src/edges/storage/tables/accounts/accounts.ts'
import {
  recordAdjustment,
  recordPaymentsOrNone,
  recordRefund,
} from '../../../src/edges/storage/tables/money/payments.ts'
import { carrySettlements, moveHorizon } from '../../../src/edges/storage/tables/money/retention.ts'
import { writeSettlements } from '../../../src/edges/storage/tables/money/settlements.ts'
import { ACCOUNT, auditEvent, PAYMENT, settlement } from '../../../src/edges/storage/testing/samples.ts'
import { priceOf } from '../../../src/rules/ledger/charge.ts'
import type { Settlement } from '../../../src/vocabulary/settlement.ts'

export const DAY_MS = 86_400_000
export const FIRST_DAY_MS = Date.UTC(2026, 0, 10)

const PRICE = {
  inputNanoPerMillion: 1_000_000_000n,
  outputNanoPerMillion: 2_000_000_000n,
  cacheReadNanoPerMillion: 100_000_000n,
  cacheWriteNanoPerMillion: 1_000_000_000n,
  imageNano: 0n,
}

/** A settlement whose amount is right. */
export function paidSettlement(change: Partial<Settlement>): Settlement {
  const made = settlement({ price: PRICE, attempts: [], ...change })
  const amountNano = made.price === null ? 0n : priceOf(made.usage, made.price)
  return { ...made, amountNano, costNano: amountNano }
}

/** `req_<day>_<number>`: four on each of six days, the last of each without a price. */
export const SETTLEMENTS: readonly Settlement[] = Array.from({ length: 24 }, (_, index) => {
  const [day, number] = [Math.floor(index / 4), index % 4]
  return paidSettlement({
    requestId: `req_${day}_${number}`,
    startedAtMs: FIRST_DAY_MS + day * DAY_MS + number * 7_200_000,
    keyId: `key_${number % 2}`,
    ...(number === 3 && { price: null, supplier: null, outcome: 'refused' as const, firstByteMs: null }),
  })
})

/** StoredLedger with something of everything. */
export async function fillLedger(database: Database): Promise<void> {
  await migrate(database, MIGRATIONS)
  await saveAccount(database, ACCOUNT)
  await saveAccount(database, { ...ACCOUNT, id: 'acc_idle' })
  await recordPaymentsOrNone(new ConfigurationWriter(database), [
    { payment: PAYMENT, event: auditEvent('evt_pay') },
    { payment: { ...PAYMENT, id: 'pay_2', reference: 'other' }, event: auditEvent('evt_pay_2') },
  ])
  const { id: accountId } = ACCOUNT
  const atMs = FIRST_DAY_MS + 5
  await recordRefund(database, {
    id: 'ref_1',
    accountId,
    amountNano: 77n,
    reference: 'back',
    reason: 'asked',
    atMs,
  })
  const adjustment = { id: 'adj_1', accountId, amountNano: -3n, reference: 'ticket', reason: 'twice', atMs }
  await recordAdjustment(database, adjustment)
  await writeSettlements(database, SETTLEMENTS)
}

/** Deletes the details of the first days, so many at a time. */
export async function forgetDays(database: Database, days: number, portion = 3): Promise<number> {
  await moveHorizon(database, FIRST_DAY_MS + days * DAY_MS, auditEvent(`evt_horizon_${days}`))
  let deleted = 0
  for (let count = portion; count === portion; deleted += count)
    count = await carrySettlements(database, portion)
  return deleted
}
