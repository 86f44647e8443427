import { afterAll, beforeAll, expect, test } from 'bun:test'
import { ERROR_CODES } from '../../src/errors/codes.ts'
import { createKey, createLoneKey, openAccount } from '../support/accounts.ts'
import { chat, type ErrorBody } from '../support/chat.ts'
import { createMovableClock } from '../support/movable-clock.ts'
import { addModel, addSupplier } from '../support/supply.ts'
import { BOOTSTRAP_KEY, startTestGateway, type TestGateway } from '../support/test-gateway.ts'

const clock = createMovableClock()
let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway({ clock })
  await addSupplier(gateway, { id: 'mine', sandbox: gateway.sandbox })
  await addModel(gateway, 'mine', { suppliers: ['mine'] })
})
afterAll(() => gateway.stop())

const withKey = { key: BOOTSTRAP_KEY }
const ask = (path: string, options: RequestInit = {}) =>
  fetch(`${gateway.url}${path}`, {
    ...options,
    headers: { authorization: `Bearer ${BOOTSTRAP_KEY}`, ...options.headers },
  })

/** The response to a request that the sandbox answers with this status. */
async function withSupplierStatus(status: number, body?: string): Promise<Response> {
  const fault = { type: 'status', status, ...(body !== undefined && { body }) } as const
  // What the supplier did to an earlier test is forgotten by then.
  clock.advance(600_000)
  gateway.sandbox.faults.set({ times: 1, fault })
  return chat(gateway.url, { model: 'mine' }, withKey)
}

const REFUSALS: readonly (readonly [code: keyof typeof ERROR_CODES, provoke: () => Promise<Response>])[] = [
  ['auth_required', () => fetch(`${gateway.url}/v1/models`)],
  ['auth_invalid', () => chat(gateway.url, {}, { key: 'sk-nobody' })],
  ['invalid_request', () => chat(gateway.url, { messages: 'x' }, withKey)],
  [
    'unsupported_parameter',
    () =>
      ask('/v1/responses', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'sandbox-chat', prompt: { id: 'pmpt_1' } }),
      }),
  ],
  ['model_not_found', () => chat(gateway.url, { model: 'none' }, withKey)],
  ['not_found', () => ask('/v1/nothing')],
  ['method_not_allowed', () => ask('/v1/chat/completions', { method: 'DELETE' })],
  [
    'unsupported_media_type',
    () =>
      ask('/v1/chat/completions', { method: 'POST', body: 'x', headers: { 'content-type': 'text/plain' } }),
  ],
  [
    'spending_limit_exceeded',
    async () =>
      chat(gateway.url, {}, { key: (await createKey(gateway, await openAccount(gateway, '0'))).secret }),
  ],
  [
    'rate_limit_exceeded',
    async () => {
      const { secret } = await createLoneKey(gateway, { tpm: 1 })
      return chat(gateway.url, {}, { key: secret })
    },
  ],
  ['supplier_rate_limited', () => withSupplierStatus(429)],
  ['provider_error', () => withSupplierStatus(500)],
  ['provider_overloaded', () => withSupplierStatus(503)],
  ['provider_timeout', () => withSupplierStatus(504)],
  [
    'context_length_exceeded',
    () => withSupplierStatus(400, '{"error":{"message":"too long","code":"context_length_exceeded"}}'),
  ],
]

test.each(REFUSALS)('spec 2.1: %s comes in the envelope, type equal to code', async (code, provoke) => {
  const response = await provoke()
  const body = (await response.json()) as ErrorBody
  expect(response.status).toBe(ERROR_CODES[code].status)
  expect(body).toEqual({
    error: { message: expect.stringMatching(/\S/), type: code, code, param: body.error.param },
  })
  expect(response.headers.get('content-type')).toBe('application/json')
  expect(response.headers.get('x-request-id')).toMatch(/^req_/)
  expect(response.headers.get('request-id')).toBe(response.headers.get('x-request-id'))
})

test('spec 7: both kinds of 429 say when to retry', async () => {
  const { secret } = await createLoneKey(gateway, { rpm: 1 })
  await chat(gateway.url, {}, { key: secret })
  for (const response of [await chat(gateway.url, {}, { key: secret }), await withSupplierStatus(429)]) {
    expect(response.status).toBe(429)
    const seconds = Number(response.headers.get('retry-after'))
    expect(Number.isInteger(seconds) && seconds >= 1 && seconds <= 60).toBe(true)
  }
})
