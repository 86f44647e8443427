import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type Site, testedEngines } from '../../src/edges/storage/testing/engines.ts'
import type { TierAssignment, TierName } from '../../src/vocabulary/account.ts'
import { parseUsdt } from '../../src/vocabulary/money.ts'
import { createMovableClock, type MovableClock } from '../support/movable-clock.ts'
import { auditOf, type Node, startNode } from '../support/node.ts'

const HOUR_MS = 3_600_000
const OPERATOR = 'operator'
const TIER: Omit<TierAssignment, 'assignedBy'> = {
  tier: 'Trial',
  rpm: null,
  tpm: null,
  expiresAtMs: null,
  reason: 'a reason',
}

for (const engine of testedEngines()) {
  describe(`3.1 transitions of tiers on ${engine.name}`, () => {
    let site: Site
    let clock: MovableClock
    let node: Node
    let id: string
    let references = 0

    beforeEach(async () => {
      site = await engine.makeSite()
      clock = createMovableClock()
      node = await startNode(site, { clock })
      id = (await node.operations.createAccount({ name: 'Acme', email: null }, OPERATOR)).id
      await node.evaluation.beat()
    })
    afterEach(async () => {
      await node.storage.close()
      await site.remove()
    })

    const pay = (amount: string) =>
      node.operations.recordPayment(
        id,
        { amountNano: parseUsdt(amount, 'amount'), reference: `r-${references++}`, note: null },
        OPERATOR,
      )
    const assign = (tier: TierName, change: Partial<Omit<TierAssignment, 'assignedBy'>> = {}) =>
      node.operations.assignTier(id, { ...TIER, tier, ...change }, OPERATOR)
    const tierNow = async () => (await node.operations.findAccount(id)).tier
    const limitsNow = async () => (await node.operations.findAccount(id)).limits
    const passHour = async () => {
      clock.advance(HOUR_MS)
      await node.evaluation.beat()
    }
    const restart = async () => {
      await node.storage.close()
      node = await startNode(site, { clock })
    }
    /** The audit without what made the account and its payments. */
    const tierEvents = async () =>
      (await auditOf(node)).filter((event) => event.includes('tier')).map((event) => event.split(' ')[0])

    test('(new account): account creation, always → Starter', async () => {
      expect(await tierNow()).toBe('Starter')
      expect(await limitsNow()).toEqual({ rpm: 120, tpm: 2_000_000 })
    })

    test('Starter: total paid reaches 10 USDT → Builder at the hourly evaluation, no sooner', async () => {
      await pay('9.999999999')
      await passHour()
      expect(await tierNow()).toBe('Starter')
      await pay('0.000000001')
      expect(await tierNow()).toBe('Starter')
      await node.evaluation.beat()
      expect(await tierNow()).toBe('Starter')
      await passHour()
      expect(await tierNow()).toBe('Builder')
      expect(await limitsNow()).toEqual({ rpm: 600, tpm: 10_000_000 })
      expect(await tierEvents()).toEqual(['tier.raised'])
    })

    test('Builder: total paid reaches 200 USDT → Scale', async () => {
      await pay('10')
      await passHour()
      await pay('189.999999999')
      await passHour()
      expect(await tierNow()).toBe('Builder')
      await pay('0.000000001')
      await passHour()
      expect(await tierNow()).toBe('Scale')
      expect(await limitsNow()).toEqual({ rpm: 1_500, tpm: 30_000_000 })
      expect(await tierEvents()).toEqual(['tier.raised', 'tier.raised'])
    })

    test('(or lower): Starter with 200 USDT paid → Scale in one step', async () => {
      await pay('200')
      expect(await node.operations.evaluateTiers(OPERATOR)).toEqual({
        evaluated: 1,
        raised: [{ accountId: id, from: 'Starter', to: 'Scale' }],
      })
      expect(await tierNow()).toBe('Scale')
      const [event] = (await node.storage.listAuditEvents({ limit: 1, cursor: null })).data
      expect(event).toMatchObject({
        actor: OPERATOR,
        action: 'tier.raised',
        subject: id,
        before: { earned_tier: 'Starter', tier: 'Starter', total_paid: '200' },
        after: { earned_tier: 'Scale', tier: 'Scale', total_paid: '200' },
      })
    })

    test('any: operator grants it → Enterprise, limits set per account', async () => {
      await assign('Enterprise')
      expect(await limitsNow()).toEqual({ rpm: 3_000, tpm: 60_000_000 })
      await assign('Enterprise', { rpm: 9_000, tpm: 90_000_000 })
      expect(await tierNow()).toBe('Enterprise')
      expect(await limitsNow()).toEqual({ rpm: 9_000, tpm: 90_000_000 })
      expect(await tierEvents()).toEqual(['account.tier_assigned', 'account.tier_assigned'])
    })

    test('any: operator assigns it → Trial, slower; its end → the tier the account has earned, unasked', async () => {
      await pay('200')
      await passHour()
      const expiresAtMs = clock.nowMs() + 90 * 60_000
      await assign('Trial', { expiresAtMs })
      expect(await limitsNow()).toEqual({ rpm: 30, tpm: 500_000 })
      await passHour()
      expect(await tierNow()).toBe('Trial')
      clock.advance(30 * 60_000 - 1)
      expect(await tierNow()).toBe('Trial')
      clock.advance(1)
      // Nothing has changed: no evaluation has run since.
      expect(await tierNow()).toBe('Scale')
      expect(await limitsNow()).toEqual({ rpm: 1_500, tpm: 30_000_000 })
      expect(await tierEvents()).toEqual(['tier.raised', 'account.tier_assigned'])
      await passHour()
      await passHour()
      await node.operations.evaluateTiers(OPERATOR)
      expect(await tierEvents()).toEqual(['tier.raised', 'account.tier_assigned', 'tier.assignment_ended'])
      expect((await node.operations.findAccount(id)).tierAssignment).toBeNull()
    })

    test('Trial: what is paid meanwhile is earned, and in force when the assignment ends', async () => {
      await assign('Trial', { expiresAtMs: clock.nowMs() + 2 * HOUR_MS })
      await pay('10')
      await passHour()
      expect(await tierNow()).toBe('Trial')
      expect((await node.operations.findAccount(id)).earnedTier).toBe('Builder')
      clock.advance(HOUR_MS)
      expect(await tierNow()).toBe('Builder')
    })

    test('Trial without an end time stays until the operator ends it', async () => {
      await assign('Trial')
      clock.advance(10 * 365 * 24 * HOUR_MS)
      await node.evaluation.beat()
      expect(await tierNow()).toBe('Trial')
      await node.operations.endTierAssignment(id, OPERATOR)
      expect(await tierNow()).toBe('Starter')
      expect(await tierEvents()).toEqual(['account.tier_assigned', 'account.tier_ended'])
    })

    test.each(['Starter', 'Builder', 'Scale', 'Enterprise', 'Trial'] as const)(
      'any: operator sets a higher or lower tier with expiry → %s, then the earned one',
      async (tier) => {
        await pay('10')
        await passHour()
        await assign(tier, { expiresAtMs: clock.nowMs() + HOUR_MS })
        expect(await tierNow()).toBe(tier)
        await passHour()
        expect(await tierNow()).toBe('Builder')
        const [event] = (await node.storage.listAuditEvents({ limit: 1, cursor: null })).data
        expect(event).toMatchObject({
          actor: 'scheduler',
          action: 'tier.assignment_ended',
          before: { tier_assignment: { tier, reason: 'a reason', assigned_by: OPERATOR } },
          after: { tier: 'Builder', tier_assignment: null },
        })
      },
    )

    test('rule 1: evaluated once in every hour, at the full one', async () => {
      await pay('10')
      clock.advance(HOUR_MS - 1)
      await node.evaluation.beat()
      expect(await tierNow()).toBe('Starter')
      clock.advance(1)
      await node.evaluation.beat()
      expect(await tierNow()).toBe('Builder')
      await pay('190')
      clock.advance(HOUR_MS - 1)
      await node.evaluation.beat()
      expect(await tierNow()).toBe('Builder')
    })

    test('rule 2: a tier that was reached is kept: a refund lowers the balance, not the tier', async () => {
      await pay('200')
      await passHour()
      const refund = { amountNano: parseUsdt('200', 'amount'), reference: 'back', reason: 'asked for' }
      await node.operations.recordRefund(id, refund, OPERATOR)
      await passHour()
      expect(await tierNow()).toBe('Scale')
      expect((await node.operations.findAccount(id)).balanceNano).toBe(0n)
    })

    test('rule 2: an account saved by a node with an outdated tier keeps the one it has reached', async () => {
      const [stale] = await node.storage.loadAccounts()
      await pay('10')
      await passHour()
      if (stale === undefined) throw new Error('there is no account')
      const event = { id: 'evt', atMs: 0, actor: 'x', action: 'x', subject: id, before: null, after: null }
      await node.storage.saveAccount({ ...stale, name: 'Renamed' }, event)
      expect((await node.storage.loadAccounts())[0]).toMatchObject({ name: 'Renamed', earnedTier: 'Builder' })
    })

    describe('over a restart', () => {
      test('tiers, assignments and what was paid are as they were', async () => {
        await pay('10')
        await passHour()
        await assign('Trial', { expiresAtMs: clock.nowMs() + HOUR_MS, rpm: 7 })
        await restart()
        expect(await tierNow()).toBe('Trial')
        expect(await limitsNow()).toEqual({ rpm: 7, tpm: 500_000 })
        clock.advance(HOUR_MS)
        expect(await tierNow()).toBe('Builder')
      })

      test('an evaluation missed while no node ran is made up at the start', async () => {
        await pay('10')
        await node.storage.close()
        clock.advance(HOUR_MS)
        node = await startNode(site, { clock })
        expect(await tierNow()).toBe('Starter')
        await node.evaluation.beat()
        expect(await tierNow()).toBe('Builder')
      })

      test('an hour that was evaluated is not evaluated again', async () => {
        await pay('10')
        await restart()
        await node.evaluation.beat()
        expect(await tierNow()).toBe('Starter')
      })

      test('an assignment that ended while no node ran is recorded as ended, once', async () => {
        await assign('Trial', { expiresAtMs: clock.nowMs() + 60_000 })
        await node.storage.close()
        clock.advance(HOUR_MS)
        node = await startNode(site, { clock })
        expect(await tierNow()).toBe('Starter')
        await node.evaluation.beat()
        await restart()
        await passHour()
        expect(await tierEvents()).toEqual(['account.tier_assigned', 'tier.assignment_ended'])
      })
    })
  })
}
