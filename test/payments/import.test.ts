import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type Site, testedEngines } from '../../src/edges/storage/testing/engines.ts'
import type { PaymentLine } from '../../src/vocabulary/ledger.ts'
import { findDifference } from '../support/find-difference.ts'
import { createMovableClock } from '../support/movable-clock.ts'
import { auditOf, type Node, startNode } from '../support/node.ts'

for (const engine of testedEngines()) {
  describe(`an import of payments on ${engine.name}`, () => {
    let site: Site
    let node: Node
    let ids: readonly [string, string]

    beforeEach(async () => {
      site = await engine.makeSite()
      node = await startNode(site, { clock: createMovableClock() })
      const create = async (name: string) =>
        (await node.operations.createAccount({ name, email: null }, 'operator')).id
      ids = [await create('a'), await create('b')]
    })
    afterEach(async () => {
      await node.storage.close()
      await site.remove()
    })

    let line = 1
    const payment = (change: Partial<PaymentLine>): PaymentLine => ({
      line: ++line,
      accountId: ids[0],
      amount: '1',
      reference: 'r',
      note: null,
      ...change,
    })
    const importing = (...lines: Partial<PaymentLine>[]) => {
      line = 1
      return node.operations.importPayments(lines.map(payment), 'operator')
    }
    const standing = async (id: string) => {
      const { balanceNano, ...account } = await node.operations.findAccount(id)
      return { paid: account.totalPaidNano, balance: balanceNano }
    }
    const storedTotals = async () =>
      (await node.storage.loadAccounts()).map((account) => account.totalPaidNano)
    const paymentEvents = async () =>
      (await auditOf(node)).filter((event) => event.startsWith('payment.recorded'))

    test('raises balances and totals, each payment with its audit event', async () => {
      const [a, b] = ids
      expect(
        await importing(
          { amount: '10', reference: 'x' },
          { accountId: b, amount: '0.5', reference: 'x', note: 'n' },
          { amount: '2', reference: 'y' },
        ),
      ).toEqual({ recorded: 3, alreadyRecorded: 0, totalNano: 12_500_000_000n })
      expect(await standing(a)).toEqual({ paid: 12_000_000_000n, balance: 12_000_000_000n })
      expect(await standing(b)).toEqual({ paid: 500_000_000n, balance: 500_000_000n })
      expect((await storedTotals()).toSorted()).toEqual([12_000_000_000n, 500_000_000n].toSorted())
      expect(await findDifference(node.storage)).toBeNull()
      expect(await paymentEvents()).toHaveLength(3)
      const [last] = (await node.storage.listAuditEvents({ limit: 200, cursor: null })).data.filter(
        ({ after }) => after !== null && 'reference' in after && after.reference === 'y',
      )
      expect(last).toMatchObject({ before: { total_paid: '10' }, after: { total_paid: '12' } })
    })

    test('can be repeated: known payments are counted and change nothing', async () => {
      const lines = [
        { amount: '10', reference: 'x' },
        { amount: '5', reference: 'y' },
      ]
      await importing(...lines)
      expect(
        await importing(...lines, { amount: '1', reference: 'z' }, { amount: '1', reference: 'z' }),
      ).toEqual({
        recorded: 1,
        alreadyRecorded: 3,
        totalNano: 1_000_000_000n,
      })
      expect((await standing(ids[0])).balance).toBe(16_000_000_000n)
      expect(await paymentEvents()).toHaveLength(3)
    })

    test('is refused completely when one line is wrong, with the line and the reason', async () => {
      await expect(
        importing(
          { reference: 'good' },
          { reference: '  ' },
          { accountId: 'nobody', reference: 'q' },
          { amount: '-1', reference: 's' },
          { reference: 'x'.repeat(201) },
        ),
      ).rejects.toThrow(
        'Nothing was imported. line 3: reference must not be blank. line 4: There is no account "nobody". ' +
          'line 5: amount must be greater than zero. line 6: reference must have at most 200 characters.',
      )
      expect(await standing(ids[0])).toEqual({ paid: 0n, balance: 0n })
      expect(await storedTotals()).toEqual([0n, 0n])
      expect(await paymentEvents()).toEqual([])
    })

    test('is refused completely when a reference has another amount, in the database or in the file', async () => {
      await importing({ amount: '10', reference: 'x' })
      await expect(
        importing(
          { amount: '7', reference: 'new' },
          { amount: '11', reference: 'x' },
          { amount: '1', reference: 'twice' },
          { amount: '2', reference: 'twice' },
        ),
      ).rejects.toThrow(
        'Nothing was imported. line 3: reference "x" was recorded before with another amount. ' +
          'line 5: reference "twice" was recorded before with another amount.',
      )
      expect(await standing(ids[0])).toEqual({ paid: 10_000_000_000n, balance: 10_000_000_000n })
      expect(await storedTotals()).toContain(10_000_000_000n)
      expect(await paymentEvents()).toHaveLength(1)
      expect((await node.storage.listPayments(ids[0], { limit: 10, cursor: null })).data).toHaveLength(1)
    })

    test('names ten wrong lines and counts the rest', async () => {
      const lines = Array.from({ length: 13 }, (_, index) => ({ amount: 'x', reference: `r${index}` }))
      const refusal = await importing(...lines).catch((error: Error) => error.message)
      expect(String(refusal).match(/line \d+:/g)).toHaveLength(10)
      expect(refusal).toEndWith(' And 3 more.')
    })

    test('of more than ten thousand payments is refused', async () => {
      const lines = Array.from({ length: 10_001 }, (_, index) => ({ reference: `r${index}` }))
      await expect(importing(...lines)).rejects.toThrow('import at most 10000 at a time')
    })

    test('records a payment once that is also sent separately at the same time', async () => {
      const [recorded] = await Promise.all([
        importing({ amount: '10', reference: 'x' }, { amount: '1', reference: 'y' }),
        node.operations.recordPayment(
          ids[0],
          { amountNano: 10_000_000_000n, reference: 'x', note: null },
          'o',
        ),
      ])
      expect(recorded.recorded + recorded.alreadyRecorded).toBe(2)
      expect((await standing(ids[0])).paid).toBe(11_000_000_000n)
      expect(await findDifference(node.storage)).toBeNull()
    })

    if (engine.name === 'PostgreSQL') {
      test('on two nodes at once records each payment once', async () => {
        const other = await startNode(site, { clock: createMovableClock() })
        try {
          const lines = Array.from({ length: 100 }, (_, index) => ({ reference: `r${index}` }))
          line = 1
          const forwards = lines.map(payment)
          const results = await Promise.all([
            node.operations.importPayments(forwards, 'operator'),
            other.operations.importPayments(forwards.toReversed(), 'operator'),
          ])
          expect(results.map(({ recorded }) => recorded).reduce((sum, count) => sum + count)).toBe(100)
          expect(await storedTotals()).toContain(100_000_000_000n)
          expect(await paymentEvents()).toHaveLength(100)
          expect(await findDifference(node.storage)).toBeNull()
        } finally {
          await other.storage.close()
        }
      })
    }
  })
}
