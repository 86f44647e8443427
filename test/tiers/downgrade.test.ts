import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type Site, testedEngines } from '../../src/edges/storage/testing/engines.ts'
import type { Account } from '../../src/vocabulary/account.ts'
import { createMovableClock, type MovableClock } from '../support/movable-clock.ts'
import { auditOf, type Node, startNode } from '../support/node.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const GRACE_MS = 14 * DAY_MS

/** As another program brought it in, or as it was earned under lower thresholds: nothing was paid for this tier. */
const UNPAID: Account = {
  id: 'acc_unpaid',
  name: 'Unpaid',
  email: null,
  earnedTier: 'Scale',
  tierAssignment: null,
  totalPaidNano: 0n,
  creditLineNano: 0n,
  balanceAlertNano: null,
  state: 'active',
  stateReason: null,
  createdAtMs: 0,
}

for (const engine of testedEngines()) {
  describe(`3.1 rule 3: a tier that is not paid for, on ${engine.name}`, () => {
    let site: Site
    let clock: MovableClock
    let node: Node

    beforeEach(async () => {
      site = await engine.makeSite()
      clock = createMovableClock()
      node = await startNode(site, { clock })
      const event = {
        id: 'evt',
        atMs: 0,
        actor: 'x',
        action: 'made',
        subject: 'x',
        before: null,
        after: null,
      }
      await node.storage.saveAccount(UNPAID, event)
    })
    afterEach(async () => {
      await node.storage.close()
      await site.remove()
    })

    const restart = async (tierGraceMs: number | null) => {
      await node.storage.close()
      node = await startNode(site, { clock, tierGraceMs })
    }
    const evaluateAfter = async (ms: number) => {
      clock.advance(ms)
      await node.evaluation.beat()
      return (await node.operations.findAccount(UNPAID.id)).tier
    }
    const actions = async () => (await auditOf(node)).map((event) => event.split(' ')[0])

    test('is kept for good when downgrade is off', async () => {
      await restart(null)
      expect(await evaluateAfter(0)).toBe('Scale')
      expect(await evaluateAfter(10 * GRACE_MS)).toBe('Scale')
      expect(await actions()).toEqual(['made'])
    })

    test('is lowered when the grace period since it was first seen is over, also over a restart', async () => {
      await restart(GRACE_MS)
      expect(await evaluateAfter(0)).toBe('Scale')
      expect(await actions()).toEqual(['made', 'tier.downgrade_pending'])
      expect(await evaluateAfter(7 * DAY_MS)).toBe('Scale')
      await restart(GRACE_MS)
      expect(await evaluateAfter(7 * DAY_MS - HOUR_MS)).toBe('Scale')
      expect(await evaluateAfter(HOUR_MS)).toBe('Starter')
      expect(await evaluateAfter(HOUR_MS)).toBe('Starter')
      expect(await actions()).toEqual(['made', 'tier.downgrade_pending', 'tier.lowered'])
      const [event] = (await node.storage.listAuditEvents({ limit: 1, cursor: null })).data
      expect(event).toMatchObject({ before: { earned_tier: 'Scale' }, after: { earned_tier: 'Starter' } })
    })

    test('is kept when it is paid for in time, and the grace period starts over the next time', async () => {
      await restart(GRACE_MS)
      await evaluateAfter(0)
      const payment = { amountNano: 200_000_000_000n, reference: 'r', note: null }
      await node.operations.recordPayment(UNPAID.id, payment, 'operator')
      expect(await evaluateAfter(HOUR_MS)).toBe('Scale')
      expect(await evaluateAfter(2 * GRACE_MS)).toBe('Scale')
      expect(await actions()).toEqual([
        'made',
        'tier.downgrade_pending',
        'payment.recorded',
        'tier.downgrade_cancelled',
      ])
      expect(await node.storage.loadTierDoubts()).toEqual(new Map())
    })

    test('is not doubted any more when downgrade is switched off', async () => {
      await restart(GRACE_MS)
      await evaluateAfter(0)
      await restart(null)
      expect(await evaluateAfter(GRACE_MS)).toBe('Scale')
      await restart(GRACE_MS)
      expect(await evaluateAfter(HOUR_MS)).toBe('Scale')
      expect(await evaluateAfter(GRACE_MS - HOUR_MS)).toBe('Scale')
      expect(await evaluateAfter(HOUR_MS)).toBe('Starter')
    })
  })
}
