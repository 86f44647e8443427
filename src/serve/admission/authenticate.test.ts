import { describe, expect, test } from 'bun:test'
import { createSecretKeeper } from '../../rules/access/server-secret.ts'
import { buildSnapshot } from '../../rules/catalog/build-snapshot.ts'
import { aKey, anAccount } from '../../vocabulary/testing/specimens.ts'
import type { Gateway } from '../gateway.ts'
import type { Exchange } from '../ports/exchange.ts'
import { authenticateNow } from './authenticate.ts'

const secrets = createSecretKeeper('server secret of the tests')
const keyWith = (id: string, secret: string) =>
  aKey({ id, secrets: [{ fingerprint: secrets.fingerprint(secret), lastFour: '', expiresAtMs: null }] })
const snapshot = buildSnapshot({
  version: 1,
  accounts: [anAccount()],
  keys: [keyWith('one', 'sk-one'), keyWith('two', 'sk-two')],
  suppliers: [],
  credentials: [],
  models: [],
  routes: [],
})
const gateway = {
  snapshot: () => snapshot,
  secrets,
  clock: { nowMs: () => 0 },
} as unknown as Gateway

function callerOf(headers: Record<string, string>, request = 'GET /v1/models'): string {
  const [method, address] = request.split(' ')
  const { pathname: path, searchParams: query } = new URL(address ?? '', 'http://gateway')
  const exchange = { method, path, query, headers: new Headers(headers) }
  return authenticateNow(exchange as unknown as Exchange, gateway).key.id
}

describe('the key of a request', () => {
  test.each([
    ['Bearer sk-one'],
    ['bearer   sk-one'],
    // What some clients send when configured with a custom header.
    ['sk-one'],
  ])('may be written as Authorization: %s', (authorization) => {
    expect(callerOf({ authorization })).toBe('one')
  })

  test('is the first known one when several are sent', () => {
    expect(callerOf({ authorization: 'Bearer sk-one', 'x-api-key': 'sk-two' })).toBe('one')
    expect(callerOf({ authorization: 'Bearer placeholder', 'x-api-key': 'sk-two' })).toBe('two')
    expect(callerOf({ 'x-goog-api-key': 'sk-one' }, 'GET /v1beta/models?key=sk-two')).toBe('one')
  })

  test('in the query is accepted by content-generation paths only', () => {
    expect(callerOf({}, 'GET /v1beta/models?key=sk-two')).toBe('two')
    expect(callerOf({}, 'POST /v1/models/a:countTokens?key=sk-two')).toBe('two')
    expect(() => callerOf({}, 'GET /v1/models?key=sk-two')).toThrow('An API key is required')
  })

  test.each([{ authorization: 'Bearer sk-other' }, { 'x-api-key': 'SK-ONE' }])(
    'that is unknown is refused (%#)',
    (headers) => {
      expect(() => callerOf(headers as Record<string, string>)).toThrow('The API key is not valid.')
    },
  )

  test('that is empty counts as missing', () => {
    expect(() => callerOf({ 'x-api-key': '  ' })).toThrow('An API key is required')
  })
})

test('the limits of the caller are those of the tier', () => {
  const exchange = {
    path: '/',
    query: new URLSearchParams(),
    headers: new Headers({ 'x-api-key': 'sk-one' }),
  }
  expect(authenticateNow(exchange as unknown as Exchange, gateway).limits).toEqual({
    rpm: 120,
    tpm: 2_000_000,
  })
})
