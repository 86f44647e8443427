import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type Site, testedEngines } from '../../src/edges/storage/testing/engines.ts'
import { aSettlement } from '../../src/vocabulary/testing/specimens.ts'
import { findDifference } from '../support/find-difference.ts'
import { createMovableClock } from '../support/movable-clock.ts'
import { auditOf, type Node, startNode } from '../support/node.ts'

const TIMES = 12
const ONE_USDT = 1_000_000_000n

for (const engine of testedEngines()) {
  if (engine.name !== 'PostgreSQL') continue
  describe('two nodes on one PostgreSQL', () => {
    let site: Site
    let nodes: readonly [Node, Node]
    let id: string

    beforeEach(async () => {
      site = await engine.makeSite()
      const clock = createMovableClock()
      const first = await startNode(site, { clock })
      id = (await first.operations.createAccount({ name: 'a', email: null }, 'operator')).id
      nodes = [first, await startNode(site, { clock })]
    })
    afterEach(async () => {
      for (const { storage } of nodes) await storage.close()
      await site.remove()
    })

    const onBoth = <T>(work: (node: Node) => Promise<T>) =>
      Promise.allSettled(Array.from({ length: TIMES }, () => nodes.map(work)).flat())
    const eventsOf = async (action: string) =>
      (await auditOf(nodes[0])).filter((event) => event.startsWith(`${action} `)).length
    const stored = async () => (await nodes[0].storage.loadBalances()).get(id)
    const expectLedgerToAgree = async () => expect(await findDifference(nodes[0].storage)).toBeNull()

    test('record a payment once, on either node and in any way', async () => {
      const payment = { amountNano: ONE_USDT, reference: 'r', note: null }
      const line = { line: 2, accountId: id, amount: '1', reference: 'r', note: null }
      const ends = await Promise.all([
        onBoth(({ operations }) => operations.recordPayment(id, payment, 'payment-webhook')),
        onBoth(({ operations }) => operations.importPayments([line], 'operator')),
      ])
      expect(ends.flat().filter(({ status }) => status === 'rejected')).toEqual([])
      expect(await stored()).toBe(ONE_USDT)
      expect(await eventsOf('payment.recorded')).toBe(1)
      await expectLedgerToAgree()
    })

    test('accept one of two amounts under one reference, and refuse the other on both', async () => {
      const amounts = [ONE_USDT, 2n * ONE_USDT]
      const ends = await onBoth((node) => {
        const amountNano = amounts[nodes.indexOf(node)] ?? 0n
        return node.operations.recordPayment(id, { amountNano, reference: 'r', note: null }, 'operator')
      })
      expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(TIMES)
      expect(amounts).toContain((await stored()) ?? 0n)
      expect(await eventsOf('payment.recorded')).toBe(1)
      await expectLedgerToAgree()
    })

    test('record a refund once', async () => {
      const refund = { amountNano: ONE_USDT, reference: 'r', reason: 'asked for' }
      const ends = await onBoth(({ operations }) => operations.recordRefund(id, refund, 'operator'))
      expect(ends.filter(({ status }) => status === 'rejected')).toEqual([])
      expect(await stored()).toBe(-ONE_USDT)
      expect(await eventsOf('refund.recorded')).toBe(1)
      await expectLedgerToAgree()
    })

    test('record an adjustment once, and credit it on one of them', async () => {
      const adjustment = { amountNano: ONE_USDT, reference: 'r', reason: 'sorry' }
      const ends = await onBoth(({ operations }) => operations.recordAdjustment(id, adjustment, 'operator'))
      expect(ends.filter(({ status }) => status === 'rejected')).toEqual([])
      expect(await stored()).toBe(ONE_USDT)
      expect(nodes.reduce((sum, { money }) => sum + money.balanceNano(id), 0n)).toBe(ONE_USDT)
      expect(await eventsOf('adjustment.recorded')).toBe(1)
      await expectLedgerToAgree()
    })

    test('charge a settlement once that both have, in any order and batch', async () => {
      const batch = Array.from({ length: 150 }, (_, index) =>
        aSettlement({ requestId: `req_${index}`, accountId: id }),
      )
      const spentNano = batch.reduce((sum, { amountNano }) => sum + amountNano, 0n)
      await Promise.all([
        nodes[0].storage.writeSettlements(batch.slice(0, 100)),
        nodes[1].storage.writeSettlements(batch.slice(50).toReversed()),
        nodes[1].storage.writeSettlements(batch.slice(20, 120)),
      ])
      expect(spentNano).toBeGreaterThan(0n)
      expect(await stored()).toBe(-spentNano)
      await expectLedgerToAgree()
    })
  })
}
