import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { balanceOf, openAccount } from '../support/accounts.ts'
import { createMovableClock, type MovableClock } from '../support/movable-clock.ts'
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts'

const SECRET = 'processor-secret-for-tests'

let clock: MovableClock
let gateway: TestGateway
let id: string
beforeAll(async () => {
  clock = createMovableClock()
  gateway = await startTestGateway({ clock, environment: { TURNPIKE_PAYMENT_WEBHOOK_SECRET: SECRET } })
  id = await openAccount(gateway, '0')
})
afterAll(() => gateway.stop())

interface Post {
  readonly at?: number
  readonly secret?: string
  readonly header?: string | null
}

/** Sends a report as a processor does; the header can be replaced or left out. */
async function post(body: unknown, { at, secret = SECRET, header }: Post = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const seconds = at ?? Math.floor(clock.nowMs() / 1_000)
  const signature = createHmac('sha256', secret).update(`${seconds}.${text}`).digest('hex')
  const sent = header === undefined ? `t=${seconds},v1=${signature}` : header
  const response = await fetch(`${gateway.url}/webhooks/payments`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(sent !== null && { 'turnpike-signature': sent }) },
    body: text,
  })
  // biome-ignore lint/suspicious/noExplicitAny: answers are read as a processor without types reads them.
  return { status: response.status, body: (await response.json()) as any }
}

const report = (reference: string, amount = '10') => ({ account_id: id, amount, reference, note: 'card' })

describe('a payment processor', () => {
  test('reports a payment, which counts at once; repeating it changes nothing', async () => {
    const before = Number(await balanceOf(gateway, id))
    const first = await post(report('evt-1'))
    expect(first.status).toBe(200)
    expect(first.body).toMatchObject({ account_id: id, amount: '10', reference: 'evt-1', note: 'card' })
    expect(await post(report('evt-1'))).toEqual(first)
    // A report sent again later has a new signature.
    clock.advance(3_600_000)
    expect(await post(report('evt-1'))).toEqual(first)
    expect(Number(await balanceOf(gateway, id))).toBe(before + 10)
    const { data } = await gateway.operator<{ data: { actor: string; action: string }[] }>('GET', '/audit')
    expect(data.filter(({ actor }) => actor === 'payment-webhook').map(({ action }) => action)).toEqual([
      'payment.recorded',
    ])
  })

  test('is credited once for concurrent copies of a report', async () => {
    const before = Number(await balanceOf(gateway, id))
    const answers = await Promise.all(Array.from({ length: 10 }, () => post(report('evt-2'))))
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
    expect(Number(await balanceOf(gateway, id))).toBe(before + 10)
  })

  test('gets an error when a reference is reused with another amount', async () => {
    await post(report('evt-3'))
    const { status, body } = await post(report('evt-3', '11'))
    expect(status).toBe(400)
    expect(body.error).toMatchObject({ code: 'invalid_request', param: 'amount' })
  })

  test.each([
    ['{"account_id":', null],
    ['[]', null],
    [{ amount: '1', reference: 'r' }, 'account_id'],
    [{ account_id: 'x', amount: '1', reference: 'r', colour: 'red' }, 'colour'],
    [{ account_id: 'x', amount: 1, reference: 'r' }, 'amount'],
    [{ account_id: 'x', amount: '1e3', reference: 'r' }, 'amount'],
  ])('learns what is wrong with a signed report: %j', async (body, param) => {
    const answer = await post(body)
    expect(answer.status).toBe(400)
    expect(answer.body.error).toMatchObject({ code: 'invalid_request', param })
  })

  test('gets an error when it signs for an unknown account', async () => {
    expect(await post({ account_id: 'nobody', amount: '1', reference: 'r' })).toMatchObject({
      status: 404,
      body: { error: { code: 'not_found', message: 'There is no account "nobody".' } },
    })
  })

  test('learns that its clock is off, since only it could have signed', async () => {
    const seconds = Math.floor(clock.nowMs() / 1_000)
    for (const at of [seconds - 301, seconds + 301]) {
      const { status, body } = await post(report('evt-late'), { at })
      expect(status).toBe(401)
      expect(body.error.message).toContain('300 seconds')
    }
  })
})

describe('any other caller', () => {
  test('learns only that the signature is wrong, whatever it sends', async () => {
    const other = { secret: 'another-secret-entirely' }
    const answers = [
      await post(report('evt-4'), other),
      await post({ account_id: 'nobody', amount: '1', reference: 'r' }, other),
      await post('{"account_id":', other),
      await post(report('evt-4'), { ...other, at: 1 }),
      await post(report('evt-4'), { header: 't=1,v1=00' }),
      await post(report('evt-4'), { header: 'nonsense' }),
    ]
    for (const answer of answers) expect(answer).toEqual(answers[0] as (typeof answers)[0])
    expect(answers[0]).toMatchObject({ status: 401, body: { error: { code: 'auth_invalid', param: null } } })
  })

  test('gets an error that asks for a signature when there is none', async () => {
    expect(await post(report('evt-4'), { header: null })).toMatchObject({
      status: 401,
      body: { error: { code: 'auth_required' } },
    })
  })

  test('cannot use the operator token instead', async () => {
    const response = await fetch(`${gateway.url}/webhooks/payments`, {
      method: 'POST',
      headers: {
        authorization: 'Bearer operator-token-for-tests-0123456789',
        'content-type': 'application/json',
      },
      body: JSON.stringify(report('evt-5')),
    })
    expect(response.status).toBe(401)
  })

  test('gets a body larger than any report refused before its end', async () => {
    expect((await post('x'.repeat(65_537))).status).toBe(413)
  })
})

test('the endpoint does not exist without a secret', async () => {
  const other = await startTestGateway()
  try {
    const there = await fetch(`${other.url}/webhooks/payments`, { method: 'POST', body: '{}' })
    const nowhere = await fetch(`${other.url}/webhooks/nothing`, { method: 'POST', body: '{}' })
    expect(there.status).toBe(404)
    expect((await there.text()).replace('payments', 'nothing')).toBe(await nowhere.text())
  } finally {
    await other.stop()
  }
})
