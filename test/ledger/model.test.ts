import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { type Engine, openAt, testedEngines } from '../../src/edges/storage/testing/engines.ts'
import { USAGE_PERIODS, type UsageLimit } from '../../src/vocabulary/api-key.ts'
import { findDifference } from '../support/find-difference.ts'
import { createMovableClock } from '../support/movable-clock.ts'
import { MoneyMachine } from './money-machine.ts'
import { ReferenceLedger } from './reference-ledger.ts'

type Step =
  | { readonly type: 'pay' | 'refund'; readonly reference: number; readonly nano: bigint }
  | { readonly type: 'adjust'; readonly nano: bigint }
  | { readonly type: 'admit'; readonly nano: bigint }
  | { readonly type: 'settle'; readonly which: number; readonly nano: bigint }
  | { readonly type: 'abort'; readonly which: number }
  | { readonly type: 'crash' }
  | { readonly type: 'limit'; readonly limit: UsageLimit | null }
  | { readonly type: 'credit-line'; readonly nano: bigint | null }
  | { readonly type: 'pass'; readonly hours: number }

const amount = fc.bigInt({ min: 1n, max: 1_000n })
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant('pay' as const), reference: fc.nat(3), nano: amount }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant('refund' as const), reference: fc.nat(2), nano: amount }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('adjust' as const),
      nano: fc.bigInt({ min: -500n, max: 500n }),
    }),
  },
  { weight: 6, arbitrary: fc.record({ type: fc.constant('admit' as const), nano: fc.bigInt(0n, 600n) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('settle' as const),
      which: fc.nat(5),
      nano: fc.bigInt(0n, 700n),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('abort' as const), which: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.constant({ type: 'crash' as const }) },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('limit' as const),
      limit: fc.option(fc.record({ period: fc.constantFrom(...USAGE_PERIODS), amountNano: amount }), {
        nil: null,
      }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('credit-line' as const),
      nano: fc.option(fc.bigInt(0n, 400n), { nil: null }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant('pass' as const), hours: fc.integer({ min: 1, max: 800 }) }),
  },
)

/** Both sides of a sequence and the clock they share. */
interface Play {
  readonly machine: MoneyMachine
  readonly reference: ReferenceLedger
  readonly clock: ReturnType<typeof createMovableClock>
  requests: number
}

async function take(play: Play, next: Step): Promise<void> {
  const { machine, reference, clock } = play
  const nowMs = clock.nowMs()
  switch (next.type) {
    case 'pay':
    case 'refund': {
      const name = String(next.reference)
      await (next.type === 'pay' ? machine.pay(name, next.nano) : machine.refund(name, next.nano))
      return reference.enter(next.type === 'pay' ? 'payment' : 'refund', name, next.nano)
    }
    case 'adjust':
      await machine.adjust(next.nano)
      return reference.adjust(next.nano)
    case 'admit': {
      play.requests += 1
      const id = `${machine.accountId}-${play.requests}`
      expect(machine.admit(id, next.nano)).toBe(reference.admit(id, next.nano, nowMs))
      return
    }
    case 'settle':
    case 'abort': {
      const id = reference.openRequests[next.which]
      if (id === undefined) return
      const nano = next.type === 'settle' ? next.nano : 0n
      await machine.settle(id, nano)
      return reference.settle(id, nano, nowMs)
    }
    case 'crash':
      await machine.crash()
      return reference.crash()
    case 'limit':
      machine.limit = next.limit
      reference.limit = next.limit
      return
    case 'credit-line':
      machine.creditLineNano = next.nano
      reference.creditLineNano = next.nano
      return
    case 'pass':
      return clock.advance(next.hours * 3_600_000)
  }
}

function agree({ machine, reference, clock }: Play): void {
  expect(machine.balanceNano).toBe(reference.balanceNano)
  const { limit } = reference
  const isReached = limit !== null && reference.spentNano(limit.period, clock.nowMs()) >= limit.amountNano
  expect(machine.hasReachedLimit()).toBe(isReached)
}

// Other sequences are played by setting this to another number.
const firstSeed = Number(process.env.TEST_SEED ?? 1)
// `npm run laws` plays more.
const SEQUENCES = Number(process.env.TEST_SEQUENCES ?? 2_500)
// One database serves many sequences, each with its own account.
const SEQUENCES_PER_DATABASE = 250

async function playSequences(engine: Engine, seed: number, sequences: number): Promise<void> {
  const site = await engine.makeSite()
  const folder = mkdtempSync(join(tmpdir(), 'turnpike-model-'))
  const storage = await openAt(site)
  let played = 0
  const play = async (steps: readonly Step[]) => {
    played += 1
    const clock = createMovableClock(Date.parse('2028-02-27T20:00:00Z'))
    const machine = await MoneyMachine.start({ storage, clock, folder, name: `${seed}-${played}` })
    const state: Play = { machine, reference: new ReferenceLedger(), clock, requests: 0 }
    for (const next of steps) {
      await take(state, next)
      agree(state)
    }
    expect(await machine.storedBalanceNano()).toBe(state.reference.balanceNano)
    await machine.stop()
  }
  try {
    const steps = fc.array(step, { minLength: 4, maxLength: 24 })
    await fc.assert(fc.asyncProperty(steps, play), { seed, numRuns: sequences, endOnFailure: true })
    expect(await findDifference(storage)).toBeNull()
  } finally {
    await storage.close()
    await site.remove()
    rmSync(folder, { recursive: true })
  }
}

for (const engine of testedEngines()) {
  const sequences = engine.name === 'SQLite' ? SEQUENCES : SEQUENCES / 5
  test(`${sequences} random sequences agree with a plain ledger on ${engine.name}`, async () => {
    const databases = sequences / SEQUENCES_PER_DATABASE
    console.log(`${engine.name}: ${sequences} sequences, seeds ${firstSeed} to ${firstSeed + databases - 1}`)
    for (let index = 0; index < databases; index += 1) {
      await playSequences(engine, firstSeed + index, SEQUENCES_PER_DATABASE)
    }
  })
}
