import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { generateKeyPairSync } from 'node:crypto'
import type { CallQuery, CallTools } from '../../src/suppliers/supplier-type.ts'
import { vertex } from '../../src/suppliers/vertex/index.ts'
import { type Clouds, startClouds } from './support/clouds.ts'

const HOUR_MS = 3_600_000

let clouds: Clouds

beforeAll(async () => {
  clouds = await startClouds()
})
afterAll(() => clouds.stop())

async function call(tools: CallTools, fields: Partial<CallQuery> = {}): Promise<Response> {
  const query: CallQuery = {
    format: 'content-generation',
    baseUrl: clouds.vertex.url,
    secret: clouds.vertex.secret,
    options: { location: 'us-east5', token_uri: clouds.vertex.tokenUri },
    upstreamModel: 'sandbox-chat',
    stream: false,
    body: '{"contents":[{"role":"user","parts":[{"text":"say: pong"}]}]}',
    clientHeaders: null,
    ...fields,
  }
  const { url, headers, body = query.body } = await vertex.target(query, tools)
  return fetch(url, { method: 'POST', headers, body })
}

async function fetchesDuring(work: () => Promise<unknown>): Promise<number> {
  const before = clouds.vertex.assertions.length
  await work()
  return clouds.vertex.assertions.length - before
}

describe('a token for a service account', () => {
  test('is issued for a signed assertion, and gives access to the API', async () => {
    const nowSeconds = Math.floor(clouds.clock.nowMs() / 1000)
    expect((await call(clouds.newTools())).status).toBe(200)
    expect(clouds.vertex.assertions.at(-1)).toEqual({
      iss: 'robot@test-project.iam.gserviceaccount.com',
      aud: clouds.vertex.tokenUri,
      scope: 'https://www.googleapis.com/auth/cloud-platform',
      iat: nowSeconds,
      exp: nowSeconds + 3_600,
    })
  })

  test('is fetched once for all waiting calls', async () => {
    const tools = clouds.newTools()
    const { promise, resolve } = Promise.withResolvers<void>()
    clouds.vertex.holdTokens(promise)
    const fetches = await fetchesDuring(async () => {
      const calls = Array.from({ length: 20 }, () => call(tools))
      resolve()
      expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(Array(20).fill(200))
    })
    expect(fetches).toBe(1)
  })

  test('is renewed shortly before it expires, and never used after that', async () => {
    const tools = clouds.newTools()
    expect(await fetchesDuring(() => call(tools))).toBe(1)
    clouds.clock.advance(HOUR_MS - 121_000)
    expect(await fetchesDuring(() => call(tools))).toBe(0)
    clouds.clock.advance(1_000)
    expect(await fetchesDuring(() => call(tools))).toBe(1)
    clouds.clock.advance(5 * HOUR_MS)
    expect((await call(tools)).status).toBe(200)
  })

  test('that is refused is reported without secrets', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    const secret = JSON.stringify({ ...JSON.parse(clouds.vertex.secret), private_key: pem })
    const error = await call(clouds.newTools(), { secret }).catch((reason: Error) => reason)
    expect(String(error)).toBe(
      'Error: no access token was given out for the service account (status 400, invalid_grant: Invalid JWT Signature.)',
    )
  })

  test('is not read from invalid answers, and no error quotes the assertion', async () => {
    for (const [answer, message] of [
      [() => new Response('<html>', { status: 502 }), '(status 502)'],
      [() => Response.json({ token_type: 'Bearer' }), '(status 200)'],
      [() => Response.redirect(`${clouds.vertex.url}/elsewhere`, 307), '(status 307)'],
      [
        () => Response.json({ error: 'x'.repeat(1_000) }, { status: 400 }),
        `(status 400, ${'x'.repeat(200)})`,
      ],
    ] as const) {
      clouds.vertex.refuseTokens(answer)
      await expect(call(clouds.newTools())).rejects.toThrow(message)
    }
    clouds.vertex.refuseTokens(null)
    const quoting = { ...clouds.newTools(), call: quoteAssertion }
    const error = await call(quoting).catch((reason: Error) => reason)
    expect(String(error)).toContain('bad assertion [removed]')
    expect(String(error)).not.toContain('eyJ')
  })

  test('that cannot be fetched fails the call, and the next call tries again', async () => {
    const tools = clouds.newTools()
    const options = { location: 'us-east5', token_uri: 'http://127.0.0.1:1/token' }
    await expect(call(tools, { options })).rejects.toThrow('does not answer')
    expect((await call(tools)).status).toBe(200)
  })
})

async function quoteAssertion(request: Request): Promise<Response> {
  const assertion = new URLSearchParams(await request.text()).get('assertion')
  return Response.json({ error: `bad assertion ${assertion}` }, { status: 400 })
}

test('the names of models in the API', async () => {
  const tools = clouds.newTools()
  const body = '{"model":"m","max_tokens":50,"messages":[{"role":"user","content":"say: pong"}]}'
  const counted = await call(tools, {
    format: 'messages',
    operation: 'count-tokens',
    body: '{"model":"sandbox-chat","messages":[{"role":"user","content":"say: pong"}]}',
  })
  expect(await counted.json()).toEqual({ input_tokens: expect.any(Number) })
  const reply = (await (await call(tools, { format: 'messages', body })).json()) as { content: unknown[] }
  expect(reply.content[0]).toMatchObject({ type: 'text', text: 'pong' })
  const google = await call(tools, { operation: 'count-tokens' })
  expect(google.status).toBe(200)
})
