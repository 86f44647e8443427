import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { addAccount, type GatewayUnderTest, startGateway } from '../operator/gateway-under-test.ts'
import { findDifference } from '../support/find-difference.ts'

let gateway: GatewayUnderTest
let id: string
beforeEach(async () => {
  gateway = await startGateway()
  id = await addAccount(gateway)
})
afterEach(() => gateway.close())

const read = async () => (await gateway.ask(`GET /accounts/${id}`)).body
const auditActions = async () =>
  (await gateway.ask('GET /audit?limit=200')).body.data.map((event: { action: string }) => event.action)
const pay = (amount: string, reference: string) =>
  gateway.ask(`POST /accounts/${id}/payments`, { amount, reference })
const refund = (amount: string, reference: string) =>
  gateway.ask(`POST /accounts/${id}/refunds`, { amount, reference, reason: 'asked for' })

describe('refunds', () => {
  test('lower the balance and keep the total paid', async () => {
    await pay('10', 'inv-1')
    const { status, body } = await refund('2.5', 'back-1')
    expect(status).toBe(200)
    expect(body).toEqual({
      id: body.id,
      account_id: id,
      amount: '2.5',
      reference: 'back-1',
      reason: 'asked for',
      created_at: '2026-06-01T12:00:00Z',
    })
    expect(await read()).toMatchObject({ balance: '7.5', total_paid: '10' })
    expect(gateway.admissions.balanceNano(id)).toBe(7_500_000_000n)
    expect((await gateway.storage.loadBalances()).get(id)).toBe(7_500_000_000n)
    expect(await findDifference(gateway.storage)).toBeNull()
  })

  test('are recorded once per reference, and another amount is refused', async () => {
    await pay('10', 'inv-1')
    const first = await refund('1', 'back-1')
    gateway.clock.timeMs += 1
    expect((await refund('1', 'back-1')).body).toEqual(first.body)
    const other = await refund('2', 'back-1')
    expect(other.status).toBe(400)
    expect(other.body.error).toMatchObject({ code: 'invalid_request', param: 'amount' })
    expect((await read()).balance).toBe('9')
    expect(await auditActions()).toEqual(['refund.recorded', 'payment.recorded', 'account.created'])
  })

  test('have separate references', async () => {
    await pay('10', 'same')
    expect((await refund('10', 'same')).status).toBe(200)
    expect((await read()).balance).toBe('0')
  })

  test('sent concurrently with one reference count once', async () => {
    await pay('10', 'inv-1')
    const answers = await Promise.all(Array.from({ length: 10 }, () => refund('1', 'back-1')))
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
    expect((await read()).balance).toBe('9')
  })
})

const BAD_AMOUNTS = [
  '0',
  '-0',
  '0.000000000',
  '-1',
  '1.0000000001',
  '9223372036.854775808',
  '99999999999',
  '1000000000.000000001',
  '1e3',
  '1E-9',
  '0x10',
  '+5',
  ' 5',
  '5 ',
  '5 000',
  '1,5',
  '1_000',
  '.5',
  '5.',
  '٥',
  'five',
  'NaN',
  'Infinity',
  '--5',
  '5\u0000',
] as const

describe('invalid amounts are refused everywhere and change nothing', () => {
  for (const amount of BAD_AMOUNTS) {
    test(JSON.stringify(amount), async () => {
      const calls = [
        await gateway.ask(`POST /accounts/${id}/payments`, { amount, reference: 'r' }),
        await gateway.ask(`POST /accounts/${id}/refunds`, { amount, reference: 'r', reason: 'r' }),
      ]
      for (const { status, body } of calls) {
        expect(status).toBe(400)
        expect(body.error).toMatchObject({ code: 'invalid_request', param: 'amount' })
        expect(body.error.message).toStartWith('amount ')
      }
      const csv = `account_id,amount,reference\n${id},5,good\n${id},"${amount}",r`
      const imported = await gateway.ask('POST /payments/import', { csv })
      expect(imported.body.error.message).toStartWith('Nothing was imported. line 3: amount ')
      expect(await auditActions()).toEqual(['account.created'])
      expect(await read()).toMatchObject({ balance: '0', total_paid: '0' })
    })
  }

  test('a sum that no column could hold', async () => {
    for (let index = 0; index < 9; index++) expect((await pay('1000000000', `r${index}`)).status).toBe(200)
    const over = await pay('0.000000001', 'over')
    expect(over.status).toBe(400)
    expect(over.body.error.message).toStartWith('amount is too large: with it the account would reach')
    const csv = `account_id,amount,reference\n${id},1,over`
    expect((await gateway.ask('POST /payments/import', { csv })).body.error.message).toContain(
      'line 2: amount is too large',
    )
    expect(await read()).toMatchObject({ balance: '9000000000', total_paid: '9000000000' })
  })
})

const REFUSED: readonly [call: string, body: unknown, param: string | null][] = [
  ['POST /accounts/ID/refunds', { amount: '1', reason: 'r' }, 'reference'],
  ['POST /accounts/ID/refunds', { amount: '1', reference: 'r' }, 'reason'],
  ['POST /accounts/ID/refunds', { amount: '1', reference: 'r', reason: ' ' }, 'reason'],
  ['POST /accounts/ID/refunds', { amount: '1', reference: ' ', reason: 'r' }, 'reference'],
  ['POST /accounts/ID/refunds', { amount: 1, reference: 'r', reason: 'r' }, 'amount'],
  ['POST /accounts/ID/refunds', { amount: '1', reference: 'r', reason: 'r', note: 'x' }, 'note'],
  ['POST /payments/import', {}, 'csv'],
  ['POST /payments/import', { csv: 5 }, 'csv'],
  ['POST /payments/import', { csv: '' }, 'csv'],
  ['POST /payments/import', { csv: 'account_id,amount,reference\n' }, 'csv'],
  ['POST /payments/import', { csv: 'a', file: 'b' }, 'file'],
  ['GET /accounts/ID/payments?limit=0', undefined, 'limit'],
  ['GET /accounts/ID/ledger?cursor=x', undefined, 'cursor'],
  ['GET /accounts/ID/ledger?kind=refund', undefined, 'kind'],
]

describe('refusals', () => {
  test.each(REFUSED)('%s %j names %s', async (call, body, param) => {
    const answer = await gateway.ask(call.replace('ID', id), body)
    expect(answer.status).toBe(400)
    expect(answer.body.error).toMatchObject({ code: 'invalid_request', param })
    expect(await auditActions()).toEqual(['account.created'])
  })

  test.each([
    ['POST /accounts/nobody/refunds', { amount: '1', reference: 'r', reason: 'r' }],
    ['GET /accounts/nobody/payments', undefined],
    ['GET /accounts/nobody/ledger', undefined],
  ])('%s of an unknown account is not found', async (call, body) => {
    expect((await gateway.ask(call, body)).status).toBe(404)
  })
})

describe('lists', () => {
  test('show payments and ledger newest first, page by page', async () => {
    const other = await addAccount(gateway)
    await gateway.ask(`POST /accounts/${other}/payments`, { amount: '99', reference: 'r' })
    await pay('10', 'inv-1')
    gateway.clock.timeMs += 1_000
    await pay('5', 'inv-2')
    gateway.clock.timeMs += 1_000
    await refund('1', 'back-1')
    gateway.clock.timeMs += 1_000
    await gateway.ask(`POST /accounts/${id}/adjustments`, { amount: '-0.5', reason: 'sorry' })

    const payments = await gateway.ask(`GET /accounts/${id}/payments`)
    expect(payments.body.next_cursor).toBeNull()
    expect(payments.body.data).toMatchObject([
      { account_id: id, amount: '5', reference: 'inv-2', note: null, created_at: '2026-06-01T12:00:01Z' },
      { account_id: id, amount: '10', reference: 'inv-1' },
    ])

    const first = await gateway.ask(`GET /accounts/${id}/ledger?limit=3`)
    expect(first.body.data).toMatchObject([
      { kind: 'adjustment', amount: '-0.5', note: 'sorry', reference: null },
      { kind: 'refund', amount: '-1', note: 'asked for', reference: 'back-1' },
      { kind: 'payment', amount: '5', note: null, reference: 'inv-2', request_id: null, account_id: id },
    ])
    const rest = await gateway.ask(`GET /accounts/${id}/ledger?limit=3&cursor=${first.body.next_cursor}`)
    expect(rest.body).toMatchObject({
      data: [{ kind: 'payment', amount: '10', reference: 'inv-1' }],
      next_cursor: null,
    })
  })
})
