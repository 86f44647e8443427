import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts'
import { type Answer, Browser } from './support/browser.ts'
import { CLIENT_ID, CLIENT_SECRET, IdentityProvider } from './support/identity-provider.ts'
import { addPerson, browserOf, PASSWORD, readAudit } from './support/people.ts'

let provider: IdentityProvider
/** Takes users it does not know, and one that does not. */
let open: TestGateway
let closed: TestGateway

beforeAll(async () => {
  provider = new IdentityProvider()
  const environment = {
    TURNPIKE_OIDC_ISSUER: provider.url,
    TURNPIKE_OIDC_CLIENT_ID: CLIENT_ID,
    TURNPIKE_OIDC_CLIENT_SECRET: CLIENT_SECRET,
    TURNPIKE_OIDC_NAME: 'Acme ID',
  }
  open = await startTestGateway({ environment: { ...environment, TURNPIKE_SIGN_UP: 'on' } })
  closed = await startTestGateway({ environment })
})
afterAll(async () => {
  await open.stop()
  await closed.stop()
  await provider.stop()
})
beforeEach(() => provider.play({}))

interface Journey {
  /** Changes what the provider sends the browser back with. */
  readonly bend?: (query: URLSearchParams) => void
}

/** To the provider and back, as a browser goes. */
async function travel(browser: Browser, { bend }: Journey = {}): Promise<Answer> {
  const started = await browser.call('GET /oidc/start')
  expect(started.status).toBe(302)
  const atProvider = await fetch(started.headers.get('location') ?? '', { redirect: 'manual' })
  const back = new URL(atProvider.headers.get('location') ?? '')
  bend?.(back.searchParams)
  return browser.request(`GET ${back.pathname}?${back.searchParams}`)
}

async function arrive(gateway: TestGateway, journey: Journey = {}) {
  const browser = new Browser(gateway.url)
  const { headers, status } = await travel(browser, journey)
  expect(status).toBe(302)
  const { user } = (await browser.call('GET /session')).body
  return { browser, user, location: headers.get('location') }
}

let subjects = 0
/** Claims of a user the gateway does not know. */
function aStranger(more: Record<string, unknown> = {}) {
  subjects += 1
  const email = `stranger-${subjects}@example.com`
  return { sub: `stranger-${subjects}`, email, email_verified: true, name: 'A Stranger', ...more }
}

describe('signing in at a provider', () => {
  test('is offered under its name', async () => {
    const { body } = await new Browser(open.url).call('GET /session')
    expect(body.oidc).toEqual({ name: 'Acme ID' })
  })

  test.each(['RS256', 'ES256'] as const)(
    'creates a user with an account, signed with %s',
    async (algorithm) => {
      const claims = aStranger()
      provider.play({ claims, algorithm })
      const { user, location, browser } = await arrive(open)
      expect(location).toBe('/console/')
      expect(user).toMatchObject({ email: claims.email, name: 'A Stranger', has_password: false })
      expect((await browser.call('GET /session')).body.accounts).toHaveLength(1)
      const again = await arrive(open)
      expect(again.user.id).toBe(user.id)
      expect(again.browser.session).not.toBe(browser.session)
    },
  )

  test('recognizes a user by the subject, even if the email address changes', async () => {
    const claims = aStranger()
    provider.play({ claims })
    const { user } = await arrive(open)
    provider.play({ claims: { ...claims, email: 'moved@example.com', email_verified: false } })
    expect((await arrive(open)).user.id).toBe(user.id)
  })

  test('links a user with the same email address when both sides have verified it', async () => {
    const { id } = await addPerson(closed, 'ada@example.com', { password: null })
    const { user } = await arrive(closed)
    expect(user).toMatchObject({ id, email: 'ada@example.com' })
    const audit = await readAudit(closed)
    expect(audit.map(({ action }) => action)).toContain('user.linked')
    provider.play({ claims: { sub: 'another', email: 'ada@example.com', email_verified: true } })
    expect((await arrive(closed)).location).toBe('/console/sign-in?error=oidc_email_in_use')
  })

  test('links no user by an email address the provider has not verified', async () => {
    await addPerson(closed, 'boss@example.com', { isOperator: true })
    for (const email_verified of [false, 'true', undefined]) {
      provider.play({ claims: aStranger({ email: 'boss@example.com', email_verified }) })
      const { user, location } = await arrive(closed)
      expect([user, location]).toEqual([null, '/console/sign-in?error=oidc_email_unverified'])
    }
  })

  test('links no user by an unverified email address from sign-up', async () => {
    const claims = aStranger()
    const squatter = await new Browser(open.url).open()
    const body = { email: claims.email, password: PASSWORD, name: 'Squatter' }
    expect((await squatter.call('POST /sign-up', { body })).status).toBe(200)
    provider.play({ claims })
    const { user, location } = await arrive(open)
    expect([user, location]).toEqual([null, '/console/sign-in?error=oidc_email_in_use'])
  })

  test('creates no user when sign-up is closed', async () => {
    provider.play({ claims: aStranger() })
    const { user, location } = await arrive(closed)
    expect([user, location]).toEqual([null, '/console/sign-in?error=oidc_no_account'])
  })

  test('refuses a disabled user', async () => {
    provider.play({ claims: aStranger() })
    const { user } = await arrive(open)
    await open.operator('PATCH', `/users/${user.id}`, { disabled: true })
    const later = await arrive(open)
    expect([later.user, later.location]).toEqual([null, '/console/sign-in?error=oidc_disabled'])
  })

  test('starts a new session instead of reusing the browser’s', async () => {
    await addPerson(open, 'before@example.com')
    const browser = await browserOf(open, 'before@example.com')
    const before = browser.session ?? ''
    provider.play({ claims: aStranger() })
    await travel(browser)
    expect(browser.session).not.toBe(before)
    const thief = new Browser(open.url)
    thief.cookies.set('turnpike_session', before)
    expect((await thief.call('GET /session')).body.user).toBeNull()
  })
})

describe('a callback is refused', () => {
  const FAILED = '/console/sign-in?error=oidc_failed'
  const nowSeconds = () => Math.floor(Date.now() / 1_000)

  test.each([
    ['another nonce', () => ({ nonce: 'another' })],
    ['no nonce', () => ({ nonce: undefined })],
    ['another issuer', () => ({ iss: 'https://evil.example' })],
    ['another audience', () => ({ aud: 'another-client' })],
    ['an end that has passed', () => ({ exp: nowSeconds() - 3_600, iat: nowSeconds() - 7_200 })],
    ['no subject', () => ({ sub: undefined })],
  ])('with %s', async (_, forge) => {
    provider.play({ claims: aStranger(), forged: forge() })
    const { user, location } = await arrive(open)
    expect([user, location]).toEqual([null, FAILED])
  })

  test.each(['RS256', 'ES256'] as const)('when another key has signed it with %s', async (algorithm) => {
    provider.play({ claims: aStranger(), algorithm, signsWithOtherKey: true })
    expect((await arrive(open)).location).toBe(FAILED)
  })

  test.each([
    ['another state', (query: URLSearchParams) => query.set('state', 'another')],
    ['no state', (query: URLSearchParams) => query.delete('state')],
    ['another code', (query: URLSearchParams) => query.set('code', 'another')],
    ['another issuer in the address', (query: URLSearchParams) => query.set('iss', 'https://evil.example')],
  ])('with %s', async (_, bend) => {
    provider.play({ claims: aStranger() })
    const { user, location } = await arrive(open, { bend })
    expect([user, location]).toEqual([null, FAILED])
  })

  test('in a browser that did not start it (login CSRF)', async () => {
    provider.play({ claims: aStranger() })
    const [attacker, victim] = [new Browser(open.url), new Browser(open.url)]
    const started = await attacker.call('GET /oidc/start')
    const atProvider = await fetch(started.headers.get('location') ?? '', { redirect: 'manual' })
    const back = new URL(atProvider.headers.get('location') ?? '')
    const call = `GET ${back.pathname}${back.search}`
    expect((await victim.request(call)).headers.get('location')).toBe(FAILED)
    await victim.call('GET /oidc/start')
    expect((await victim.request(call)).headers.get('location')).toBe(FAILED)
    expect(victim.session).toBeNull()
  })

  test('a second time', async () => {
    provider.play({ claims: aStranger() })
    const browser = new Browser(open.url)
    const started = await browser.call('GET /oidc/start')
    const ticket = browser.cookies.get('turnpike_oidc') ?? ''
    const atProvider = await fetch(started.headers.get('location') ?? '', { redirect: 'manual' })
    const back = new URL(atProvider.headers.get('location') ?? '')
    const call = `GET ${back.pathname}${back.search}`
    expect((await browser.request(call)).headers.get('location')).toBe('/console/')
    expect(browser.cookies.has('turnpike_oidc')).toBe(false)
    browser.cookies.set('turnpike_oidc', ticket)
    expect((await browser.request(call)).headers.get('location')).toBe(FAILED)
  })

  test('and a user who cancels sees that as the reason', async () => {
    const browser = new Browser(open.url)
    const started = await browser.call('GET /oidc/start')
    const state = new URL(started.headers.get('location') ?? '').searchParams.get('state') ?? ''
    const query = new URLSearchParams({ error: 'access_denied', state })
    const { headers } = await browser.call(`GET /oidc/callback?${query}`)
    expect(headers.get('location')).toBe('/console/sign-in?error=oidc_cancelled')
  })

  test('and none of it is in the log', async () => {
    expect(open.log.troubles.length).toBeGreaterThan(0)
    const log = JSON.stringify([open.log.troubles, open.log.requests])
    for (const secret of [CLIENT_SECRET, 'code_verifier', 'eyJ']) expect(log).not.toContain(secret)
  })
})

test('a provider that expects the secret in the form gets it there', async () => {
  const other = new IdentityProvider()
  other.play({ authentication: 'client_secret_post' })
  const gateway = await startTestGateway({
    environment: {
      TURNPIKE_OIDC_ISSUER: other.url,
      TURNPIKE_OIDC_CLIENT_ID: CLIENT_ID,
      TURNPIKE_OIDC_CLIENT_SECRET: CLIENT_SECRET,
      TURNPIKE_SIGN_UP: 'on',
    },
  })
  try {
    expect((await arrive(gateway)).user.email).toBe('ada@example.com')
  } finally {
    await gateway.stop()
    await other.stop()
  }
})

test('without a provider the start page is not found', async () => {
  const plain = await startTestGateway()
  try {
    expect((await new Browser(plain.url).call('GET /oidc/start')).status).toBe(404)
    expect((await new Browser(plain.url).call('GET /oidc/callback?code=x')).status).toBe(404)
  } finally {
    await plain.stop()
  }
})

test('a provider that does not answer leads back to the sign-in page', async () => {
  const gateway = await startTestGateway({
    environment: {
      TURNPIKE_OIDC_ISSUER: 'http://127.0.0.1:1',
      TURNPIKE_OIDC_CLIENT_ID: CLIENT_ID,
      TURNPIKE_OIDC_CLIENT_SECRET: CLIENT_SECRET,
    },
  })
  try {
    const { headers } = await new Browser(gateway.url).call('GET /oidc/start')
    expect(headers.get('location')).toBe('/console/sign-in?error=oidc_failed')
  } finally {
    await gateway.stop()
  }
})
