import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import { createLoneKey, type IssuedKey } from '../support/accounts.ts'
import { type ChatFields, chat, limitsOf, readError, refusalOf } from '../support/chat.ts'
import { createMovableClock } from '../support/movable-clock.ts'
import { PauseGate } from '../support/pause-gate.ts'
import { onlySettlementOf } from '../support/settlements.ts'
import { StreamReader } from '../support/stream-reader.ts'
import { addModel, addSupplier } from '../support/supply.ts'
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts'

const NAMES = ['first', 'second', 'third', 'fourth'] as const
const clock = createMovableClock()
const gate = new PauseGate()
let gateway: TestGateway
let sandboxes: Record<(typeof NAMES)[number], Sandbox>
let key: IssuedKey

beforeEach(async () => {
  gateway = await startTestGateway({ clock, environment: { TURNPIKE_FIRST_BYTE_TIMEOUT_SECONDS: '1' } })
  sandboxes = {
    first: startSandbox({ wait: gate.wait }),
    second: startSandbox(),
    third: startSandbox(),
    fourth: startSandbox(),
  }
  for (const name of NAMES) await addSupplier(gateway, { id: name, sandbox: sandboxes[name] })
  await addModel(gateway, 'pair', { suppliers: ['first', 'second'] })
  await addModel(gateway, 'four', { suppliers: NAMES })
  key = await createLoneKey(gateway)
})
afterEach(async () => {
  await gateway.stop()
  for (const sandbox of Object.values(sandboxes)) await sandbox.stop()
})

const ask = (fields: ChatFields) => chat(gateway.url, fields, { key: key.secret })
const servedBy = (response: Response) => [
  response.headers.get('x-gateway-route'),
  response.headers.get('x-gateway-attempts'),
]
/** How many calls each sandbox gets while the work is done. */
async function countCalls(work: () => Promise<unknown>): Promise<number[]> {
  const counts = () => NAMES.map((name) => sandboxes[name].calls.at(-1)?.number ?? 0)
  const before = counts()
  await work()
  return counts().map((count, index) => count - (before[index] ?? 0))
}

describe('before the first byte another supplier is tried', () => {
  test('not when the first one answers', async () => {
    expect(servedBy(await ask({ model: 'pair' }))).toEqual(['first', '1'])
  })

  const FAULTS = [
    ['fails', { type: 'status', status: 500 }],
    ['is overloaded', { type: 'status', status: 503 }],
    ['is rate-limited', { type: 'status', status: 429, retryAfterSeconds: 30 }],
    ['refuses our credential', { type: 'status', status: 401 }],
    ['closes the connection', { type: 'refuse' }],
    ['answers nonsense', { type: 'garbage' }],
    ['never answers', { type: 'hang' }],
  ] as const

  for (const stream of [false, true]) {
    test.each(FAULTS)(`when the first one %s, stream ${stream}`, async (_how, fault) => {
      sandboxes.first.faults.set({ times: 1, fault })
      const response = await ask({ model: 'pair', stream })
      expect(response.status).toBe(200)
      expect(servedBy(response)).toEqual(['second', '2'])
      expect(await response.text()).toContain('pong')
    })
  }

  test('when the first one fails with its first event', async () => {
    sandboxes.first.faults.set({ times: 1, fault: { type: 'error-in-stream', afterPieces: 0 } })
    const response = await ask({ model: 'pair', stream: true })
    expect(servedBy(response)).toEqual(['second', '2'])
    expect(await response.text()).toEndWith('data: [DONE]\n\n')
  })

  test('but not after the first byte', async () => {
    sandboxes.first.faults.set({ times: 1, fault: { type: 'error-in-stream', afterPieces: 2 } })
    sandboxes.first.faults.set({ times: 1, fault: { type: 'latency', betweenPiecesMs: 1 } })
    const calls = await countCalls(async () => {
      const response = await ask({ model: 'pair', stream: true })
      expect(servedBy(response)).toEqual(['first', '1'])
      const reader = new StreamReader(response)
      await reader.readUntil('assistant')
      gate.open()
      expect(await reader.readToEnd()).toContain('"code":"provider_error"')
    })
    expect(calls).toEqual([1, 0, 0, 0])
  })

  test('and at most three are tried', async () => {
    for (const sandbox of Object.values(sandboxes)) {
      sandbox.faults.set({ fault: { type: 'status', status: 500 } })
    }
    const calls = await countCalls(async () => {
      const response = await ask({ model: 'four' })
      expect(response.headers.get('x-should-retry')).toBe('false')
      expect(await refusalOf(response)).toEqual([502, 'provider_error'])
    })
    expect(calls).toEqual([1, 1, 1, 0])
    const { attempts } = await onlySettlementOf(gateway, key.id)
    expect(attempts.map(({ supplier, result }) => [supplier, result])).toEqual([
      ['first', 'failed'],
      ['second', 'failed'],
      ['third', 'failed'],
    ])
  })

  test('a specified provider narrows the pool to itself', async () => {
    await gateway.operator('PATCH', `/keys/${key.id}`, {
      route_policy: { mode: 'specified_provider', provider: 'second' },
    })
    expect(servedBy(await ask({ model: 'pair' }))).toEqual(['second', '1'])
    sandboxes.second.faults.set({ times: 1, fault: { type: 'status', status: 500 } })
    expect(await refusalOf(await ask({ model: 'pair' }))).toEqual([502, 'provider_error'])
  })
})

describe("how a supplier's error is passed on", () => {
  test('its 401 about our credential becomes 502, never 401', async () => {
    await addSupplier(gateway, { id: 'locked', sandbox: sandboxes.first, secret: 'sk-of-another-customer' })
    await addModel(gateway, 'locked', { suppliers: ['locked'] })
    const response = await ask({ model: 'locked' })
    const { code, message } = await readError(response)
    expect([response.status, code]).toEqual([502, 'provider_error'])
    expect(message).not.toContain('API key')
  })

  test('its 400 about the input is passed on with message and param, and no other supplier is tried', async () => {
    await addModel(gateway, 'pair-tools', { suppliers: ['first', 'second'], upstreamModel: 'sandbox-tools' })
    const refused = await countCalls(async () => {
      const response = await ask({
        model: 'pair-tools',
        tools: [{ type: 'function', function: { name: 'there' } }],
        tool_choice: { type: 'function', function: { name: 'not-there' } },
      })
      expect(response.status).toBe(400)
      expect(await readError(response)).toEqual({
        message: "Tool choice 'not-there' not found in tools.",
        type: 'invalid_request',
        code: 'invalid_request',
        param: 'tool_choice',
      })
    })
    expect(refused).toEqual([1, 0, 0, 0])
  })

  test.each([
    [7, '7'],
    [600, '60'],
    [0, '5'],
  ])(
    'its 429 with Retry-After %i becomes supplier_rate_limited with %s',
    async (retryAfterSeconds, header) => {
      await addModel(gateway, 'lone', { suppliers: ['third'] })
      sandboxes.third.faults.set({ times: 1, fault: { type: 'status', status: 429, retryAfterSeconds } })
      const response = await ask({ model: 'lone' })
      expect(response.headers.get('retry-after')).toBe(header)
      expect(await refusalOf(response)).toEqual([429, 'supplier_rate_limited'])
    },
  )

  test('a late first byte becomes provider_timeout', async () => {
    await addModel(gateway, 'lone', { suppliers: ['third'] })
    sandboxes.third.faults.set({ times: 1, fault: { type: 'hang' } })
    expect(await refusalOf(await ask({ model: 'lone' }))).toEqual([504, 'provider_timeout'])
  })
})

describe('capacity of the supply side', () => {
  test('an exhausted credential is supplier_rate_limited, and the account headers still show room', async () => {
    await addSupplier(gateway, { id: 'narrow', sandbox: sandboxes.first, credential: { rpm: 2 } })
    await addModel(gateway, 'narrow', { suppliers: ['narrow'] })
    expect((await ask({ model: 'narrow' })).status).toBe(200)
    clock.advance(15_000)
    expect((await ask({ model: 'narrow' })).status).toBe(200)
    const calls = await countCalls(async () => {
      const refused = await ask({ model: 'narrow' })
      expect(refused.headers.get('retry-after')).toBe('45')
      expect(limitsOf(refused, 'requests')).toEqual([120, 117, 45])
      expect(await refusalOf(refused)).toEqual([429, 'supplier_rate_limited'])
    })
    expect(calls).toEqual([0, 0, 0, 0])
    expect((await ask({ model: 'pair' })).status).toBe(200)
    clock.advance(45_000)
    expect((await ask({ model: 'narrow' })).status).toBe(200)
  })

  test('an exhausted credential is skipped for the next supplier', async () => {
    await addSupplier(gateway, { id: 'tight', sandbox: sandboxes.first, credential: { rpm: 1 } })
    await addModel(gateway, 'tight', { suppliers: ['tight', 'second'] })
    expect(servedBy(await ask({ model: 'tight' }))).toEqual(['tight', '1'])
    expect(servedBy(await ask({ model: 'tight' }))).toEqual(['second', '1'])
  })

  test('the token limit of a route counts the estimate', async () => {
    await addModel(gateway, 'route-limit', { suppliers: ['second'] })
    await gateway.operator('PUT', '/models/route-limit/routes/second', {
      upstream_model: 'sandbox-chat',
      price: { input: '1', output: '1' },
      tpm: 100,
      enabled: true,
    })
    expect((await ask({ model: 'route-limit', max_tokens: 99 })).status).toBe(200)
    expect(await refusalOf(await ask({ model: 'route-limit', max_tokens: 1 }))).toEqual([
      429,
      'supplier_rate_limited',
    ])
  })

  test('a model whose suppliers have no active credential cannot be served', async () => {
    await gateway.operator('PUT', '/suppliers/empty', {
      type: 'openai-compatible',
      base_url: sandboxes.first.url,
      formats: ['chat-completion'],
    })
    await addModel(gateway, 'empty', { suppliers: ['empty'] })
    expect(await refusalOf(await ask({ model: 'empty' }))).toEqual([503, 'provider_overloaded'])
  })
})
