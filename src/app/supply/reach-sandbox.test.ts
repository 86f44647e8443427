import { describe, expect, test } from 'bun:test'
import type { SupplierCall } from '../../serve/ports/supplier-call.ts'
import { atSandbox, reachingSandbox, SANDBOX_ORIGIN } from './reach-sandbox.ts'

const HERE = 'http://127.0.0.1:9000'

function callTo(url: string): SupplierCall {
  const patience = { onAbort: () => {}, signal: new AbortController().signal }
  return { url, headers: { 'x-api-key': 'k' }, body: '', connectMs: 1, patience, credentialId: 'cred_1' }
}

async function reached(url: string, sandboxUrl: string | null) {
  const calls: SupplierCall[] = []
  const call = reachingSandbox(async (made) => {
    calls.push(made)
    return new Response()
  }, sandboxUrl)
  await call(callTo(url))
  return calls.map((made) => [made.url, made.headers])
}

describe('the built-in simulator', () => {
  test('is found where this node has it, and keeps the name it is stored under', async () => {
    expect(await reached(`${SANDBOX_ORIGIN}/v1/messages`, HERE)).toEqual([
      [`${HERE}/v1/messages`, { 'x-api-key': 'k', host: 'sandbox.turnpike.invalid' }],
    ])
    const request = new Request(`${SANDBOX_ORIGIN}/v1/models?after=a`, { headers: { 'x-api-key': 'k' } })
    const moved = atSandbox(request, HERE)
    expect([moved.url, moved.headers.get('x-api-key')]).toEqual([`${HERE}/v1/models?after=a`, 'k'])
  })

  test('that runs on no other address is left alone', async () => {
    for (const url of ['http://127.0.0.1:9001/v1/messages', `${SANDBOX_ORIGIN}.example.com/v1`]) {
      expect(await reached(url, HERE)).toEqual([[url, { 'x-api-key': 'k' }]])
      expect(atSandbox(new Request(url), HERE).url).toBe(url)
    }
  })

  test('cannot be reached by a node that runs none, and nothing is sent anywhere', async () => {
    expect(reached(`${SANDBOX_ORIGIN}/v1/messages`, null)).rejects.toThrow('runs no sandbox')
    expect(() => atSandbox(new Request(`${SANDBOX_ORIGIN}/v1`), null)).toThrow('runs no sandbox')
  })
})
