import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import type { Fault } from '../../src/sandbox/faults.ts'
import { createLoneKey, type KeyFields } from '../support/accounts.ts'
import { chat, limitsOf, readError } from '../support/chat.ts'
import { createMovableClock } from '../support/movable-clock.ts'
import { settlementsOf } from '../support/settlements.ts'
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts'
import type { Fields } from './support/responses-client.ts'

const clock = createMovableClock()
let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway({ clock })
})
afterEach(() => gateway.sandbox.faults.clear())
afterAll(() => gateway.stop())

const VIA_ANTHROPIC: KeyFields = {
  route_policy: { mode: 'specified_provider', provider: 'sandbox-anthropic' },
}
const TOOL = { name: 'weather', input_schema: { type: 'object', properties: { city: { type: 'string' } } } }
const HELLO = { contents: [{ role: 'user', parts: [{ text: 'How long is this?' }] }] }

function post(path: string, key: string, body: Fields): Promise<Response> {
  return fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'x-goog-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}

function countMessages(key: string, fields: Fields = {}): Promise<Response> {
  const messages = [{ role: 'user', content: 'How long is this?' }]
  return post('/v1/messages/count_tokens', key, { model: 'sandbox-chat', messages, ...fields })
}

function countContents(key: string, body: Fields = HELLO, model = 'sandbox-chat'): Promise<Response> {
  return post(`/v1beta/models/${model}:countTokens`, key, body)
}

async function tokensOf(counting: Promise<Response>): Promise<number> {
  const response = await counting
  const body = (await response.json()) as { input_tokens?: number; totalTokens?: number }
  if (!response.ok) throw new Error(JSON.stringify(body))
  return body.input_tokens ?? body.totalTokens ?? Number.NaN
}

/** `How long is this?` is 17 characters; the sandbox sees the role before it, the estimate does not. */
const ESTIMATE = Math.ceil(17 / 4)

describe('spec 4.4: a count of messages', () => {
  let key: string
  beforeAll(async () => {
    key = (await createLoneKey(gateway, VIA_ANTHROPIC)).secret
  })

  test('is the supplier’s own count, including instructions and tools', async () => {
    const bare = await tokensOf(countMessages(key))
    expect(gateway.sandbox.calls.at(-1)?.path).toBe('/v1/messages/count_tokens')
    expect(bare).not.toBe(ESTIMATE)
    const system = await tokensOf(countMessages(key, { system: 'x'.repeat(400) }))
    expect(system - bare).toBeGreaterThanOrEqual(100)
    expect(system - bare).toBeLessThanOrEqual(101)
    expect(await tokensOf(countMessages(key, { tools: [TOOL] }))).toBeGreaterThan(bare)
  })

  const TROUBLES: readonly (readonly [string, Fault])[] = [
    ['refuses', { type: 'status', status: 400 }],
    ['fails', { type: 'status', status: 500 }],
    ['has no capacity', { type: 'status', status: 429, retryAfterSeconds: 60 }],
    ['says something else', { type: 'status', status: 404, body: '{}' }],
    ['is not there', { type: 'refuse' }],
    ['never answers', { type: 'hang' }],
  ]
  test.each(TROUBLES)('is our estimate when the supplier %s', async (_name, fault) => {
    gateway.sandbox.faults.set({ times: 1, fault })
    expect(await tokensOf(countMessages(key))).toBe(ESTIMATE)
    expect(gateway.sandbox.faults.list()).toEqual([])
  })

  test('that is estimated includes instructions and tools too', async () => {
    const other = (
      await createLoneKey(gateway, {
        route_policy: { mode: 'specified_provider', provider: 'sandbox-openai' },
      })
    ).secret
    expect(await tokensOf(countMessages(other))).toBe(ESTIMATE)
    expect(await tokensOf(countMessages(other, { system: 'x'.repeat(400) }))).toBe(Math.ceil(417 / 4))
    const tools = await tokensOf(countMessages(other, { tools: [TOOL] }))
    expect(tools).toBeGreaterThanOrEqual(Math.ceil((17 + JSON.stringify(TOOL).length - 10) / 4))
  })

  test('is refused for a model the key may not use, as if there were none', async () => {
    const narrow = (await createLoneKey(gateway, { model_allowlist: ['sandbox-tools'] })).secret
    for (const model of ['sandbox-chat', 'nobody-knows']) {
      const response = await countMessages(narrow, { model })
      expect([response.status, (await readError(response)).code]).toEqual([404, 'model_not_found'])
    }
  })
})

describe('spec 4.10: a count of contents', () => {
  let key: string
  beforeAll(async () => {
    key = (await createLoneKey(gateway)).secret
  })

  test('has the shape of the specification', async () => {
    expect(await (await countContents(key)).json()).toEqual({
      totalTokens: ESTIMATE,
      cachedContentTokenCount: 0,
      promptTokensDetails: [{ modality: 'TEXT', tokenCount: ESTIMATE }],
      cacheTokensDetails: [],
    })
  })

  test('accepts a whole request too, and counts its instructions and tools', async () => {
    const systemInstruction = { parts: [{ text: 'x'.repeat(400) }] }
    const tools = [{ functionDeclarations: [{ name: 'weather', description: 'y'.repeat(80) }] }]
    const count = (request: Fields) => tokensOf(countContents(key, { generateContentRequest: request }))
    expect(await count(HELLO)).toBe(ESTIMATE)
    expect(await count({ ...HELLO, model: 'models/sandbox-chat', systemInstruction })).toBe(
      Math.ceil(417 / 4),
    )
    expect(await count({ ...HELLO, tools })).toBeGreaterThanOrEqual(ESTIMATE + 20)
  })

  test.each<[string, Fields]>([
    ['neither', {}],
    ['both', { ...HELLO, generateContentRequest: HELLO }],
  ])('requires exactly one of contents and generateContentRequest, not %s', async (_name, body) => {
    const response = await countContents(key, body)
    const { code, message } = await readError(response)
    expect([response.status, code]).toEqual([400, 'invalid_request'])
    expect(message).toContain('generateContentRequest')
  })

  test('is refused for an unknown model', async () => {
    expect((await countContents(key, HELLO, 'nobody-knows')).status).toBe(404)
  })
})

describe('counting', () => {
  const COUNTS = {
    messages: countMessages,
    'content-generation': countContents,
    responses: (key: string) =>
      post('/v1/responses/input_tokens', key, { model: 'sandbox-chat', input: 'How long is this?' }),
  }
  test.each(Object.entries(COUNTS))(
    'in %s does not count against generation windows, and settles nothing',
    async (_name, count) => {
      const key = await createLoneKey(gateway, { rpm: 3, tpm: 5_000 })
      const before = await chat(gateway.url, { max_tokens: 10 }, { key: key.secret })
      const left = (response: Response) => [limitsOf(response, 'requests')[1]]
      for (let counted = 0; counted < 5; counted += 1) {
        const response = await count(key.secret)
        expect([response.status, left(response)]).toEqual([200, left(before)])
      }
      const after = await chat(gateway.url, { max_tokens: 10 }, { key: key.secret })
      expect(left(after)).toEqual([Number(left(before)[0]) - 1])
      const tokens = (response: Response) => Number(limitsOf(response, 'tokens')[1])
      expect(tokens(before) - tokens(after)).toBe(5_000 - tokens(before))
      expect(await settlementsOf(gateway, key.id, 2)).toHaveLength(2)
    },
  )

  test('does not call a supplier that is failing or paused', async () => {
    const { secret } = await createLoneKey(gateway, VIA_ANTHROPIC)
    const fault: Fault = { type: 'status', status: 429, retryAfterSeconds: 30 }
    gateway.sandbox.faults.set({ times: 1, fault })
    expect((await chat(gateway.url, {}, { key: secret })).status).toBe(429)
    const before = gateway.sandbox.calls.length
    expect(await tokensOf(countMessages(secret))).toBe(ESTIMATE)
    expect(gateway.sandbox.calls).toHaveLength(before)
    clock.advance(30_000)
    expect(await tokensOf(countMessages(secret))).not.toBe(ESTIMATE)
  })

  test('has a separate limit of ten times the RPM, shared by all look-ups', async () => {
    const { secret } = await createLoneKey(gateway, { rpm: 1 })
    for (let counted = 0; counted < 9; counted += 1) expect((await countContents(secret)).status).toBe(200)
    expect((await countMessages(secret)).status).toBe(200)
    const refused = await countContents(secret)
    expect([refused.status, (await readError(refused)).code]).toEqual([429, 'rate_limit_exceeded'])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    // Generation has its own window, which is untouched.
    expect((await chat(gateway.url, {}, { key: secret })).status).toBe(200)
    clock.advance(60_000)
    expect((await countContents(secret)).status).toBe(200)
  })
})
