import fc from 'fast-check'
import type { UsageDetails } from '../../../src/conversation/usage.ts'
import { chargeFor, priceOf, type RouteMoney } from '../../../src/rules/ledger/charge.ts'
import { type Price, SERVICE_TIERS } from '../../../src/vocabulary/price.ts'
import {
  AT_PRICE,
  NO_SESSION,
  type Outcome,
  SETTLEMENT_NOTES,
  type Settlement,
} from '../../../src/vocabulary/settlement.ts'
import { FORMATS } from '../../../src/vocabulary/words.ts'

const OUTCOMES: readonly Outcome[] = ['completed', 'client_left', 'supplier_failed', 'refused', 'interrupted']

const PRICE: Price = {
  inputNanoPerMillion: 1_250_000_000n,
  outputNanoPerMillion: 10_000_000_000n,
  cacheReadNanoPerMillion: 125_000_000n,
  cacheWriteNanoPerMillion: 1_500_000_000n,
  imageNano: 40_000_000n,
}

/** With rates and variants of every kind. The figures leave fractions to round. */
const RATE_CARD: Price = {
  ...PRICE,
  cacheWrite1hNanoPerMillion: 2_500_000_001n,
  reasoningNanoPerMillion: 3_333_333_333n,
  audioInputNanoPerMillion: 7_000_000_007n,
  imageOutputNanoPerMillion: 30_000_000_001n,
  requestNano: 5_000n,
  webSearchNano: 10_000_000n,
  imageRates: [{ size: '1024x1024', quality: null, imageNano: 167_000_000n }],
  variants: [
    { when: { promptAbove: 200_000 }, inputNanoPerMillion: 2_500_000_001n },
    { when: { promptPartAbove: 100_000 }, cacheReadNanoPerMillion: 3n, inputNanoPerMillion: 1n },
    { when: { tier: 'flex' }, outputNanoPerMillion: 5_000_000_003n },
    { when: { hours: '22:30-01:00' }, cacheWriteNanoPerMillion: 7n },
  ],
}

const anyMoney: fc.Arbitrary<RouteMoney | null> = fc.constantFrom(
  { price: PRICE, cost: null },
  { price: PRICE, cost: RATE_CARD },
  { price: RATE_CARD, cost: null },
  { price: RATE_CARD, cost: PRICE },
  null,
)

/** Shortly before midnight, so that some requests end in the next hour, day and month. */
export const LATE_MS = Date.UTC(2026, 1, 28, 22)

const tokens = fc.nat({ max: 100_000 })

const anyDetails: fc.Arbitrary<UsageDetails> = fc.record(
  {
    cacheWrite1h: tokens,
    audioInput: tokens,
    imageOutput: tokens,
    webSearches: fc.nat({ max: 3 }),
    serviceTier: fc.constantFrom(...SERVICE_TIERS),
    imageSize: fc.constantFrom('1024x1024', '512x512'),
  },
  { requiredKeys: [] },
)

/** A settlement whose amount is its usage at its price with its mark-up, and whose cost is its usage at its cost rates. Few ids, so that groups have several requests. */
export function arbitrarySettlement(requestId: fc.Arbitrary<string>): fc.Arbitrary<Settlement> {
  return fc
    .record({
      requestId,
      accountId: fc.constantFrom('acc_1', 'acc_2'),
      keyNumber: fc.constantFrom(1, 2),
      model: fc.constantFrom('gpt-5', 'vendor/model "x", y'),
      supplier: fc.constantFrom('acme', null),
      money: anyMoney,
      markupBasisPoints: fc.constantFrom(null, 1_250, -333),
      notes: fc.subarray([...SETTLEMENT_NOTES], { maxLength: 2 }),
      session: fc.constantFrom(null, 'session-1', 'session-2'),
      agent: fc.constantFrom(null, 'reviewer', '=tester'),
      parentAgent: fc.constantFrom(null, 'planner'),
      outcome: fc.constantFrom(...OUTCOMES),
      usage: fc.record(
        {
          input: tokens,
          cacheRead: tokens,
          cacheWrite: tokens,
          output: tokens,
          reasoning: tokens,
          images: fc.nat({ max: 3 }),
          details: anyDetails,
        },
        { requiredKeys: ['input', 'cacheRead', 'cacheWrite', 'output', 'reasoning', 'images'] },
      ),
      // Clocks measure fractions; what is stored is rounded.
      startedAtMs: fc.nat({ max: 3 * 86_400_000 }).map((ms) => LATE_MS + ms / 2),
      firstByteMs: fc.option(fc.nat({ max: 5_000 }).map((ms) => ms / 4)),
      durationMs: fc.oneof(fc.nat({ max: 10_000 }), fc.nat({ max: 4 * 3_600_000 })).map((ms) => ms / 4),
    })
    .map(({ keyNumber, usage, money, markupBasisPoints, ...rest }) => ({
      ...rest,
      // A key belongs to one account.
      keyId: `key_${rest.accountId}_${keyNumber}`,
      credentialId: 'cred_1',
      clientFormat: FORMATS[0],
      supplierFormat: FORMATS[0],
      stream: false,
      provenance: 'supplier' as const,
      usage,
      ...chargeFor(usage, money, { startedAtMs: rest.startedAtMs, markupBasisPoints }),
      attempts: [],
    }))
}

/** The same request, as a program without rate cards and sessions would have settled it. */
export function beforeRateCards(settlement: Settlement): Settlement {
  const { details: _, ...usage } = settlement.usage
  const price = settlement.price === null ? null : PRICE
  const amountNano = price === null ? 0n : priceOf(usage, price)
  return { ...settlement, usage, price, amountNano, ...AT_PRICE, ...NO_SESSION, costNano: amountNano }
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
