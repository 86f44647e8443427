import fc from 'fast-check'
import { priceOf } from '../../../src/rules/ledger/charge.ts'
import type { Price } from '../../../src/vocabulary/price.ts'
import { AT_PRICE, type Outcome, type Settlement } from '../../../src/vocabulary/settlement.ts'
import { FORMATS } from '../../../src/vocabulary/words.ts'

const OUTCOMES: readonly Outcome[] = ['completed', 'client_left', 'supplier_failed', 'refused', 'interrupted']

const PRICE: Price = {
  inputNanoPerMillion: 1_250_000_000n,
  outputNanoPerMillion: 10_000_000_000n,
  cacheReadNanoPerMillion: 125_000_000n,
  cacheWriteNanoPerMillion: 1_500_000_000n,
  imageNano: 40_000_000n,
}

/** Shortly before midnight, so that some requests end in the next hour, day and month. */
export const LATE_MS = Date.UTC(2026, 1, 28, 22)

const tokens = fc.nat({ max: 100_000 })

/** A settlement whose amount is its usage at its price. Few ids, so that groups have several requests. */
export function arbitrarySettlement(requestId: fc.Arbitrary<string>): fc.Arbitrary<Settlement> {
  return fc
    .record({
      requestId,
      accountId: fc.constantFrom('acc_1', 'acc_2'),
      keyNumber: fc.constantFrom(1, 2),
      model: fc.constantFrom('gpt-5', 'vendor/model "x", y'),
      supplier: fc.constantFrom('acme', null),
      price: fc.constantFrom(PRICE, null),
      outcome: fc.constantFrom(...OUTCOMES),
      usage: fc.record({
        input: tokens,
        cacheRead: tokens,
        cacheWrite: tokens,
        output: tokens,
        reasoning: tokens,
        images: fc.nat({ max: 3 }),
      }),
      // Clocks measure fractions; what is stored is rounded.
      startedAtMs: fc.nat({ max: 3 * 86_400_000 }).map((ms) => LATE_MS + ms / 2),
      firstByteMs: fc.option(fc.nat({ max: 5_000 }).map((ms) => ms / 4)),
      durationMs: fc.oneof(fc.nat({ max: 10_000 }), fc.nat({ max: 4 * 3_600_000 })).map((ms) => ms / 4),
    })
    .map(({ keyNumber, usage, price, ...rest }) => ({
      ...rest,
      // A key belongs to one account.
      keyId: `key_${rest.accountId}_${keyNumber}`,
      credentialId: 'cred_1',
      clientFormat: FORMATS[0],
      supplierFormat: FORMATS[0],
      stream: false,
      provenance: 'supplier' as const,
      usage,
      price,
      amountNano: price === null ? 0n : priceOf(usage, price),
      costNano: price === null ? 0n : priceOf(usage, price),
      ...AT_PRICE,
      attempts: [],
    }))
}

/** Batches as a writer gets them: ids come twice in one batch, and again in a later one. */
export function arbitraryBatches(): fc.Arbitrary<Settlement[][]> {
  const ids = fc.nat({ max: 60 }).map((number) => `req_${String(number).padStart(3, '0')}`)
  return fc.array(fc.array(arbitrarySettlement(ids), { maxLength: 20 }), { minLength: 1, maxLength: 4 })
}

/** Those that count: of several with one id, the first. */
export function firstOfEach(batches: readonly (readonly Settlement[])[]): Settlement[] {
  const byId = new Map<string, Settlement>()
  for (const settlement of batches.flat()) {
    if (!byId.has(settlement.requestId)) byId.set(settlement.requestId, settlement)
  }
  return [...byId.values()]
}
