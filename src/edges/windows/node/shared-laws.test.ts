import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  ACCOUNTS,
  CREDIT_LINE_NANO,
  KEY_LIMIT,
  KEYS,
  PEACE,
  RandomHistory,
  TROUBLE,
  traffic,
  WINDOW_LIMIT,
} from '../testing/random-history.ts'

const requests = traffic(0)
const peaceful = [...requests, ...PEACE]
const troubled = [...peaceful, ...TROUBLE]

/** How costs that wait for the database are reported: one by one, some of them as a sum, or all as a sum. */
const foldings = fc.constantFrom(1_000, 3, 1)

function expectNoOverdraft({ world }: RandomHistory): void {
  for (const accountId of ACCOUNTS) {
    const owedNano = world.obligationsNano((owner) => owner.accountId === accountId)
    expect(world.storage.balance(accountId).balanceNano + CREDIT_LINE_NANO).toBeGreaterThanOrEqual(owedNano)
    const keyId = `${accountId}:${KEYS[0]}`
    const heldNano = world.obligationsNano((owner) => owner.keyId === keyId)
    const today = Math.floor(world.time.nowMs() / 86_400_000)
    const spentNano = world.storage.totals(keyId, today).totals.daily.spentNano
    expect(spentNano + heldNano).toBeLessThanOrEqual(KEY_LIMIT.amountNano)
  }
}

function expectInStep({ world }: RandomHistory): void {
  for (const accountId of ACCOUNTS) {
    const { money } = world.hub.account(accountId)
    const heldNano = world.obligationsNano((owner) => owner.accountId === accountId)
    expect(money.heldNano).toBe(heldNano)
    // Before it is loaded nothing is judged by what is known, so it need not be the newest.
    const isLoaded = money.loadedIn !== null && money.loadedIn === world.hub.generation
    if (isLoaded) expect(money.balanceNano).toBe(world.storage.balance(accountId).balanceNano)
    for (const key of KEYS) {
      const keyId = `${accountId}:${key}`
      expect(money.heldOn(keyId)).toBe(world.obligationsNano((owner) => owner.keyId === keyId))
      const totals = money.totalsOf(keyId)
      const stored = world.storage.totals(keyId, Math.floor(world.time.nowMs() / 86_400_000))
      if (isLoaded && money.knowsKey(keyId)) expect(totals?.totals.forever).toEqual(stored.totals.forever)
    }
  }
}

function expectWindowsKept({ world, admittedAtMs }: RandomHistory): void {
  for (const accountId of ACCOUNTS) {
    const window = { id: `account:${accountId}:requests`, metric: 'requests', limit: 0, amount: 0 } as const
    const [state] = world.hub.account(accountId).windows.look([window], world.time.nowMs())
    expect(state?.spent ?? 0).toBeLessThanOrEqual(WINDOW_LIMIT)
    // Less than a minute lies in two windows at most.
    const admitted = admittedAtMs.get(accountId) ?? []
    for (const startMs of admitted) {
      const within = admitted.filter((atMs) => atMs >= startMs && atMs < startMs + 59_000)
      expect(within.length).toBeLessThanOrEqual(2 * WINDOW_LIMIT)
    }
  }
}

describe('several nodes in any order', () => {
  test('never exceed a balance, a spending limit or a window', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(...peaceful, ...requests), { maxLength: 80, size: 'max' }),
        foldings,
        async (commands, foldAt) => {
          const run = new RandomHistory({ foldAt })
          await run.begin()
          for (const command of commands) {
            await run.step(command)
            expectNoOverdraft(run)
            expectWindowsKept(run)
          }
          await run.finish()
          expectInStep(run)
        },
      ),
      { numRuns: 60 },
    )
  }, 300_000)

  test('with failures and policy refuse: exceed nothing, and agree afterwards', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(...troubled, ...requests, ...requests), { maxLength: 80, size: 'max' }),
        foldings,
        async (commands, foldAt) => {
          const run = new RandomHistory({ loss: 'refuse', foldAt })
          await run.begin()
          for (const command of commands) {
            await run.step(command)
            expectNoOverdraft(run)
          }
          await run.finish()
          expectInStep(run)
        },
      ),
      { numRuns: 100 },
    )
  }, 300_000)

  test('with failures and policy local: agree afterwards', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(...troubled, ...requests, ...requests), { maxLength: 80, size: 'max' }),
        foldings,
        async (commands, foldAt) => {
          const run = new RandomHistory({ loss: 'local', leaseMs: 3_000, foldAt })
          await run.begin()
          for (const command of commands) await run.step(command)
          await run.finish()
          expectInStep(run)
        },
      ),
      { numRuns: 100 },
    )
  }, 300_000)
})
