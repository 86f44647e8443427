import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Engine, type Site, testedEngines } from '../../src/edges/storage/testing/engines.ts'
import { type MailServer, startMailServer } from '../alerts/mail-server.ts'
import { createMovableClock } from '../support/movable-clock.ts'
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts'
import { addHousehold, type Household } from './support/account-stage.ts'
import { Browser } from './support/browser.ts'
import { addPerson, browserOf, PASSWORD, readAudit } from './support/people.ts'

const DAY_MS = 24 * 60 * 60 * 1_000
const NEW_PASSWORD = 'another-horse-8-staple'

for (const engine of testedEngines()) describe(`links on ${engine.name}`, () => describeLinks(engine))

function describeLinks(engine: Engine): void {
  const clock = createMovableClock()
  let site: Site
  let gateway: TestGateway
  let mail: MailServer
  let house: Household
  beforeAll(async () => {
    site = await engine.makeSite()
    mail = await startMailServer()
    gateway = await startTestGateway({
      clock,
      dataFolder: site.dataFolder,
      environment: {
        TURNPIKE_SMTP_URL: mail.url,
        TURNPIKE_MAIL_FROM: 'gateway@example.com',
        TURNPIKE_PUBLIC_URL: 'http://gateway.example.com',
        ...(site.databaseUrl !== null && { DATABASE_URL: site.databaseUrl }),
      },
    })
    house = await addHousehold(gateway, 'House')
  })
  afterAll(async () => {
    await gateway.stop()
    await mail.stop()
    await site.remove()
  })

  const invites = () => `/accounts/${house.accountId}/invites`
  const invite = async (body: object) => (await house.owner.call(`POST ${invites()}`, { body })).body
  const visitor = () => new Browser(gateway.url).open()

  test('a link makes a new user a member once, while sign-up is off', async () => {
    const { token, mailed, role } = await invite({ role: 'viewer' })
    expect([mailed, role]).toEqual([false, 'viewer'])
    const [one, other] = [await visitor(), await visitor()]
    const offer = await one.call('POST /invites/show', { body: { token } })
    expect(offer.body).toMatchObject({ account_name: 'House', role: 'viewer', email: null })
    const join = (browser: Browser, email: string) =>
      browser.call('POST /invites/join', { body: { token, email, name: 'V', password: PASSWORD } })
    expect((await join(one, 'owner@house.example')).body.error.param).toBe('email')
    const answers = await Promise.all([join(one, 'one@example.com'), join(other, 'other@example.com')])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404])
    const joined = answers.find(({ status }) => status === 200)
    expect(joined?.body.accounts).toEqual([{ id: house.accountId, name: 'House', role: 'viewer' }])
    const members = await house.owner.call(`GET /accounts/${house.accountId}/members`)
    expect(members.body.data).toHaveLength(2)
    expect((await house.owner.call(`GET ${invites()}`)).body.data).toEqual([])
  })

  test('a link for an address is mailed there, and is of use to nobody else', async () => {
    await addPerson(gateway, 'guest@example.com')
    await addPerson(gateway, 'thief@example.com')
    const { token, mailed } = await invite({ email: 'Guest@example.com', role: 'developer' })
    expect([mailed, mail.mails.at(-1)?.to]).toEqual([true, ['guest@example.com']])
    expect(linkIn(mail, '/console/join#')).toBe(token)
    const thief = await browserOf(gateway, 'thief@example.com')
    expect((await thief.call('POST /invites/accept', { body: { token } })).status).toBe(403)
    const guest = await browserOf(gateway, 'guest@example.com')
    const accepted = await guest.call('POST /invites/accept', { body: { token } })
    expect(accepted.body.accounts).toEqual([{ id: house.accountId, name: 'House', role: 'developer' }])
    expect((await guest.call(`GET /accounts/${house.accountId}/keys`)).status).toBe(200)
    expect((await guest.call('POST /invites/accept', { body: { token } })).status).toBe(404)
    const second = await invite({ role: 'owner' })
    const again = await guest.call('POST /invites/accept', { body: { token: second.token } })
    expect(again.body.error.message).toContain('already')
  })

  test('a link ends when it is revoked or its days are over, and only its hash is stored', async () => {
    const revoked = await invite({ role: 'viewer' })
    const late = await invite({ role: 'viewer', days: 1 })
    expect((await house.owner.call(`DELETE ${invites()}/${revoked.id}`)).status).toBe(200)
    const browser = await visitor()
    const show = (token: string) => browser.call('POST /invites/show', { body: { token } })
    expect((await show(revoked.token)).status).toBe(404)
    expect((await show(late.token)).status).toBe(200)
    clock.advance(DAY_MS)
    expect((await show(late.token)).status).toBe(404)
    expect((await show('x')).status).toBe(404)
    const trace = JSON.stringify([await readAudit(gateway), gateway.log])
    for (const { token } of [revoked, late]) expect(trace).not.toContain(token)
  })

  test('a forgotten password is set anew by a mailed link, once, and ends every session', async () => {
    await addPerson(gateway, 'lost@example.com')
    const before = await browserOf(gateway, 'lost@example.com')
    const browser = await visitor()
    expect((await browser.call('GET /session')).body.password_mail).toBe(true)
    const sent = mail.mails.length
    const forget = (email: string) => browser.call('POST /password/forgotten', { body: { email } })
    const [unknown, known] = [await forget('nobody@example.com'), await forget('LOST@example.com')]
    expect([unknown.status, unknown.body]).toEqual([known.status, known.body])
    await until(() => mail.mails.length > sent)
    // A second mail comes five minutes later at the earliest, even if the link was used by then.
    await forget('lost@example.com')
    expect(mail.mails.at(-1)?.to).toEqual(['lost@example.com'])
    const token = linkIn(mail, '/console/new-password#')
    const renew = (password: string) => browser.call('POST /password/renewal', { body: { token, password } })
    expect((await renew('short')).body.error.param).toBe('password')
    expect((await renew(NEW_PASSWORD)).status).toBe(200)
    expect((await renew(NEW_PASSWORD)).status).toBe(404)
    expect((await before.call('GET /sessions')).status).toBe(401)
    expect((await (await visitor()).signIn('lost@example.com', PASSWORD)).status).toBe(401)
    expect((await (await visitor()).signIn('lost@example.com', NEW_PASSWORD)).status).toBe(200)
    expect(mail.mails).toHaveLength(sent + 1)
    expect(JSON.stringify([await readAudit(gateway), gateway.log])).not.toContain(token)
  })

  test('asking for one address many times at once sends one mail', async () => {
    await addPerson(gateway, 'busy@example.com')
    clock.advance(DAY_MS)
    const browser = await visitor()
    const sent = mail.mails.length
    const forget = () => browser.call('POST /password/forgotten', { body: { email: 'busy@example.com' } })
    await Promise.all(Array.from({ length: 8 }, forget))
    await until(() => mail.mails.length > sent)
    clock.advance(5 * 60_000)
    await forget()
    await until(() => mail.mails.length > sent + 1)
    const subjects = (await readAudit(gateway)).filter(({ action }) => action === 'user.password_forgotten')
    expect(mail.mails.slice(sent).map(({ to }) => to)).toEqual([['busy@example.com'], ['busy@example.com']])
    expect(subjects.filter(({ subject }) => subject === subjects[0]?.subject)).toHaveLength(2)
  })

  test('a link to a new password is over after 30 minutes, or when the password changes', async () => {
    const { id } = await addPerson(gateway, 'slow@example.com')
    const browser = await visitor()
    const ask = async () => {
      const sent = mail.mails.length
      clock.advance(DAY_MS)
      await browser.call('POST /password/forgotten', { body: { email: 'slow@example.com' } })
      await until(() => mail.mails.length > sent)
      return linkIn(mail, '/console/new-password#')
    }
    const renew = (token: string) =>
      browser.call('POST /password/renewal', { body: { token, password: NEW_PASSWORD } })
    const first = await ask()
    clock.advance(30 * 60_000)
    expect((await renew(first)).status).toBe(404)
    const second = await ask()
    await gateway.operator('POST', `/users/${id}/password`, {})
    expect((await renew(second)).status).toBe(404)
  })

  test('asking for links without end has to wait', async () => {
    clock.advance(DAY_MS)
    const browser = await visitor()
    const statuses: number[] = []
    for (let attempt = 0; attempt < 22; attempt += 1) {
      const body = { email: `victim-${attempt}@example.com` }
      statuses.push((await browser.call('POST /password/forgotten', { body })).status)
    }
    expect(statuses.slice(19)).toEqual([200, 429, 429])
  })
}

/** The token after a link in the last mail, whose lines may be broken and escaped. */
function linkIn({ mails }: MailServer, path: string): string {
  const text = (mails.at(-1)?.text ?? '').replaceAll('=\n', '').replaceAll('=3D', '=')
  const [, token = ''] = text.split(`http://gateway.example.com${path}`)
  return token.split('\n')[0] ?? ''
}

/** Mails are sent after the answer. */
async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setImmediate(resolve))
}
