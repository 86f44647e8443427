import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { type RawAnswer, sendRaw, writeRequest } from '../robustness/support/raw-client.ts'
import { createKey, createLoneKey, openAccount } from '../support/accounts.ts'
import { chat, limitsOf, readError, refusalOf } from '../support/chat.ts'
import { eventually } from '../support/eventually.ts'
import { createMovableClock } from '../support/movable-clock.ts'
import { addModel } from '../support/supply.ts'
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts'

const MEBIBYTE = 1024 * 1024
const clock = createMovableClock()
let gateway: TestGateway
let port = 0
beforeAll(async () => {
  gateway = await startTestGateway({
    clock,
    environment: {
      TURNPIKE_MAX_BODY_BYTES: String(MEBIBYTE),
      TURNPIKE_MAX_HELD_BODY_BYTES: String(3 * MEBIBYTE),
      TURNPIKE_MAX_HELD_BODY_BYTES_PER_ACCOUNT: String(2 * MEBIBYTE),
    },
  })
  port = Number(new URL(gateway.url).port)
})
afterAll(() => gateway.stop())

/** The head of a request whose body is announced and never sent, so its answer cannot depend on the body. */
function sendHeadOnly(key: string, bytes: number, path = '/v1/chat/completions'): Promise<RawAnswer> {
  return sendRaw(port, writeRequest({ path, headers: headersOf(key, bytes) }))
}

const headersOf = (key: string, bytes: number) => ({
  authorization: `Bearer ${key}`,
  'content-type': 'application/json',
  'content-length': String(bytes),
})

function summaryOf({ status, body, headers }: RawAnswer): readonly [number, string, string | undefined] {
  return [status, JSON.parse(body).error.code, headers['retry-after']]
}

const INVALID = JSON.stringify({ model: 'sandbox-chat', messages: 'x'.repeat(MEBIBYTE - 100) })

async function sendInvalid(key: string): Promise<readonly [number, string]> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  return refusalOf(
    await fetch(`${gateway.url}/v1/chat/completions`, { method: 'POST', headers, body: INVALID }),
  )
}

describe('requests that are refused', () => {
  test('stop being read after ten times the RPM, while another customer is served', async () => {
    const { secret: key } = await createLoneKey(gateway, { rpm: 1 })
    const { secret: other } = await createLoneKey(gateway, { rpm: 20 })
    for (let sent = 0; sent < 10; sent += 1) {
      expect(await sendInvalid(key)).toEqual([400, 'invalid_request'])
      expect((await chat(gateway.url, {}, { key: other })).status).toBe(200)
    }
    clock.advance(20_500)
    const refused = await sendHeadOnly(key, INVALID.length)
    expect(summaryOf(refused)).toEqual([429, 'rate_limit_exceeded', '40'])
    // The request window itself is untouched.
    expect(refused.headers['x-ratelimit-remaining-requests']).toBe('1')
    expect(await refusalOf(await chat(gateway.url, {}, { key }))).toEqual([429, 'rate_limit_exceeded'])
    expect((await chat(gateway.url, {}, { key: other })).status).toBe(200)
    clock.advance(39_500)
    const served = await chat(gateway.url, {}, { key })
    expect([served.status, limitsOf(served, 'requests')]).toEqual([200, [1, 0, 60]])
  })

  test('count, whatever the reason for the refusal', async () => {
    const { secret: key } = await createLoneKey(gateway, {
      rpm: 1,
      usage_limit: { period: 'forever', amount: '0.000000001' },
      model_allowlist: ['sandbox-chat'],
    })
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const post = (path: string, body: string, more = {}) =>
      fetch(gateway.url + path, { method: 'POST', headers: { ...headers, ...more }, body })
    const refusals: (() => Promise<Response>)[] = [
      () => post('/v1/chat/completions', '{'),
      () => post('/v1/chat/completions', '{}', { 'content-type': 'text/plain' }),
      () => post('/v1/chat/completions', 'x'.repeat(MEBIBYTE + 1)),
      () => chat(gateway.url, { model: 'none' }, { key }),
      () => chat(gateway.url, { temperature: 9 }, { key }),
      () => chat(gateway.url, {}, { key }),
      () => post('/v1/images/generations', '{}'),
      () => post('/v1/images/edits', '{}'),
      () => post('/v1/messages/count_tokens', '[]'),
      () => post('/v1/responses', '[]'),
    ]
    const statuses: number[] = []
    for (const send of refusals) statuses.push((await refusalOf(await send()))[0])
    expect(statuses).toEqual([400, 415, 413, 404, 400, 403, 400, 415, 400, 400])
    for (const path of ['/v1/chat/completions', '/v1/images/generations', '/v1/messages/count_tokens']) {
      expect(summaryOf(await sendHeadOnly(key, 100, path))).toEqual([429, 'rate_limit_exceeded', '60'])
    }
  })

  test('by the rate limit count too, and look-ups have a separate limit', async () => {
    const { secret: key } = await createLoneKey(gateway, { rpm: 1 })
    expect((await chat(gateway.url, {}, { key })).status).toBe(200)
    for (let sent = 0; sent < 10; sent += 1) {
      expect((await readError(await chat(gateway.url, {}, { key }))).message).toContain(
        '1 requests per minute',
      )
    }
    const error = await readError(await chat(gateway.url, {}, { key }))
    expect(error.message).toContain('Too many requests of this API key were refused: 10 requests per minute')
    const headers = { authorization: `Bearer ${key}` }
    expect((await fetch(`${gateway.url}/v1/models`, { headers })).status).toBe(200)
  })
})

describe('a request that must fail whatever its body is refused before the body is read', () => {
  test('when its account cannot pay', async () => {
    const account = await openAccount(gateway, '0')
    const { secret: key } = await createKey(gateway, account, { model_allowlist: ['sandbox-chat'] })
    const refused = await sendHeadOnly(key, 1_000)
    expect(summaryOf(refused).slice(0, 2)).toEqual([403, 'spending_limit_exceeded'])
    expect(refused.headers['x-ratelimit-remaining-requests']).toBe('120')
    expect(summaryOf(await sendHeadOnly(key, 1_000, '/v1/images/generations')).slice(0, 2)).toEqual([
      403,
      'spending_limit_exceeded',
    ])
    await gateway.operator('POST', `/accounts/${account}/payments`, { amount: '1', reference: 'before-body' })
    expect((await chat(gateway.url, {}, { key })).status).toBe(200)
  })

  test('but not when a model is free', async () => {
    const { secret: key } = await createKey(gateway, await openAccount(gateway, '0'), {
      model_allowlist: ['sandbox-chat', 'free'],
    })
    expect((await chat(gateway.url, {}, { key })).status).toBe(403)
    await addModel(gateway, 'free', { suppliers: [] })
    await gateway.operator('PUT', '/models/free/routes/sandbox-openai', {
      upstream_model: 'sandbox-chat',
      price: { input: '0', output: '0', cache_read: '0', cache_write: '0' },
      enabled: true,
    })
    expect((await chat(gateway.url, { model: 'free' }, { key })).status).toBe(200)
    expect(await refusalOf(await chat(gateway.url, {}, { key }))).toEqual([403, 'spending_limit_exceeded'])
  })

  test('when the body is large and the request window is full', async () => {
    const { secret: key } = await createLoneKey(gateway, { rpm: 1 })
    expect((await chat(gateway.url, {}, { key })).status).toBe(200)
    const refused = await sendHeadOnly(key, MEBIBYTE)
    expect(summaryOf(refused)).toEqual([429, 'rate_limit_exceeded', '60'])
    expect(refused.headers['x-ratelimit-remaining-requests']).toBe('0')
    // A small one costs nothing to read, and its error says what is wrong.
    expect((await chat(gateway.url, { temperature: 9 }, { key })).status).toBe(400)
    clock.advance(60_000)
    expect((await chat(gateway.url, { messages: 'x'.repeat(100_000) }, { key })).status).toBe(400)
  })
})

describe('bodies in memory', () => {
  const open: Socket[] = []

  /** Sends this much of a body of 1 MiB and waits with the rest; resolves when the gateway has asked for the body. */
  async function hold(key: string, sentBytes: number): Promise<void> {
    const socket = connect(port, '127.0.0.1')
    open.push(socket)
    const [start = ''] = writeRequest({ headers: { ...headersOf(key, MEBIBYTE), expect: '100-continue' } })
    socket.write(start)
    const answer = await new Promise<string>((resolve) =>
      socket.once('data', (bytes: Buffer) => resolve(bytes.toString('latin1'))),
    )
    expect(answer).toStartWith('HTTP/1.1 100')
    if (sentBytes > 0) socket.write(Buffer.alloc(sentBytes, ' '))
  }

  function leave(): void {
    for (const socket of open.splice(0)) socket.destroy()
  }

  const NO_ROOM = [503, 'temporarily_unavailable', '1'] as const

  test('may take up the share of their account, and other accounts are served', async () => {
    const { secret: key } = await createLoneKey(gateway)
    const { secret: other } = await createLoneKey(gateway)
    await hold(key, 0)
    await hold(key, 0)
    expect(summaryOf(await sendHeadOnly(key, 1_000))).toEqual([...NO_ROOM])
    expect((await chat(gateway.url, {}, { key: other })).status).toBe(200)
    leave()
    await eventually(
      'room for the account',
      async () => (await chat(gateway.url, {}, { key })).status === 200,
    )
  })

  test('may take up the share of the process, and small requests are still served', async () => {
    const keys = await Promise.all(Array.from({ length: 4 }, () => createLoneKey(gateway)))
    const [last = '', ...others] = keys.map(({ secret }) => secret)
    for (const key of others) await hold(key, MEBIBYTE - 1)
    // The bytes are on their way; once they are here there is no room for another large body.
    const refused = await eventually('a full gateway', async () => {
      const answer = await sendHeadOnly(last, MEBIBYTE, '/v1/messages')
      return answer.status === 503 && answer
    })
    expect(summaryOf(refused)).toEqual([...NO_ROOM])
    expect((await chat(gateway.url, {}, { key: last })).status).toBe(200)
    leave()
    const whole = { messages: [{ role: 'user', content: 'x'.repeat(MEBIBYTE - 1_000) }] }
    await eventually('room for a large body', async () => {
      return (await chat(gateway.url, whole, { key: last })).status === 200
    })
  })
})
