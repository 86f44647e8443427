import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createMovableClock } from '../support/movable-clock.ts'
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts'
import { Browser } from './support/browser.ts'
import { addAccount, addPerson, browserOf, PASSWORD, readAudit } from './support/people.ts'

const HOUR_MS = 60 * 60 * 1_000
const clock = createMovableClock()

let gateway: TestGateway
let accountId: string
beforeAll(async () => {
  gateway = await startTestGateway({ clock, environment: { TURNPIKE_SIGN_UP: 'on' } })
  accountId = await addAccount(gateway, 'Acme')
})
afterAll(() => gateway.stop())

let people = 0
/** A new user, so that sessions and throttling of one test do not affect another. */
async function createUser(): Promise<string> {
  people += 1
  clock.advance(2 * HOUR_MS)
  const email = `person-${people}@example.com`
  await addPerson(gateway, email, { accountId, role: 'developer' })
  return email
}

describe('a session', () => {
  test('has no user before sign-in, and lists the ways to sign in', async () => {
    const browser = new Browser(gateway.url)
    const { body, status } = await browser.call('GET /session')
    expect(status).toBe(200)
    expect(body).toMatchObject({ user: null, accounts: [], sign_up: true, oidc: null })
    expect(body.version).toMatch(/^\d+\.\d+\.\d+/)
    expect(body.csrf_token.length).toBeGreaterThan(30)
  })

  test('begins with address and password, whatever the case of the address', async () => {
    const email = await createUser()
    const browser = new Browser(gateway.url)
    const { status, body, headers } = await browser.signIn(` ${email.toUpperCase()} `, PASSWORD)
    expect(status).toBe(200)
    expect(body.user).toMatchObject({
      email,
      is_operator: false,
      totp_enabled: false,
      has_password: true,
    })
    expect(body.accounts).toEqual([{ id: accountId, name: 'Acme', role: 'developer' }])
    expect((await browser.call('GET /session')).body).toEqual(body)
    const cookie = headers.getSetCookie().find((line) => line.startsWith('turnpike_session='))
    expect(cookie).toMatch(/^turnpike_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=1209600$/)
  })

  test('gets a new cookie at every sign-in, which prevents session fixation', async () => {
    const email = await createUser()
    const browser = new Browser(gateway.url)
    const planted = 'A'.repeat(43)
    browser.cookies.set('turnpike_session', planted)
    await browser.signIn(email, PASSWORD)
    const first = browser.session
    expect(first).not.toBe(planted)
    await browser.signIn(email, PASSWORD)
    expect(browser.session).not.toBe(first)
    const thief = new Browser(gateway.url)
    for (const known of [planted, first ?? '']) {
      thief.cookies.set('turnpike_session', known)
      expect((await thief.call('GET /session')).body.user).toBeNull()
    }
  })

  test('ends at sign-out, also for a copy of the cookie', async () => {
    const browser = await browserOf(gateway, await createUser())
    const copy = browser.session ?? ''
    expect((await browser.call('POST /sign-out')).body).toEqual({})
    expect(browser.session).toBeNull()
    browser.cookies.set('turnpike_session', copy)
    expect((await browser.call('GET /sessions')).status).toBe(401)
  })

  test('ends after 12 hours without use', async () => {
    const browser = await browserOf(gateway, await createUser())
    clock.advance(12 * HOUR_MS - 1)
    expect((await browser.call('GET /sessions')).status).toBe(200)
    clock.advance(12 * HOUR_MS)
    const { status, body } = await browser.call('GET /sessions')
    expect([status, body.error.code]).toEqual([401, 'auth_required'])
  })

  test('ends after 14 days, even when used', async () => {
    const browser = await browserOf(gateway, await createUser())
    for (let hours = 0; hours < 14 * 24 - 8; hours += 8) {
      clock.advance(8 * HOUR_MS)
      expect((await browser.call('GET /sessions')).status).toBe(200)
    }
    clock.advance(8 * HOUR_MS)
    expect((await browser.call('GET /sessions')).status).toBe(401)
  })

  test('is listed with the others of the same user, and each can be ended', async () => {
    const email = await createUser()
    const one = await browserOf(gateway, email)
    clock.advance(1_000)
    const other = await browserOf(gateway, email)
    const { data } = (await one.call('GET /sessions')).body
    expect(data.map(({ current }: { current: boolean }) => current)).toEqual([false, true])
    expect(data[0]).toMatchObject({ address: '127.0.0.1', user_agent: expect.stringContaining('Bun') })
    expect(data[0].created_at).toBe(data[0].last_seen_at)
    const gone = await one.call(`DELETE /sessions/${data[0].id}`)
    expect(gone.body).toEqual({ id: data[0].id, deleted: true })
    expect((await other.call('GET /sessions')).status).toBe(401)
    expect((await one.call(`DELETE /sessions/${data[0].id}`)).status).toBe(404)
  })

  test('of another user cannot be ended', async () => {
    const one = await browserOf(gateway, await createUser())
    const other = await browserOf(gateway, await createUser())
    const { id } = (await other.call('GET /sessions')).body.data[0]
    expect((await one.call(`DELETE /sessions/${id}`)).status).toBe(404)
    expect((await other.call('GET /sessions')).status).toBe(200)
  })

  test('and all others end everywhere', async () => {
    const email = await createUser()
    const browsers = [await browserOf(gateway, email), await browserOf(gateway, email)]
    const cookies = browsers.map((browser) => browser.session ?? '')
    await browsers[0]?.call('POST /sign-out-everywhere')
    for (const [index, browser] of browsers.entries()) {
      browser.cookies.set('turnpike_session', cookies[index] ?? '')
      expect((await browser.call('GET /sessions')).status).toBe(401)
    }
  })

  test('ends at once when an operator disables the user, who cannot sign in again', async () => {
    const email = await createUser()
    const browser = await browserOf(gateway, email)
    const { id } = (await browser.call('GET /session')).body.user
    await gateway.operator('PATCH', `/users/${id}`, { disabled: true })
    expect((await browser.call('GET /sessions')).status).toBe(401)
    expect((await browser.signIn(email, PASSWORD)).body.error.code).toBe('auth_invalid')
    await gateway.operator('PATCH', `/users/${id}`, { disabled: false })
    expect((await browser.signIn(email, PASSWORD)).status).toBe(200)
  })
})

describe('a refusal', () => {
  test('is the same for a wrong password, an unknown address and no address', async () => {
    const email = await createUser()
    const browser = new Browser(gateway.url)
    const answers = [
      await browser.signIn(email, `${PASSWORD}x`),
      await browser.signIn('nobody@example.com', PASSWORD),
      await browser.signIn('no address', PASSWORD),
    ]
    const replies = answers.map(({ status, body }) => JSON.stringify({ status, body }))
    expect(answers[0]).toMatchObject({ status: 401, body: { error: { code: 'auth_invalid' } } })
    expect(new Set(replies).size).toBe(1)
  })

  test('names a field that is missing or not known', async () => {
    const browser = await new Browser(gateway.url).open()
    const missing = await browser.call('POST /sign-in', { body: { email: 'a@b' } })
    expect(missing.body.error).toMatchObject({ code: 'invalid_request', param: 'password' })
    const unknown = await browser.call('POST /sign-in', { body: { email: 'a', password: 'b', admin: true } })
    expect(unknown.body.error).toMatchObject({ code: 'invalid_request', param: 'admin' })
  })
})

describe('guessing', () => {
  test('is delayed longer each time, even with the right password', async () => {
    const email = await createUser()
    const browser = new Browser(gateway.url)
    for (let attempt = 0; attempt < 5; attempt += 1) {
      expect((await browser.signIn(email, 'wrong')).status).toBe(401)
    }
    const waits: number[] = []
    for (let attempt = 0; attempt < 8; attempt += 1) {
      const refused = await browser.signIn(email, PASSWORD)
      expect([refused.status, refused.body.error.code]).toEqual([429, 'rate_limit_exceeded'])
      const seconds = Number(refused.headers.get('retry-after'))
      waits.push(seconds)
      clock.advance(seconds * 1_000)
      expect((await browser.signIn(email, 'wrong')).status).toBe(401)
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60])
    clock.advance(60_000)
    expect((await browser.signIn(email, PASSWORD)).status).toBe(200)
    expect((await browser.signIn(email, 'wrong')).status).toBe(401)
  })

  test('in parallel is not faster', async () => {
    const email = await createUser()
    const browser = await new Browser(gateway.url).open()
    const body = { email, password: 'wrong' }
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => browser.call('POST /sign-in', { body })),
    )
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(5)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(7)
  })

  test('at many users from one address is delayed too, and the audit stays short', async () => {
    clock.advance(2 * HOUR_MS)
    const before = (await readAudit(gateway)).filter(({ action }) => action === 'user.sign_in_failed').length
    const browser = await new Browser(gateway.url).open()
    const statuses: number[] = []
    for (let attempt = 0; attempt < 22; attempt += 1) {
      const body = { email: `victim-${attempt}@example.com`, password: 'wrong' }
      statuses.push((await browser.call('POST /sign-in', { body })).status)
    }
    expect(statuses.filter((status) => status === 401)).toHaveLength(20)
    expect(statuses.slice(20)).toEqual([429, 429])
    const failures = (await readAudit(gateway)).filter(({ action }) => action === 'user.sign_in_failed')
    expect(failures.length - before).toBe(5)
    expect(JSON.stringify(failures)).not.toContain('victim')
  })
})

describe('signing up', () => {
  const input = { email: 'new@example.com', password: PASSWORD, name: 'New & <b>Co</b>' }

  test('creates a user and an account of the lowest tier that they own', async () => {
    clock.advance(2 * HOUR_MS)
    const browser = await new Browser(gateway.url).open()
    const { status, body } = await browser.call('POST /sign-up', { body: input })
    expect(status).toBe(200)
    expect(body.user).toMatchObject({ email: input.email, name: input.name, is_operator: false })
    expect(body.accounts).toEqual([{ id: expect.any(String), name: input.name, role: 'owner' }])
    const account = await gateway.operator<{ tier: string }>('GET', `/accounts/${body.accounts[0].id}`)
    expect(account.tier).toBe('Starter')
    expect((await browserOf(gateway, input.email)).session).not.toBeNull()
  })

  test('accepts an email address once', async () => {
    const browser = await new Browser(gateway.url).open()
    const { status, body } = await browser.call('POST /sign-up', {
      body: { ...input, email: 'NEW@example.com' },
    })
    expect([status, body.error.param]).toEqual([400, 'email'])
  })

  test.each([
    ['short', 'password'],
    ['1234567890', 'password'],
    ['Password2026!', 'password'],
    ['x'.repeat(201), 'password'],
    ['somebody-new', 'password'],
  ])('refuses the password %p', async (password, param) => {
    clock.advance(2 * HOUR_MS)
    const browser = await new Browser(gateway.url).open()
    const body = { ...input, email: 'somebody-new@example.com', password }
    const answer = await browser.call('POST /sign-up', { body })
    expect([answer.status, answer.body.error.param]).toEqual([400, param])
    expect(answer.body.error.message).not.toContain(password)
  })
})

test('signing up from one address is delayed after twenty attempts, successful or not', async () => {
  clock.advance(2 * HOUR_MS)
  const browser = await new Browser(gateway.url).open()
  const body = { email: 'no address', password: PASSWORD, name: 'X' }
  const statuses: number[] = []
  for (let number = 0; number < 22; number += 1) {
    statuses.push((await browser.call('POST /sign-up', { body })).status)
  }
  expect(statuses).toEqual([...Array<number>(20).fill(400), 429, 429])
})

describe('a password', () => {
  const NEXT = 'another-good-one-91'

  test('can be changed by a user who knows it, which ends every other session', async () => {
    const email = await createUser()
    const [one, other] = [await browserOf(gateway, email), await browserOf(gateway, email)]
    const before = one.session
    const wrong = await one.call('POST /password', { body: { current: 'wrong', new: NEXT } })
    expect([wrong.status, wrong.body.error.param]).toEqual([403, 'current'])
    const weak = await one.call('POST /password', { body: { current: PASSWORD, new: 'weak' } })
    expect([weak.status, weak.body.error.param]).toEqual([400, 'new'])
    const changed = await one.call('POST /password', { body: { current: PASSWORD, new: NEXT } })
    expect([changed.status, changed.body]).toEqual([200, {}])
    expect(one.session).not.toBe(before)
    expect((await one.call('GET /sessions')).body.data).toHaveLength(1)
    expect((await one.call('PATCH /profile', { body: { name: 'Same page' } })).status).toBe(200)
    expect((await other.call('GET /sessions')).status).toBe(401)
    expect((await other.signIn(email, PASSWORD)).status).toBe(401)
    expect((await other.signIn(email, NEXT)).status).toBe(200)
  })

  test('cannot be guessed from an open session', async () => {
    const browser = await browserOf(gateway, await createUser())
    const body = { current: 'wrong', new: NEXT }
    const statuses: number[] = []
    for (let attempt = 0; attempt < 7; attempt += 1) {
      statuses.push((await browser.call('POST /password', { body })).status)
    }
    expect(statuses).toEqual([403, 403, 403, 403, 403, 429, 429])
  })
})

test('a name can be changed, and is treated as plain text', async () => {
  const browser = await browserOf(gateway, await createUser())
  const name = '<img src=x onerror=alert(1)>'
  const { body, headers } = await browser.call('PATCH /profile', { body: { name } })
  expect(body.user.name).toBe(name)
  expect(headers.get('content-type')).toStartWith('application/json')
  expect((await browser.call('PATCH /profile', { body: { name: '  ' } })).body.error.param).toBe('name')
})

test('the audit records every action, and no secret', async () => {
  const email = await createUser()
  const browser = await browserOf(gateway, email)
  await browser.call('POST /password', { body: { current: PASSWORD, new: 'a-third-good-one-3' } })
  await browser.call('POST /sign-out')
  const audit = await readAudit(gateway)
  const own = audit.filter(({ actor }) => actor === `user:${email}`).map(({ action }) => action)
  expect(own).toEqual(['session.ended', 'user.password_changed', 'user.signed_in'])
  const shown = await gateway.operator<{ data: { action: string; actor: string; subject_name: string }[] }>(
    'GET',
    '/audit?limit=200',
  )
  const signIn = shown.data.find(
    ({ action, actor }) => action === 'user.signed_in' && actor === `user:${email}`,
  )
  expect(signIn?.subject_name).toBe(email)
  const text = JSON.stringify(audit)
  for (const secret of [PASSWORD, 'a-third-good-one-3', 'argon2', browser.csrf ?? '']) {
    expect(text).not.toContain(secret)
  }
  const logged = JSON.stringify([gateway.log.requests, gateway.log.troubles])
  expect(logged).not.toContain(PASSWORD)
  expect(gateway.log.troubles).toEqual([])
})
