import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createLoneKey, type IssuedKey } from '../support/accounts.ts'
import { chat, type ErrorBody, readError, refusalOf } from '../support/chat.ts'
import { createMovableClock } from '../support/movable-clock.ts'
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts'

const clock = createMovableClock()
let gateway: TestGateway
let key: IssuedKey
beforeAll(async () => {
  gateway = await startTestGateway({ clock })
  key = await createLoneKey(gateway)
})
afterAll(() => gateway.stop())

const PATHS = [
  ['POST', '/v1/chat/completions'],
  ['POST', '/v1/responses'],
  ['POST', '/v1/messages'],
  ['POST', '/v1/messages/count_tokens'],
  ['POST', '/v1/images/generations'],
  ['POST', '/v1/images/edits'],
  ['GET', '/v1/models'],
  ['GET', '/v1/models/sandbox-chat'],
  ['GET', '/v1beta/models'],
  ['POST', '/v1beta/models/sandbox-chat:generateContent'],
  ['POST', '/v1beta/models/sandbox-chat:streamGenerateContent'],
  ['POST', '/v1beta/models/sandbox-chat:countTokens'],
  ['POST', '/v1/models/sandbox-chat:generateContent'],
  ['POST', '/v1/models/sandbox-chat:streamGenerateContent'],
  ['POST', '/v1/models/sandbox-chat:countTokens'],
] as const

const AUTH_CODES = ['auth_required', 'auth_invalid', 'auth_expired']

function call(path: string, method: string, headers: Record<string, string>): Promise<Response> {
  return fetch(`${gateway.url}${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(method === 'POST' && { body: '{}' }),
  })
}

/** The authentication error of a response, null when the key was accepted, whatever came of the request. */
async function authErrorOf(response: Response): Promise<string | null> {
  const { error } = (await response.json()) as Partial<ErrorBody>
  return error !== undefined && AUTH_CODES.includes(error.code) ? error.code : null
}

describe.each(PATHS)('spec 5: %s %s', (method, path) => {
  const carriers: readonly (readonly [name: string, value: (secret: string) => string])[] = [
    ['authorization', (secret) => `Bearer ${secret}`],
    ['x-api-key', (secret) => secret],
    ['x-goog-api-key', (secret) => secret],
    ['x-vendor-api-key', (secret) => secret],
  ]

  test.each(carriers)('accepts the key in %s', async (name, value) => {
    expect(await authErrorOf(await call(path, method, { [name]: value(key.secret) }))).toBeNull()
    const unknown = await call(path, method, { [name]: value('sk-unknown-key') })
    expect(await refusalOf(unknown)).toEqual([401, 'auth_invalid'])
  })

  test('accepts ?key= on content-generation paths only', async () => {
    const response = await call(`${path}?key=${key.secret}`, method, {})
    expect(await authErrorOf(response)).toBe(
      path.startsWith('/v1beta/') || path.includes(':') ? null : 'auth_required',
    )
  })

  test('asks for a key when there is none', async () => {
    expect(await refusalOf(await call(path, method, {}))).toEqual([401, 'auth_required'])
  })
})

describe('spec 5: keys that no longer work', () => {
  test('a key works until the moment it expires', async () => {
    const expiresAtMs = clock.nowMs() + 10_000
    const { secret } = await createLoneKey(gateway, { expires_at: new Date(expiresAtMs).toISOString() })
    clock.advance(9_999)
    expect((await chat(gateway.url, {}, { key: secret })).status).toBe(200)
    clock.advance(1)
    expect(await refusalOf(await chat(gateway.url, {}, { key: secret }))).toEqual([401, 'auth_expired'])
  })

  test('a disabled key is invalid and works again when enabled', async () => {
    const { id, secret } = await createLoneKey(gateway)
    await gateway.operator('PATCH', `/keys/${id}`, { state: 'disabled' })
    expect(await refusalOf(await chat(gateway.url, {}, { key: secret }))).toEqual([401, 'auth_invalid'])
    await gateway.operator('PATCH', `/keys/${id}`, { state: 'active' })
    expect((await chat(gateway.url, {}, { key: secret })).status).toBe(200)
  })

  test('a revoked key is invalid', async () => {
    const { id, secret } = await createLoneKey(gateway)
    await gateway.operator('DELETE', `/keys/${id}`)
    expect(await refusalOf(await chat(gateway.url, {}, { key: secret }))).toEqual([401, 'auth_invalid'])
  })

  test('a key revoked while its body is on the way is invalid', async () => {
    const { id, secret } = await createLoneKey(gateway)
    const body = new TransformStream<Uint8Array, Uint8Array>()
    const writer = body.writable.getWriter()
    const response = fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: body.readable,
    })
    await writer.write(new TextEncoder().encode('{"model":"sandbox-chat",'))
    await gateway.operator('DELETE', `/keys/${id}`)
    await writer.write(new TextEncoder().encode('"messages":[{"role":"user","content":"Hi"}]}'))
    await writer.close()
    expect(await refusalOf(await response)).toEqual([401, 'auth_invalid'])
  })

  test('a rotated key works beside the new one during its grace time', async () => {
    const { id, secret } = await createLoneKey(gateway)
    const rotated = await gateway.operator<IssuedKey>('POST', `/keys/${id}/rotate`, { grace_seconds: 30 })
    clock.advance(29_999)
    expect((await chat(gateway.url, {}, { key: secret })).status).toBe(200)
    expect((await chat(gateway.url, {}, { key: rotated.secret })).status).toBe(200)
    clock.advance(1)
    expect(await refusalOf(await chat(gateway.url, {}, { key: secret }))).toEqual([401, 'auth_expired'])
    expect((await chat(gateway.url, {}, { key: rotated.secret })).status).toBe(200)
  })

  test('the error shows no part of the key', async () => {
    const { message } = await readError(await chat(gateway.url, {}, { key: 'sk-guessed-secret' }))
    expect(message).not.toContain('guessed')
  })
})
