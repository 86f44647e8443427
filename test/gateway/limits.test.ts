import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createKey, createLoneKey, openAccount } from '../support/accounts.ts'
import { chat, limitsOf, readError, refusalOf } from '../support/chat.ts'
import { createMovableClock } from '../support/movable-clock.ts'
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts'

const clock = createMovableClock()
let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway({ clock })
})
afterAll(() => gateway.stop())

const lookUp = (key: string) =>
  fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } })

/** Sends this many requests, one after the other, and gives the statuses seen. */
async function statusesOf(count: number, send: () => Promise<Response>): Promise<Set<number>> {
  const statuses = new Set<number>()
  for (let sent = 0; sent < count; sent += 1) {
    const response = await send()
    await response.arrayBuffer()
    statuses.add(response.status)
  }
  return statuses
}

describe('spec 8.1 and 8.2: requests per minute', () => {
  test('120 requests pass on Starter and the 121st is refused until the very second of the reset', async () => {
    const { secret: key } = await createLoneKey(gateway)
    const first = await chat(gateway.url, {}, { key })
    expect(limitsOf(first, 'requests')).toEqual([120, 119, 60])
    clock.advance(10_000)
    expect(await statusesOf(118, () => chat(gateway.url, {}, { key }))).toEqual(new Set([200]))
    const last = await chat(gateway.url, {}, { key })
    expect(last.status).toBe(200)
    expect(limitsOf(last, 'requests')).toEqual([120, 0, 50])

    clock.advance(12_500)
    const refused = await chat(gateway.url, {}, { key })
    expect(limitsOf(refused, 'requests')).toEqual([120, 0, 38])
    expect(refused.headers.get('retry-after')).toBe('38')
    expect(await refusalOf(refused)).toEqual([429, 'rate_limit_exceeded'])

    clock.advance(37_499)
    const stillRefused = await chat(gateway.url, {}, { key })
    expect(stillRefused.status).toBe(429)
    expect(stillRefused.headers.get('retry-after')).toBe('1')
    clock.advance(1)
    const fresh = await chat(gateway.url, {}, { key })
    expect(fresh.status).toBe(200)
    expect(limitsOf(fresh, 'requests')).toEqual([120, 119, 60])
  })

  test('a key with 3 RPM stops at 3 while another key of the account continues', async () => {
    const account = await openAccount(gateway)
    const { secret: narrow } = await createKey(gateway, account, { rpm: 3 })
    const { secret: wide } = await createKey(gateway, account)
    expect(await statusesOf(3, () => chat(gateway.url, {}, { key: narrow }))).toEqual(new Set([200]))
    const refused = await chat(gateway.url, {}, { key: narrow })
    expect(refused.status).toBe(429)
    expect(limitsOf(refused, 'requests')).toEqual([3, 0, 60])
    expect((await readError(refused)).message).toContain('3 requests per minute of this API key')
    const other = await chat(gateway.url, {}, { key: wide })
    expect(other.status).toBe(200)
    // Three of the other key and this one: the refused request took nothing of the account's window either.
    expect(limitsOf(other, 'requests')).toEqual([120, 116, 60])
  })

  test('a narrow key sees the account window once other keys have used it up', async () => {
    const account = await openAccount(gateway)
    const { secret: narrow } = await createKey(gateway, account, { rpm: 50 })
    const { secret: wide } = await createKey(gateway, account)
    await statusesOf(119, () => chat(gateway.url, {}, { key: wide }))
    const last = await chat(gateway.url, {}, { key: narrow })
    expect(limitsOf(last, 'requests')).toEqual([50, 0, 60])
    const refused = await chat(gateway.url, {}, { key: narrow })
    expect((await readError(refused)).message).toContain('120 requests per minute of this account')
  })

  test('a tier assignment changes the limit at once and its end returns the earned one', async () => {
    const account = await openAccount(gateway)
    const { secret: key } = await createKey(gateway, account)
    const expires_at = new Date(clock.nowMs() + 30_000).toISOString()
    await gateway.operator('PUT', `/accounts/${account}/tier`, { tier: 'Trial', reason: 'test', expires_at })
    expect(limitsOf(await chat(gateway.url, {}, { key }), 'requests')).toEqual([30, 29, 60])
    clock.advance(30_000)
    expect(limitsOf(await chat(gateway.url, {}, { key }), 'requests')).toEqual([120, 118, 30])
  })

  test('malformed requests and unknown models do not count', async () => {
    const { secret: key } = await createLoneKey(gateway)
    expect((await chat(gateway.url, { temperature: 9 }, { key })).status).toBe(400)
    expect((await chat(gateway.url, { model: 'none' }, { key })).status).toBe(404)
    expect(limitsOf(await chat(gateway.url, {}, { key }), 'requests')).toEqual([120, 119, 60])
  })
})

describe('spec 8.1 and 8.3: tokens per minute', () => {
  const prompt = (characters: number) => ({ messages: [{ role: 'user', content: 'x'.repeat(characters) }] })

  test.each([
    ['a fourth of the characters, rounded up, and 512', prompt(401), 101 + 512],
    ['max_tokens instead of 512', { ...prompt(400), max_tokens: 40 }, 100 + 40],
    ['max_completion_tokens instead of 512', { ...prompt(400), max_completion_tokens: 41 }, 100 + 41],
    [
      '1,600 for each media part whatever its length',
      {
        max_tokens: 10,
        messages: [
          { role: 'system', content: 'y'.repeat(40) },
          {
            role: 'user',
            content: [
              { type: 'text', text: 'x'.repeat(40) },
              { type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(4_000)}` } },
              { type: 'image_url', image_url: { url: 'https://example.invalid/cat.png' } },
            ],
          },
        ],
      },
      20 + 2 * 1_600 + 10,
    ],
  ])('a request counts %s', async (_what, fields, tokens) => {
    const { secret: key } = await createLoneKey(gateway, { tpm: 100_000 })
    const response = await chat(gateway.url, fields, { key })
    expect(response.status).toBe(200)
    expect(limitsOf(response, 'tokens')).toEqual([100_000, 100_000 - tokens, 60])
  })

  test('a request over the token limit is refused and counts neither tokens nor requests', async () => {
    const { secret: key } = await createLoneKey(gateway, { tpm: 1_000 })
    const first = await chat(gateway.url, { ...prompt(400), max_tokens: 600 }, { key })
    expect(limitsOf(first, 'tokens')).toEqual([1_000, 300, 60])
    clock.advance(20_000)
    const refused = await chat(gateway.url, { ...prompt(4), max_tokens: 300 }, { key })
    expect(refused.status).toBe(429)
    expect(refused.headers.get('retry-after')).toBe('40')
    expect(limitsOf(refused, 'tokens')).toEqual([1_000, 300, 40])
    expect(limitsOf(refused, 'requests')).toEqual([120, 119, 40])
    const fitting = await chat(gateway.url, { ...prompt(4), max_tokens: 299 }, { key })
    expect(fitting.status).toBe(200)
    expect(limitsOf(fitting, 'tokens')).toEqual([1_000, 0, 40])
  })

  test('a request larger than the whole limit gets advice to request less', async () => {
    const { secret: key } = await createLoneKey(gateway, { tpm: 100 })
    const refused = await chat(gateway.url, { max_tokens: 200 }, { key })
    expect(refused.status).toBe(429)
    expect((await readError(refused)).message).toContain('This request alone needs 201; ask for less.')
  })

  test('a request refused by its request window counts no tokens', async () => {
    const { secret: key } = await createLoneKey(gateway, { rpm: 1, tpm: 10_000 })
    await chat(gateway.url, { max_tokens: 99 }, { key })
    const refused = await chat(gateway.url, { max_tokens: 99 }, { key })
    expect(limitsOf(refused, 'tokens')).toEqual([10_000, 9_900, 60])
  })
})

describe('spec 8.4: headers', () => {
  test('token headers appear only with an estimate', async () => {
    const { secret: key } = await createLoneKey(gateway)
    expect(limitsOf(await chat(gateway.url, {}, { key }), 'tokens')).toEqual([2_000_000, 1_999_487, 60])
    const discovery = await lookUp(key)
    expect(limitsOf(discovery, 'tokens')).toEqual([null, null, null])
    expect(limitsOf(discovery, 'requests')).toEqual([120, 119, 60])
    expect(limitsOf(await chat(gateway.url, { n: 0 }, { key }), 'tokens')).toEqual([null, null, null])
  })

  test('streams have them too', async () => {
    const { secret: key } = await createLoneKey(gateway, { rpm: 9 })
    const response = await chat(gateway.url, { stream: true, max_tokens: 9 }, { key })
    await response.arrayBuffer()
    expect(limitsOf(response, 'requests')).toEqual([9, 8, 60])
    expect(limitsOf(response, 'tokens')).toEqual([2_000_000, 1_999_990, 60])
  })
})

describe('discovery', () => {
  test('does not count against the generation window and has its own limit of ten times the RPM', async () => {
    const { secret: key } = await createLoneKey(gateway, { rpm: 4 })
    expect(await statusesOf(40, () => lookUp(key))).toEqual(new Set([200]))
    const refused = await lookUp(key)
    expect(refused.headers.get('retry-after')).toBe('60')
    expect(limitsOf(refused, 'requests')).toEqual([4, 4, 0])
    expect(await refusalOf(refused)).toEqual([429, 'rate_limit_exceeded'])
    expect((await chat(gateway.url, {}, { key })).status).toBe(200)
    clock.advance(60_000)
    expect((await lookUp(key)).status).toBe(200)
  })
})

describe('exactness under concurrency', () => {
  test('200 parallel requests against a limit of 100 admit exactly 100', async () => {
    const { secret: key } = await createLoneKey(gateway, { rpm: 100 })
    const responses = await Promise.all(Array.from({ length: 200 }, () => chat(gateway.url, {}, { key })))
    await Promise.all(responses.map((response) => response.arrayBuffer()))
    const admitted = responses.filter(({ status }) => status === 200).length
    const refused = responses.filter(({ status }) => status === 429).length
    expect({ admitted, refused }).toEqual({ admitted: 100, refused: 100 })
  })
})
