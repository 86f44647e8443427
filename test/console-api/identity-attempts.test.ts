import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createMovableClock } from '../support/movable-clock.ts'
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts'
import { type Answer, Browser } from './support/browser.ts'
import { addAccount, addPerson, PASSWORD } from './support/people.ts'

const HOUR_MS = 60 * 60 * 1_000
const clock = createMovableClock()
const HOME = '198.51.100.10'

let gateway: TestGateway
let accountId: string
beforeAll(async () => {
  gateway = await startTestGateway({ clock, environment: { TURNPIKE_TRUSTED_PROXIES: '127.0.0.1' } })
  accountId = await addAccount(gateway, 'Acme')
})
afterAll(() => gateway.stop())

let people = 0
async function createUser(): Promise<{ email: string; id: string }> {
  people += 1
  clock.advance(2 * HOUR_MS)
  const email = `person-${people}@example.com`
  const { id } = await addPerson(gateway, email, { accountId, role: 'developer' })
  return { email, id }
}

interface Try {
  readonly email: string
  readonly from: string
  readonly password?: string
}

async function signIn(browser: Browser, { email, from, password = PASSWORD }: Try): Promise<Answer> {
  await browser.open()
  return browser.call('POST /sign-in', { body: { email, password }, headers: { 'x-forwarded-for': from } })
}

/** Guesses until it has to wait. */
async function guess(email: string, from: string): Promise<void> {
  const browser = new Browser(gateway.url)
  const statuses: number[] = []
  for (let attempt = 0; attempt < 6; attempt += 1) {
    statuses.push((await signIn(browser, { email, from, password: 'wrong' })).status)
  }
  expect(statuses).toEqual([401, 401, 401, 401, 401, 429])
}

describe('guessing at a name', () => {
  test('from another address does not delay its owner', async () => {
    const { email } = await createUser()
    for (const from of ['203.0.113.1', '2001:db8::1']) await guess(email, from)
    expect((await signIn(new Browser(gateway.url), { email, from: HOME })).status).toBe(200)
    const again = await signIn(new Browser(gateway.url), { email, from: '203.0.113.1' })
    expect([again.status, again.body.error.code]).toEqual([429, 'rate_limit_exceeded'])
  })

  test('from another address of the same /64 is not faster', async () => {
    const { email } = await createUser()
    const statuses: number[] = []
    for (let host = 1; host <= 6; host += 1) {
      const from = `2001:db8:0:7::${host}`
      statuses.push((await signIn(new Browser(gateway.url), { email, from, password: 'wrong' })).status)
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429])
  })
})

describe('a browser that has signed in before', () => {
  test('is not delayed by a guesser behind the same address, but by its own guesses', async () => {
    const { email } = await createUser()
    const known = new Browser(gateway.url)
    const first = await signIn(known, { email, from: HOME })
    const cookie = first.headers.getSetCookie().find((line) => line.startsWith('turnpike_device='))
    expect(cookie).toMatch(/^turnpike_device=[\w.-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=15552000$/)
    await known.call('POST /sign-out')
    await guess(email, HOME)
    expect((await signIn(new Browser(gateway.url), { email, from: HOME })).status).toBe(429)
    expect((await signIn(known, { email, from: HOME })).status).toBe(200)
    const statuses: number[] = []
    for (let attempt = 0; attempt < 6; attempt += 1) {
      statuses.push((await signIn(known, { email, from: HOME, password: 'wrong' })).status)
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429])
  })

  test('is known only for its own user, with an unaltered cookie, for half a year', async () => {
    const { email } = await createUser()
    const { email: other } = await createUser()
    const known = new Browser(gateway.url)
    await signIn(known, { email, from: HOME })
    const device = known.cookies.get('turnpike_device') ?? ''
    await guess(other, HOME)
    await guess(email, HOME)
    const tryWith = async (cookie: string, name: string) => {
      const browser = new Browser(gateway.url)
      browser.cookies.set('turnpike_device', cookie)
      return (await signIn(browser, { email: name, from: HOME })).status
    }
    expect(await tryWith(device, other)).toBe(429)
    expect(await tryWith(`${device.slice(0, -1)}${device.endsWith('A') ? 'B' : 'A'}`, email)).toBe(429)
    expect(await tryWith(device.replace('.0.', '.1.'), email)).toBe(429)
    expect(await tryWith('x'.repeat(5_000), email)).toBe(429)
    expect(await tryWith(device, email)).toBe(200)
    clock.advance(180 * 24 * HOUR_MS)
    await guess(email, HOME)
    expect(await tryWith(device, email)).toBe(429)
  })

  test.each(['password', 'sign-out-everywhere', 'reset', 'disable'])(
    'is unknown again after: %s',
    async (how) => {
      const { email, id } = await createUser()
      const [one, other] = [new Browser(gateway.url), new Browser(gateway.url)]
      await signIn(one, { email, from: HOME })
      await signIn(other, { email, from: HOME })
      let password = PASSWORD
      if (how === 'password') {
        password = 'another-good-one-91'
        await other.call('POST /password', { body: { current: PASSWORD, new: password } })
      }
      if (how === 'sign-out-everywhere') await other.call('POST /sign-out-everywhere')
      if (how === 'reset') await gateway.operator('POST', `/users/${id}/password`, { password })
      if (how === 'disable') {
        await gateway.operator('PATCH', `/users/${id}`, { disabled: true })
        await gateway.operator('PATCH', `/users/${id}`, { disabled: false })
      }
      await guess(email, HOME)
      expect((await signIn(one, { email, from: HOME, password })).status).toBe(429)
      // The browser that changed the password stays known.
      const expected = how === 'password' ? 200 : 429
      expect((await signIn(other, { email, from: HOME, password })).status).toBe(expected)
      expect(other.cookies.has('turnpike_device')).toBe(how !== 'sign-out-everywhere')
    },
  )
})

test('wrong passwords of a signed-in user are counted apart from failed sign-ins', async () => {
  const { email } = await createUser()
  const known = new Browser(gateway.url)
  await signIn(known, { email, from: HOME })
  const wrong = { current: 'wrong', new: 'another-good-one-91' }
  const statuses: number[] = []
  for (let attempt = 0; attempt < 6; attempt += 1) {
    statuses.push((await known.call('POST /password', { body: wrong })).status)
  }
  expect(statuses).toEqual([403, 403, 403, 403, 403, 429])
  // They do not count against signing in.
  expect((await signIn(new Browser(gateway.url), { email, from: HOME })).status).toBe(200)
})
