import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Exchange } from '../../serve/ports/exchange.ts'
import { guideFileEndpoints } from './index.ts'

const FILES = {
  'index.html': '<h1>Turnpike</h1>',
  '404.html': '<h1>No such page</h1>',
  'money/limits.html': '<h1>Limits</h1>',
  'decisions/index.html': '<h1>Decisions</h1>',
  'assets/app.1234.js': 'console.log("the guide")',
}

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'turnpike-guide-'))
  for (const name of ['money', 'decisions', 'assets']) mkdirSync(join(folder, name))
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text)
  writeFileSync(join(folder, 'assets/app.1234.js.gz'), gzipSync(FILES['assets/app.1234.js']))
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ files: Object.keys(FILES) }))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function get(rest: string, headers: Record<string, string> = {}, from = folder): Promise<Response> {
  const endpoint = guideFileEndpoints(from).find(({ path }) => path === '/guide/*')
  const exchange = { params: { '*': rest }, headers: new Headers(headers) } as unknown as Exchange
  return (await endpoint?.handle(exchange)) as Response
}

describe('pages', () => {
  test.each([
    ['', 'index.html'],
    ['money/limits', 'money/limits.html'],
    ['money/limits.html', 'money/limits.html'],
    ['decisions/', 'decisions/index.html'],
    ['decisions', 'decisions/index.html'],
  ] as const)('/guide/%s is %s', async (path, name) => {
    const response = await get(path)
    expect([response.status, await response.text()]).toEqual([200, FILES[name]])
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
  })

  test('allow no inline script, no inline style and no other host', async () => {
    const policy = (await get('')).headers.get('content-security-policy') ?? ''
    expect(policy).toStartWith(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;",
    )
    expect(policy).not.toContain('unsafe')
  })

  test('are sent again only when they have changed', async () => {
    const first = await get('money/limits')
    const again = await get('money/limits', { 'if-none-match': first.headers.get('etag') ?? '' })
    expect([first.headers.get('cache-control'), again.status]).toEqual(['no-cache', 304])
  })
})

describe('files', () => {
  test('are cached forever, and compressed for clients that accept it', async () => {
    const response = await get('assets/app.1234.js', { 'accept-encoding': 'gzip' })
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(response.headers.get('content-encoding')).toBe('gzip')
    expect(new TextDecoder().decode(Bun.gunzipSync(await response.arrayBuffer()))).toBe(
      FILES['assets/app.1234.js'],
    )
  })

  test.each([
    '../package.json',
    'manifest.json',
    'assets/app.1234.js.gz',
    'assets/%2e%2e/manifest.json',
    'assets/',
  ])('%s is not found', async (path) => {
    const response = await get(path)
    expect([response.status, await response.text()]).toEqual([404, FILES['404.html']])
  })
})

test('says how to build the site while it is not built', async () => {
  const response = await get('money/limits', {}, join(folder, 'nothing'))
  expect(response.status).toBe(404)
  expect(await response.text()).toContain('npm run docs')
})
