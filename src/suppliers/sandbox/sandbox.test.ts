import { describe, expect, test } from 'bun:test'
import type { SupplierTypeName } from '../../vocabulary/supply.ts'
import { AccessTokens } from '../access-tokens.ts'
import { targetOf as callTargetOf } from '../index.ts'
import type { CallQuery, CallTarget } from '../supplier-type.ts'
import { redirectToSandbox, SANDBOX_ORIGIN } from './index.ts'

const HERE = 'http://127.0.0.1:9000'

const clock = { nowMs: () => 0 }

function targetOf(baseUrl: string, sandboxUrl: string | null, type: SupplierTypeName = 'sandbox') {
  const query: CallQuery = {
    format: 'messages',
    baseUrl,
    secret: 'k',
    options: {},
    upstreamModel: 'm',
    stream: false,
    body: '{}',
    clientHeaders: null,
  }
  const call = () => Promise.reject(new Error('nothing may be called here'))
  const tools = { clock, tokens: new AccessTokens(clock), sandboxUrl, call }
  const { url, headers } = callTargetOf(type, query, tools) as CallTarget
  return [url, headers['x-api-key'], headers.host]
}

describe('the stored address of the sandbox', () => {
  test.each([SANDBOX_ORIGIN, `${SANDBOX_ORIGIN}/`, `${SANDBOX_ORIGIN}/v1`])(
    '%s leads to the sandbox of this node, which is called by its stored host',
    (baseUrl) => {
      expect(targetOf(baseUrl, HERE)).toEqual([`${HERE}/v1/messages`, 'k', 'sandbox.turnpike.invalid'])
    },
  )

  test('may be the base URL of a supplier of any type', () => {
    const found = targetOf(SANDBOX_ORIGIN, HERE, 'anthropic')
    expect(found).toEqual([`${HERE}/v1/messages`, 'k', 'sandbox.turnpike.invalid'])
  })

  test('is replaced in other requests too', () => {
    const request = new Request(`${SANDBOX_ORIGIN}/v1/models?after=a`, { headers: { 'x-api-key': 'k' } })
    const moved = redirectToSandbox(request, HERE)
    expect([moved.url, moved.headers.get('x-api-key')]).toEqual([`${HERE}/v1/models?after=a`, 'k'])
  })

  test('is the only one that is replaced', () => {
    for (const origin of ['http://127.0.0.1:9001', `${SANDBOX_ORIGIN}.example.com`]) {
      expect(targetOf(origin, HERE)).toEqual([`${origin}/v1/messages`, 'k', undefined])
      expect(redirectToSandbox(new Request(`${origin}/v1`), HERE).url).toBe(`${origin}/v1`)
    }
  })

  test('cannot be reached from a node without a sandbox', () => {
    expect(() => targetOf(SANDBOX_ORIGIN, null)).toThrow('runs no sandbox')
    expect(() => redirectToSandbox(new Request(`${SANDBOX_ORIGIN}/v1`), null)).toThrow('runs no sandbox')
  })
})
