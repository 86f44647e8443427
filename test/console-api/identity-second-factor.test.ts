import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { decodeBase32, stepAt, totpCode } from '../../src/rules/access/totp.ts'
import { createMovableClock } from '../support/movable-clock.ts'
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts'
import { Browser } from './support/browser.ts'
import { addPerson, browserOf, PASSWORD, readAudit } from './support/people.ts'

const STEP_MS = 30_000
const clock = createMovableClock()

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway({ clock })
})
afterAll(() => gateway.stop())

function codeOf(secret: string, stepsAway = 0): string {
  return totpCode(decodeBase32(secret), stepAt(clock.nowMs()) + stepsAway)
}

let people = 0

/** A user whose second factor is on, and the secret in their app. */
async function guarded() {
  people += 1
  // Whatever the test before has tried is forgiven by now.
  clock.advance(2 * 60 * 60 * 1_000)
  const email = `guarded-${people}@example.com`
  const { id } = await addPerson(gateway, email)
  const browser = await browserOf(gateway, email)
  const { secret } = (await browser.call('POST /totp/begin')).body
  const before = browser.session
  const confirmed = await browser.call('POST /totp/confirm', { body: { code: codeOf(secret) } })
  expect(confirmed.status).toBe(200)
  expect(browser.session).not.toBe(before)
  const recoveryCodes: string[] = confirmed.body.recovery_codes
  // The code of this step is used up.
  clock.advance(STEP_MS)
  return { id, email, secret, browser, recoveryCodes }
}

const signIn = (email: string, code?: string) => new Browser(gateway.url).signIn(email, PASSWORD, code)

describe('a second factor', () => {
  test('is shown as text, address and QR code, and takes effect only once confirmed', async () => {
    const email = 'hesitant@example.com'
    await addPerson(gateway, email)
    const browser = await browserOf(gateway, email)
    const { secret, uri, qr_svg } = (await browser.call('POST /totp/begin')).body
    expect(secret).toMatch(/^[A-Z2-7]{32}$/)
    expect(uri).toBe(
      `otpauth://totp/Turnpike:hesitant%40example.com?secret=${secret}&issuer=Turnpike&algorithm=SHA1&digits=6&period=30`,
    )
    expect(qr_svg).toStartWith('<svg')
    expect(qr_svg).not.toContain('script')
    const wrong = await browser.call('POST /totp/confirm', { body: { code: '000000' } })
    expect([wrong.status, wrong.body.error.param]).toEqual([400, 'code'])
    expect((await signIn(email)).status).toBe(200)
  })

  test('is requested only after the right password, and completes the sign-in', async () => {
    const { email, secret } = await guarded()
    const browser = new Browser(gateway.url)
    expect((await browser.signIn(email, 'wrong', codeOf(secret))).body.error.code).toBe('auth_invalid')
    const asked = await browser.signIn(email, PASSWORD)
    expect([asked.status, asked.body.error.code]).toEqual([401, 'second_factor_required'])
    expect(browser.session).toBeNull()
    const { status, body } = await browser.signIn(email, PASSWORD, codeOf(secret))
    expect([status, body.user.totp_enabled]).toEqual([200, true])
  })

  test('accepts a code once, and none of an earlier step after it', async () => {
    const { email, secret } = await guarded()
    const code = codeOf(secret)
    expect((await signIn(email, code)).status).toBe(200)
    expect((await signIn(email, code)).body.error.code).toBe('auth_invalid')
    expect((await signIn(email, codeOf(secret, -1))).status).toBe(401)
    expect((await signIn(email, codeOf(secret, 1))).status).toBe(200)
  })

  test('accepts the same code once, even concurrently', async () => {
    const { email, secret } = await guarded()
    const code = codeOf(secret)
    const answers = await Promise.all(Array.from({ length: 4 }, () => signIn(email, code)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  test('allows a clock that is 30 seconds off, not two minutes', async () => {
    const { email, secret } = await guarded()
    clock.advance(5 * STEP_MS)
    expect((await signIn(email, codeOf(secret, -4))).status).toBe(401)
    expect((await signIn(email, codeOf(secret, 4))).status).toBe(401)
    expect((await signIn(email, codeOf(secret, -1))).status).toBe(200)
  })

  test('can be replaced by each recovery code once, however it is typed', async () => {
    const { email, recoveryCodes } = await guarded()
    expect(new Set(recoveryCodes).size).toBe(10)
    const [first = '', second = ''] = recoveryCodes
    expect(first).toMatch(/^[a-z2-7]{8}-[a-z2-7]{8}$/)
    expect((await signIn(email, first)).status).toBe(200)
    expect((await signIn(email, first)).status).toBe(401)
    expect((await signIn(email, second.replace('-', ' ').toUpperCase())).status).toBe(200)
  })

  test('allows ever slower guesses, even with the right password', async () => {
    const { email, secret } = await guarded()
    const waits: number[] = []
    for (let guesses = 0; guesses < 14; ) {
      const { status, headers } = await signIn(email, '000000')
      if (status === 401) guesses += 1
      else {
        waits.push(Number(headers.get('retry-after')))
        clock.advance((waits.at(-1) ?? 0) * 1_000)
      }
    }
    expect(Math.max(...waits)).toBeGreaterThan(600)
    const refused = await signIn(email, codeOf(secret))
    expect(refused.status).toBe(429)
  })

  test('stays available to a known browser while strangers guess', async () => {
    const { email, secret, browser } = await guarded()
    await browser.call('POST /sign-out')
    for (let guesses = 0; guesses < 5; guesses += 1) {
      expect((await signIn(email, '000000')).status).toBe(401)
      // Not so long that codes are forgiven, but for the password to be asked again.
      clock.advance(1_000)
    }
    expect((await signIn(email, codeOf(secret))).status).toBe(429)
    expect((await browser.signIn(email, PASSWORD, codeOf(secret))).status).toBe(200)
  })

  test('can be switched off only with the password or a code', async () => {
    const { browser, email } = await guarded()
    const nothing = await browser.call('POST /totp/disable', { body: {} })
    expect(nothing.status).toBe(400)
    const wrong = await browser.call('POST /totp/disable', { body: { password: 'wrong' } })
    expect(wrong.status).toBe(403)
    expect((await browser.call('POST /totp/begin')).status).toBe(400)
    expect((await browser.call('POST /totp/disable', { body: { password: PASSWORD } })).body).toEqual({})
    expect((await browser.call('GET /session')).body.user.totp_enabled).toBe(false)
    expect((await signIn(email)).status).toBe(200)
    const other = await guarded()
    const byCode = await other.browser.call('POST /totp/disable', { body: { code: codeOf(other.secret) } })
    expect(byCode.status).toBe(200)
  })

  test('that was lost can be removed by an operator', async () => {
    const { email, id } = await guarded()
    await gateway.operator('PATCH', `/users/${id}`, { totp_enabled: false })
    expect((await signIn(email)).status).toBe(200)
  })

  test('is in the audit, without secrets', async () => {
    const { browser, secret, recoveryCodes, id } = await guarded()
    await browser.call('POST /totp/disable', { body: { password: PASSWORD } })
    const audit = await readAudit(gateway)
    const actions = audit.filter(({ subject }) => subject === id).map(({ action }) => action)
    expect(actions.slice(0, 2)).toEqual(['user.second_factor_disabled', 'user.second_factor_enabled'])
    const text = JSON.stringify(audit)
    for (const shown of [secret, ...recoveryCodes]) expect(text).not.toContain(shown)
  })
})
