import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { fillPage, fillTables, readPages } from '../../scripts/write-docs.ts'
import type { Endpoint } from '../../src/serve/ports/exchange.ts'
import type { Access } from '../../src/vocabulary/runtime/contract.ts'
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts'

/** Whatever is served to everybody. A new one has to be thought about, here as well. */
const PUBLIC = [
  'GET /',
  'GET /api/hello',
  'GET /assets/:name',
  'GET /console',
  'GET /console/*',
  'GET /console/api/oidc/callback',
  'GET /console/api/oidc/start',
  'GET /console/api/session',
  'GET /docs',
  'GET /docs/:file',
  'GET /guide',
  'GET /guide/*',
  'GET /healthz',
  'GET /openapi.json',
  'GET /readyz',
  'POST /console/api/invites/join',
  'POST /console/api/invites/show',
  'POST /console/api/password/forgotten',
  'POST /console/api/password/renewal',
  'POST /console/api/sign-in',
  'POST /console/api/sign-up',
  'POST /webhooks/payments',
]

/** Where nothing is found, there is nothing to describe. */
const UNDESCRIBED = /^\/console\/api\/\*$/

type Served = Endpoint & { readonly access?: Access }

let gateway: TestGateway
let endpoints: readonly Served[]
beforeAll(async () => {
  gateway = await startTestGateway()
  endpoints = gateway.endpoints
})
afterAll(() => gateway.stop())

function nameOf({ method, path }: Endpoint): string {
  return `${method} ${path}`
}

/** Who may call it; no caller when the endpoint does not say. */
function accessOf({ contract, access }: Served): Access | null {
  return contract?.access ?? access ?? null
}

describe('every endpoint that is served', () => {
  test('carries a contract', () => {
    expect(endpoints.length).toBeGreaterThan(100)
    const without = endpoints.filter(({ contract }) => contract === undefined)
    expect(without.filter(({ path }) => !UNDESCRIBED.test(path)).map(nameOf)).toEqual([])
  })

  test('declares in its contract what its guard enforces', () => {
    for (const endpoint of endpoints) {
      const { contract, access = contract?.access } = endpoint
      if (contract) expect([nameOf(endpoint), access]).toEqual([nameOf(endpoint), contract.access])
    }
  })

  test('refuses requests without credentials, unless it is public', async () => {
    const open: string[] = []
    for (const endpoint of endpoints) {
      if (accessOf(endpoint) === 'public') {
        open.push(nameOf(endpoint))
        continue
      }
      const { method, path } = endpoint
      const address = path.replaceAll(/:\w+/g, 'none').replace('*', 'none')
      const response = await fetch(`${gateway.url}${address}`, {
        method,
        headers: { 'content-type': 'application/json' },
        ...(method !== 'GET' && { body: '{}' }),
      })
      const { error } = (await response.json()) as { error: { code: string } }
      expect([nameOf(endpoint), response.status, error.code]).toEqual([
        nameOf(endpoint),
        401,
        'auth_required',
      ])
    }
    expect(open.toSorted()).toEqual(PUBLIC)
  })
})

describe('a table of endpoints in docs/', () => {
  test('says what the contracts say; `npm run docs` writes it', () => {
    const pages = readPages()
    expect(pages.map(({ path }) => path.split('/').at(-1))).toContain('operator-api.md')
    for (const { path, text } of pages) {
      expect([path, fillPage(text, endpoints)]).toEqual([path, text])
    }
  })

  test('links every call with its prefix to its chapter', () => {
    const page = `<!-- endpoints /healthz /readyz /metrics -->
an old table
<!-- /endpoints -->

### GET /readyz
`
    expect(fillTables(page, endpoints)).toBe(
      page.replace(
        'an old table',
        `| Call | For | What it does |
|---|---|---|
| \`GET /metrics\` | operator | Show counters and gauges in the Prometheus text format |
| \`GET /healthz\` | public | Check that the process is alive |
| [\`GET /readyz\`](#get-readyz) | public | Check that this node can serve requests. Status 503 with a reason if it cannot. A fault that affects all nodes is reported as degraded. |`,
      ),
    )
    expect(() => fillTables(page, [])).toThrow('no endpoint begins with /healthz')
  })
})
