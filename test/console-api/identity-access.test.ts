import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Access, CONSOLE_PATH } from '../../src/edges/management-api/console/console-endpoint.ts'
import type { Endpoint } from '../../src/serve/ports/exchange.ts'
import { hasRight, RIGHTS, type Right, ROLES } from '../../src/vocabulary/words.ts'
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts'
import { Browser } from './support/browser.ts'
import { addAccount, addPerson, PASSWORD, readAudit } from './support/people.ts'

const PEOPLE = ['visitor', 'stranger', 'viewer', 'billing', 'developer', 'owner', 'operator'] as const
type Person = (typeof PEOPLE)[number]

const OUTSIDE = { visitor: 'auth_required', stranger: 'not_found' } as const
const NO = 'permission_denied'

/** Who each kind of endpoint lets in; to the others it says this. */
const DENIALS: Readonly<Record<Access, Partial<Record<Person, string>>>> = {
  public: {},
  'signed-in': { visitor: 'auth_required' },
  'see-account': OUTSIDE,
  'see-bodies': { ...OUTSIDE, billing: NO },
  'see-money': { ...OUTSIDE, viewer: NO },
  'manage-keys': { ...OUTSIDE, viewer: NO, billing: NO },
  'manage-bodies': { ...OUTSIDE, viewer: NO, billing: NO },
  'save-views': { ...OUTSIDE, viewer: NO },
  'manage-alerts': { ...OUTSIDE, viewer: NO, developer: NO },
  'manage-account': { ...OUTSIDE, viewer: NO, billing: NO, developer: NO },
  operator: { visitor: 'auth_required', stranger: NO, viewer: NO, billing: NO, developer: NO, owner: NO },
}

/** Endpoints that need no sign-in. A new one must be added here deliberately. */
const PUBLIC = [
  'GET /console/api/oidc/callback',
  'GET /console/api/oidc/start',
  'GET /console/api/session',
  'POST /console/api/invites/join',
  'POST /console/api/invites/show',
  'POST /console/api/password/forgotten',
  'POST /console/api/password/renewal',
  'POST /console/api/sign-in',
  'POST /console/api/sign-up',
]

let gateway: TestGateway
let accountId: string
const browsers = new Map<Person, Browser>()

beforeAll(async () => {
  gateway = await startTestGateway()
  accountId = await addAccount(gateway, 'Acme')
  const otherAccountId = await addAccount(gateway, 'Other')
  await addPerson(gateway, 'stranger@example.com', { accountId: otherAccountId, role: 'owner' })
  for (const role of ROLES) await addPerson(gateway, `${role}@example.com`, { accountId, role })
  await addPerson(gateway, 'operator@example.com', { isOperator: true })
  for (const person of PEOPLE) browsers.set(person, new Browser(gateway.url))
})
afterAll(() => gateway.stop())

/** The person's browser, signed in again when an earlier call ended the session. */
async function browserOf(person: Person): Promise<Browser> {
  const browser = browsers.get(person)
  if (browser === undefined) throw new Error(person)
  const { body } = await browser.call('GET /session')
  if (person !== 'visitor' && body.user === null) await browser.signIn(`${person}@example.com`, PASSWORD)
  return browser
}

interface Served extends Endpoint {
  readonly access?: Access
}

function served(prefix: string): readonly Served[] {
  return gateway.endpoints.filter(({ path }) => path.startsWith(`${prefix}/`))
}

function nameOf({ method, path }: Endpoint): string {
  return `${method} ${path}`
}

function pathOf(path: string): string {
  return path.replace(':account', accountId).replaceAll(/:\w+/g, 'none').replace('*', 'none')
}

interface Outcome {
  readonly status: number
  readonly code: string | null
  readonly message: string
  readonly headers: Headers
}

/** Streams are let go of at once: only their beginning matters here. */
async function ask(browser: Browser, endpoint: Endpoint, headers: Record<string, string>): Promise<Outcome> {
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const controller = new AbortController()
  const response = await fetch(`${gateway.url}${pathOf(endpoint.path)}`, {
    method: endpoint.method,
    redirect: 'manual',
    signal: controller.signal,
    headers: { cookie, 'content-type': 'application/json', ...headers },
    ...(endpoint.method !== 'GET' && { body: '{}' }),
  })
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false
  const { error = null } = isJson ? ((await response.json()) as { error?: Outcome }) : {}
  if (!isJson) controller.abort()
  const { status } = response
  return { status, code: error?.code ?? null, message: error?.message ?? '', headers: response.headers }
}

function tokenOf({ csrf }: Browser): Record<string, string> {
  return csrf === null ? {} : { 'x-csrf-token': csrf }
}

describe('every endpoint of the console', () => {
  test('that changes something of an account is closed to viewers', () => {
    const open = served(CONSOLE_PATH).filter(
      ({ method, access }) => method !== 'GET' && access?.startsWith('see-') === true,
    )
    expect(open.map(nameOf)).toEqual([])
    expect(
      Object.keys(RIGHTS).filter((right) => !right.startsWith('see-') && hasRight('viewer', right as Right)),
    ).toEqual([])
  })

  test('declares who may call it', () => {
    const endpoints = served(CONSOLE_PATH)
    expect(endpoints.length).toBeGreaterThan(15)
    for (const endpoint of endpoints) {
      expect([nameOf(endpoint), endpoint.access]).toEqual([nameOf(endpoint), expect.any(String)])
      const isOfAccount = endpoint.path.includes('/accounts/:account')
      expect([nameOf(endpoint), (endpoint.access ?? '') in RIGHTS]).toEqual([nameOf(endpoint), isOfAccount])
    }
    const open = endpoints.filter(({ access }) => access === 'public')
    expect(open.map(nameOf).toSorted()).toEqual(PUBLIC)
  })

  for (const person of PEOPLE) {
    test(`treats a ${person} as declared`, async () => {
      for (const endpoint of served(CONSOLE_PATH)) {
        const browser = await browserOf(person)
        const { status, code, message } = await ask(browser, endpoint, tokenOf(browser))
        const actual = [nameOf(endpoint), code]
        const denial = DENIALS[endpoint.access ?? 'operator'][person]
        if (denial !== undefined) expect(actual).toEqual([nameOf(endpoint), denial])
        else {
          expect([nameOf(endpoint), status]).not.toEqual([nameOf(endpoint), 401])
          expect([nameOf(endpoint), status]).not.toEqual([nameOf(endpoint), 500])
          expect(actual).not.toEqual([nameOf(endpoint), 'permission_denied'])
          expect(message).not.toBe('There is no such account.')
        }
      }
    })
  }

  test('refuses requests from other sites or of unknown origin', async () => {
    const changing = served(CONSOLE_PATH).filter(({ method }) => method !== 'GET')
    expect(changing.length).toBeGreaterThan(10)
    const [owner, operator] = [await browserOf('owner'), await browserOf('operator')]
    const forgeries: Record<string, string>[] = [
      {},
      { 'x-csrf-token': '' },
      { 'x-csrf-token': 'x'.repeat(43) },
      tokenOf(owner),
      { ...tokenOf(operator), origin: 'https://evil.example' },
      { ...tokenOf(operator), origin: 'null' },
      { ...tokenOf(operator), origin: `${gateway.url}.evil.example` },
    ]
    for (const endpoint of changing) {
      for (const headers of forgeries) {
        const { code } = await ask(operator, endpoint, headers)
        expect([nameOf(endpoint), headers, code]).toEqual([nameOf(endpoint), headers, 'permission_denied'])
      }
    }
    expect((await operator.call('GET /session')).body.user.email).toBe('operator@example.com')
  })

  test('before sign-in accepts a CSRF token only with its own cookie', async () => {
    const [one, other] = [await new Browser(gateway.url).open(), await new Browser(gateway.url).open()]
    const body = { email: 'owner@example.com', password: PASSWORD }
    const refused = await one.call('POST /sign-in', { body, csrf: other.csrf })
    expect([refused.status, refused.body.error.code]).toEqual([403, 'permission_denied'])
    const bare = new Browser(gateway.url)
    expect((await bare.call('POST /sign-in', { body, csrf: one.csrf })).status).toBe(403)
    const origin = { origin: gateway.url }
    expect((await one.call('POST /sign-in', { body, headers: origin })).status).toBe(200)
  })

  test('always sends headers against framing, sniffing and caching', async () => {
    for (const person of ['visitor', 'owner'] as const) {
      for (const endpoint of served(CONSOLE_PATH)) {
        const browser = await browserOf(person)
        const { headers } = await ask(browser, endpoint, tokenOf(browser))
        const names = ['x-frame-options', 'x-content-type-options', 'cache-control', 'referrer-policy']
        expect([nameOf(endpoint), ...names.map((name) => headers.get(name))]).toEqual([
          nameOf(endpoint),
          'DENY',
          'nosniff',
          'no-store',
          'same-origin',
        ])
        expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
      }
    }
  })
})

describe('every endpoint of the operator API', () => {
  test('refuses everyone who is not an operator', async () => {
    for (const person of ['visitor', 'stranger', ...ROLES] as const) {
      const browser = await browserOf(person)
      const expected = person === 'visitor' ? 'auth_required' : 'permission_denied'
      for (const endpoint of served('/operator/v1')) {
        const { code } = await ask(browser, endpoint, tokenOf(browser))
        expect([person, nameOf(endpoint), code]).toEqual([person, nameOf(endpoint), expected])
      }
    }
  })

  test('accepts operators by session, and refuses requests from other sites', async () => {
    const operator = await browserOf('operator')
    for (const endpoint of served('/operator/v1')) {
      if (endpoint.method === 'GET') {
        const { code } = await ask(operator, endpoint, {})
        expect(['auth_required', 'permission_denied']).not.toContain(code ?? '')
        continue
      }
      for (const headers of [{}, { ...tokenOf(operator), origin: 'https://evil.example' }]) {
        const { code } = await ask(operator, endpoint, headers)
        expect([nameOf(endpoint), code]).toEqual([nameOf(endpoint), 'permission_denied'])
      }
    }
  })

  test('names the operator in the audit', async () => {
    const operator = await browserOf('operator')
    const made = await operator.request('POST /operator/v1/accounts', { body: { name: 'By hand' } })
    expect(made.status).toBe(200)
    const line = (await readAudit(gateway)).find(({ subject }) => subject === made.body.id)
    expect(line).toMatchObject({ actor: 'user:operator@example.com', action: 'account.created' })
    const byToken = await gateway.operator<{ id: string }>('POST', '/accounts', { name: 'By token' })
    const other = (await readAudit(gateway)).find(({ subject }) => subject === byToken.id)
    expect(other?.actor).toBe('operator')
  })

  test('does not fall back to a session when a token is sent', async () => {
    const operator = await browserOf('operator')
    const headers = { authorization: 'Bearer wrong' }
    const { status, body } = await operator.request('GET /operator/v1/accounts', { headers })
    expect([status, body.error.code]).toEqual([401, 'auth_invalid'])
  })

  test('ends the sessions of a user whose operator role changes', async () => {
    const { id } = await addPerson(gateway, 'rising@example.com')
    const browser = new Browser(gateway.url)
    await browser.signIn('rising@example.com', PASSWORD)
    await gateway.operator('PATCH', `/users/${id}`, { is_operator: true })
    expect((await browser.call('GET /sessions')).status).toBe(401)
    await browser.signIn('rising@example.com', PASSWORD)
    expect((await browser.request('GET /operator/v1/accounts')).status).toBe(200)
    await gateway.operator('PATCH', `/users/${id}`, { is_operator: false })
    expect((await browser.request('GET /operator/v1/accounts')).status).toBe(401)
  })
})

test('a session does not work as an API key, nor an API key as a session', async () => {
  const operator = await browserOf('operator')
  expect((await operator.request('GET /v1/models')).status).toBe(401)
  const bearer = { authorization: `Bearer ${operator.session}` }
  expect((await new Browser(gateway.url).request('GET /v1/models', { headers: bearer })).status).toBe(401)
})

type Body = string | ReadableStream<Uint8Array>

describe('a visitor who has not signed in', () => {
  const send = async (body: Body) => {
    const browser = await new Browser(gateway.url).open()
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(`${gateway.url}${CONSOLE_PATH}/sign-in`, {
      method: 'POST',
      headers: { cookie, 'x-csrf-token': browser.csrf ?? '', 'content-type': 'application/json' },
      body,
    })
    return [response.status, JSON.parse(await response.text()).error.code]
  }
  const wrong = JSON.stringify({ email: 'owner@example.com', password: 'not the right one' })

  test.each([
    ['with its length declared', (text: string): Body => text],
    ['in chunks', (text: string): Body => new Blob([text]).stream()],
  ])('may send at most 64 KiB, %s', async (_how, bodyOf) => {
    expect(await send(bodyOf(wrong.padEnd(65_536)))).toEqual([401, 'auth_invalid'])
    expect(await send(bodyOf(wrong.padEnd(65_537)))).toEqual([413, 'request_too_large'])
  })
})
