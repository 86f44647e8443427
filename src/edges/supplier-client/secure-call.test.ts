import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SupplierClient } from './supplier-client.ts'
import { CERTIFICATE, PRIVATE_KEY } from './testing/certificate.ts'

const CALLER = join(import.meta.dirname, 'testing/call-once.ts')

let requests = 0
let folder = ''
let server: Bun.Server<undefined>

beforeEach(() => {
  requests = 0
  folder = mkdtempSync(join(tmpdir(), 'turnpike-tls-'))
  writeFileSync(join(folder, 'authority.pem'), CERTIFICATE)
  server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    tls: { cert: CERTIFICATE, key: PRIVATE_KEY },
    fetch: async (request) => {
      requests += 1
      return new Response(`received ${(await request.text()).length}`)
    },
  })
})

afterEach(async () => {
  await server.stop(true)
  rmSync(folder, { recursive: true })
})

/** Calls from a process that trusts the certificate: trust is fixed when a process starts. */
async function callTrusting(host: string): Promise<string> {
  const child = Bun.spawn([process.execPath, CALLER, `https://${host}:${server.port}/v1`], {
    env: { ...process.env, NODE_EXTRA_CA_CERTS: join(folder, 'authority.pem') },
    stdout: 'pipe',
  })
  const [said] = await Promise.all([new Response(child.stdout).text(), child.exited])
  return said.trim()
}

describe('a secure connection', () => {
  test('is opened to a supplier with a trusted certificate, and reused', async () => {
    expect(await callTrusting('localhost')).toBe('received 300000, received 300')
  })

  test('is refused when the certificate is for another name', async () => {
    expect(await callTrusting('127.0.0.1')).toContain('does not match')
    expect(requests).toBe(0)
  })

  test('is refused when the certificate is not trusted, before anything is sent', async () => {
    const client = new SupplierClient({ nowMs: Date.now }, { isProxied: false })
    const patience = { onAbort: () => {}, signal: new AbortController().signal }
    const url = `https://localhost:${server.port}/v1`
    const call = client.call({
      url,
      headers: {},
      body: '{}',
      connectMs: 2_000,
      patience,
      credentialId: 'cred_1',
    })
    await expect(call).rejects.toThrow('self signed')
    expect(requests).toBe(0)
  })
})
