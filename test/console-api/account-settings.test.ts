import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type MailServer, startMailServer } from '../alerts/mail-server.ts'
import { createMovableClock } from '../support/movable-clock.ts'
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts'
import { addHousehold, askModel, type Household } from './support/account-stage.ts'
import { Browser } from './support/browser.ts'
import { addPerson, browserOf, PASSWORD, readAudit } from './support/people.ts'

const clock = createMovableClock()
let gateway: TestGateway
let mail: MailServer
let house: Household
beforeAll(async () => {
  mail = await startMailServer()
  gateway = await startTestGateway({
    clock,
    environment: {
      TURNPIKE_SIGN_UP: 'on',
      TURNPIKE_WELCOME_CREDIT: '0.5',
      TURNPIKE_RECEIPT_TEXT: 'Example Ltd\\n1 High Street',
      TURNPIKE_SMTP_URL: mail.url,
      TURNPIKE_MAIL_FROM: 'gateway@example.com',
      TURNPIKE_PUBLIC_URL: 'https://gateway.example.com',
    },
  })
  house = await addHousehold(gateway, 'House')
  const { accountId } = house
  for (const role of ['developer', 'billing', 'viewer'] as const) {
    await addPerson(gateway, `${role}@house.example`, { accountId, role })
  }
})
afterAll(async () => {
  await gateway.stop()
  await mail.stop()
})

const at = (path = '') => `/accounts/${house.accountId}${path}`

test('an account that its owner signs up for gets the welcome credit once, others get none', async () => {
  const browser = await new Browser(gateway.url).open()
  const body = { email: 'new@example.com', password: PASSWORD, name: 'New' }
  const { body: session } = await browser.call('POST /sign-up', { body })
  const { id } = session.accounts[0]
  const ledger = await browser.call(`GET /accounts/${id}/ledger`)
  expect(ledger.body.data).toEqual([
    expect.objectContaining({ kind: 'adjustment', amount: '0.5', reference: 'welcome-credit' }),
  ])
  const again = await browser.call('POST /sign-up', { body })
  expect(again.status).toBe(400)
  const overview = await browser.call(`GET /accounts/${id}/overview`)
  expect([overview.body.account.balance, overview.body.account.total_paid]).toEqual(['0.5', '0'])
  expect((await house.owner.call(`GET ${at('/ledger')}`)).body.data).toEqual([])
})

test('an owner renames the account, and the name is trimmed text', async () => {
  const { status, body } = await house.owner.call(`PATCH ${at()}`, { body: { name: 'Haus <b>' } })
  expect([status, body.name]).toEqual([200, 'Haus <b>'])
  expect((await house.owner.call('GET /session')).body.accounts[0].name).toBe('Haus <b>')
  expect((await house.owner.call(`PATCH ${at()}`, { body: { name: '  ' } })).status).toBe(400)
  expect((await house.owner.call(`PATCH ${at()}`, { body: { name: 'x', credit_line: '9' } })).status).toBe(
    400,
  )
  const line = (await readAudit(gateway)).find(({ action }) => action === 'account.changed')
  expect(line).toMatchObject({ actor: 'user:owner@house.example', subject: house.accountId })
})

test('members who see to money are mailed when the balance falls below what they set', async () => {
  const billing = await browserOf(gateway, 'billing@house.example')
  const set = await billing.call(`PUT ${at('/balance-alert')}`, { body: { balance_alert: '5' } })
  expect([set.status, set.body]).toEqual([200, { balance_alert: '5' }])
  await gateway.operator('POST', `${at()}/payments`, { amount: '10', reference: 'r1' })
  await gateway.operator('POST', `${at()}/adjustments`, { amount: '-7', reason: 'test' })
  await gateway.alerts.raise()
  await until(() => mail.mails.length === 2)
  expect(mail.mails.map(({ to }) => to[0]).toSorted()).toEqual([
    'billing@house.example',
    'owner@house.example',
  ])
  const [first] = mail.mails
  expect(first?.text).toContain('Subject: Low balance: Haus <b>')
  expect(first?.text.replaceAll('=\n', '').replaceAll('=3D', '=')).toContain(
    `https://gateway.example.com/console/billing?tab=payments&account=${house.accountId}`,
  )
  const cleared = await billing.call(`PUT ${at('/balance-alert')}`, { body: { balance_alert: null } })
  expect(cleared.body).toEqual({ balance_alert: null })
})

test('a payment has a receipt with the text of the operator, for this account only', async () => {
  const paid = { amount: '12.5', reference: 'inv-7', note: 'card' }
  const { id } = await gateway.operator<{ id: string }>('POST', `${at()}/payments`, paid)
  const { status, body } = await house.owner.call(`GET ${at(`/payments/${id}/receipt`)}`)
  expect([status, body]).toEqual([
    200,
    expect.objectContaining({
      ...paid,
      id,
      account_name: 'Haus <b>',
      seller_text: 'Example Ltd\n1 High Street',
    }),
  ])
  const other = await addHousehold(gateway, 'Other')
  expect((await other.owner.call(`GET /accounts/${other.accountId}/payments/${id}/receipt`)).status).toBe(404)
})

test('a key shows which member created it, and when it was last used', async () => {
  const show = async () => (await house.owner.call(`GET ${at(`/keys/${house.keyId}`)}`)).body
  expect(await show()).toMatchObject({ created_by: 'owner@house.example', last_used_at: null })
  await askModel(gateway, house)
  // The ledger is shown when everything that is settled is stored.
  await house.owner.call(`GET ${at('/ledger')}`)
  const used = await show()
  expect(Date.parse(used.last_used_at)).toBe(clock.nowMs())
  const { id } = await gateway.operator<{ id: string }>('POST', `${at()}/keys`, { name: 'by an operator' })
  const { body } = await house.owner.call(`GET ${at('/keys')}`)
  const made = body.data.find((key: { id: string }) => key.id === id)
  expect([made.created_by, made.last_used_at]).toEqual([null, null])
})

/** Mails are sent in the background. */
async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setImmediate(resolve))
}
