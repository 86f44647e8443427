import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Site, testedEngines } from '../../src/edges/storage/testing/engines.ts'
import { balanceOf, openAccount } from '../support/accounts.ts'
import type { ErrorBody } from '../support/chat.ts'
import { findDifference } from '../support/find-difference.ts'
import { OPERATOR_TOKEN, startTestGateway, type TestGateway } from '../support/test-gateway.ts'

for (const engine of testedEngines()) {
  describe(`adjustments with a reference, on ${engine.name}`, () => {
    let site: Site
    let gateway: TestGateway
    beforeAll(async () => {
      site = await engine.makeSite()
      const { dataFolder, databaseUrl } = site
      gateway = await startTestGateway({
        dataFolder,
        environment: databaseUrl === null ? {} : { DATABASE_URL: databaseUrl },
      })
    })
    afterAll(async () => {
      await gateway.stop()
      await site.remove()
    })

    const adjust = async (account: string, fields: object) => {
      const response = await fetch(`${gateway.url}/operator/v1/accounts/${account}/adjustments`, {
        method: 'POST',
        headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' },
        body: JSON.stringify({ reason: 'sorry', ...fields }),
      })
      return { status: response.status, body: (await response.json()) as AdjustmentBody & ErrorBody }
    }
    const ledgerOf = async (account: string) =>
      (await gateway.operator<{ data: object[] }>('GET', `/accounts/${account}/ledger`)).data
    const eventsOf = async (account: string) =>
      (await gateway.operator<{ data: Event[] }>('GET', '/audit?limit=200')).data.filter(
        ({ subject, action }) => subject === account && action === 'adjustment.recorded',
      )

    test('are recorded once, and a repeated call gets the same answer', async () => {
      const id = await openAccount(gateway, '0')
      const first = await adjust(id, { amount: '-2.5', reference: 'ticket-1' })
      expect(first.status).toBe(200)
      expect(first.body).toMatchObject({ amount: '-2.5', reference: 'ticket-1', reason: 'sorry' })
      expect(await adjust(id, { amount: '-2.5', reference: 'ticket-1' })).toEqual(first)
      const reworded = await adjust(id, { amount: '-2.50', reference: 'ticket-1', reason: 'other words' })
      expect(reworded).toEqual(first)
      expect(await balanceOf(gateway, id)).toBe('-2.5')
      expect(await ledgerOf(id)).toMatchObject([
        { kind: 'adjustment', id: first.body.id, reference: 'ticket-1', note: 'sorry' },
      ])
      const after = {
        adjustment: first.body.id,
        amount: '-2.5',
        reference: 'ticket-1',
        reason: 'sorry',
      }
      expect(await eventsOf(id)).toMatchObject([{ before: null, after }])
    })

    test('are refused with another amount, like payments, and nothing is counted', async () => {
      const id = await openAccount(gateway, '0')
      await adjust(id, { amount: '1', reference: 'ticket-1' })
      for (const amount of ['2', '-1']) {
        const { status, body } = await adjust(id, { amount, reference: 'ticket-1' })
        expect(status).toBe(400)
        expect(body.error).toMatchObject({
          code: 'invalid_request',
          param: 'amount',
          message: 'Reference "ticket-1" was recorded before with another amount.',
        })
      }
      expect(await balanceOf(gateway, id)).toBe('1')
      expect(await eventsOf(id)).toHaveLength(1)
    })

    test('have references separate from payments, refunds and other accounts', async () => {
      const [id, other] = [await openAccount(gateway, '0'), await openAccount(gateway, '0')]
      await gateway.operator('POST', `/accounts/${id}/payments`, { amount: '10', reference: 'same' })
      const refund = { amount: '4', reference: 'same', reason: 'asked for' }
      await gateway.operator('POST', `/accounts/${id}/refunds`, refund)
      expect((await adjust(id, { amount: '1', reference: 'same' })).status).toBe(200)
      expect((await adjust(other, { amount: '2', reference: 'same' })).status).toBe(200)
      expect([await balanceOf(gateway, id), await balanceOf(gateway, other)]).toEqual(['7', '2'])
    })

    test('are recorded once when sent concurrently; without a reference each one counts', async () => {
      const id = await openAccount(gateway, '0')
      const many = (fields: object) => Promise.all(Array.from({ length: 8 }, () => adjust(id, fields)))
      const same = await many({ amount: '1', reference: 'ticket-1' })
      expect(new Set(same.map(({ status, body }) => `${status} ${body.id}`)).size).toBe(1)
      expect(await ledgerOf(id)).toHaveLength(1)
      const each = await many({ amount: '1' })
      expect(new Set(each.map(({ body }) => body.id)).size).toBe(8)
      expect(each.map(({ body }) => body.reference)).toEqual(Array(8).fill(null))
      expect(await balanceOf(gateway, id)).toBe('9')
      expect(await findDifference(gateway.storage)).toBeNull()
    })

    test('two amounts at once under one reference: one is counted, the other refused', async () => {
      const id = await openAccount(gateway, '0')
      const answers = await Promise.all(
        ['1', '2'].map((amount) => adjust(id, { amount, reference: 'ticket-1' })),
      )
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400])
      const [counted] = answers.filter(({ status }) => status === 200)
      expect(await balanceOf(gateway, id)).toBe(counted?.body.amount ?? '')
    })
  })
}

interface AdjustmentBody {
  readonly id: string
  readonly amount: string
  readonly reference: string | null
}

interface Event {
  readonly subject: string
  readonly action: string
}
