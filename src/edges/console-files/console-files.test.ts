import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { GatewayError } from '../../errors/gateway-error.ts'
import type { Endpoint, Exchange } from '../../serve/ports/exchange.ts'
import { consoleFileEndpoints } from './index.ts'

const SCRIPT = 'console.log("the console")'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'turnpike-console-'))
  mkdirSync(join(folder, 'assets'))
  writeFileSync(join(folder, 'assets/main-1234.js'), SCRIPT)
  writeFileSync(join(folder, 'assets/main-1234.js.gz'), gzipSync(SCRIPT))
  writePage('<meta content="__NONCE__">')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function writePage(page: string): void {
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ page, files: ['main-1234.js'] }))
}

async function get(
  rest: string,
  headers: Record<string, string> = {},
  endpoints: readonly Endpoint[] = consoleFileEndpoints('USDT', folder),
): Promise<Response> {
  const endpoint = endpoints.find(({ path }) => path === '/console/*')
  const exchange = { params: { '*': rest }, headers: new Headers(headers) } as unknown as Exchange
  return (await endpoint?.handle(exchange)) as Response
}

const refusal = (rest: string, from = folder) =>
  get(rest, {}, consoleFileEndpoints('USDT', from)).then(
    () => null,
    (error: GatewayError) => error.code,
  )

describe('the page', () => {
  test.each(['', 'overview', 'keys/key_1', 'operator/accounts'])('is served at /console/%s', async (path) => {
    const response = await get(path)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('cache-control')).toBe('no-store')
  })

  test('allows styles with a nonce per answer, and no inline script', async () => {
    const nonces = await Promise.all(
      ['a', 'b'].map(async (path) => {
        const response = await get(path)
        const nonce = /content="([\w-]{22})"/.exec(await response.text())?.[1] ?? ''
        const policy = response.headers.get('content-security-policy') ?? ''
        expect(policy).toContain(`style-src 'self' 'nonce-${nonce}'`)
        expect(policy).toContain("script-src 'self';")
        expect(policy).toContain("frame-ancestors 'none'")
        expect(policy).toContain("media-src 'self' blob:;")
        expect(policy).not.toContain('unsafe')
        return nonce
      }),
    )
    expect(nonces[0]).not.toBe(nonces[1])
    expect(nonces[0]).not.toBe('')
  })

  test('names the currency, escaped', async () => {
    writePage('<meta name="currency" content="__CURRENCY__">')
    const read = async (name: string) => (await get('', {}, consoleFileEndpoints(name, folder))).text()
    expect(await read('credits')).toBe('<meta name="currency" content="credits">')
    expect(await read('"><b>$&')).toBe('<meta name="currency" content="&quot;>&lt;b>$&amp;">')
    writePage('<meta content="__NONCE__">')
  })

  test('is not found while nothing is built', async () => {
    expect(await refusal('overview', join(folder, 'nothing'))).toBe('not_found')
  })
})

describe('files', () => {
  test('are cached forever and not sniffed', async () => {
    const response = await get('assets/main-1234.js')
    expect(await response.text()).toBe(SCRIPT)
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  })

  test('are compressed for clients that accept it', async () => {
    const response = await get('assets/main-1234.js', { 'accept-encoding': 'gzip, deflate, br' })
    expect(response.headers.get('content-encoding')).toBe('gzip')
    expect(new TextDecoder().decode(Bun.gunzipSync(await response.arrayBuffer()))).toBe(SCRIPT)
    expect(response.headers.get('vary')).toBe('accept-encoding')
  })

  test.each([
    'assets/other-1234.js',
    'assets/../manifest.json',
    'assets/main-1234.js.gz',
    'assets/%2e%2e/manifest.json',
    'assets/',
    'api',
    'api/unknown',
  ])('%s is not found', async (path) => {
    expect(await refusal(path)).toBe('not_found')
  })
})

test('a new build is served without a restart', async () => {
  const endpoints = consoleFileEndpoints('USDT', folder)
  const read = async () => (await get('', {}, endpoints)).text()
  writePage('first')
  expect(await read()).toBe('first')
  writePage('the second, which is longer')
  expect(await read()).toBe('the second, which is longer')
})
