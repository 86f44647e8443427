import { afterEach, beforeEach, expect, test } from 'bun:test'
import { createLoneKey, openAccount } from '../support/accounts.ts'
import { chat, say } from '../support/chat.ts'
import { createMovableClock, type MovableClock } from '../support/movable-clock.ts'
import { addModel, addSupplier, TEST_PRICE } from '../support/supply.ts'
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts'
import { type MailServer, startMailServer } from './mail-server.ts'
import { isSignedWith, type Receiver, startReceiver } from './receiver.ts'

interface SlackBody {
  readonly text: string
  readonly blocks: readonly { readonly type: string }[]
}

let gateway: TestGateway
let clock: MovableClock
let mail: MailServer
let receiver: Receiver
beforeEach(async () => {
  clock = createMovableClock()
  mail = await startMailServer()
  receiver = startReceiver()
  gateway = await startTestGateway({
    clock,
    environment: { TURNPIKE_SMTP_URL: mail.url, TURNPIKE_MAIL_FROM: 'Turnpike <gateway@example.com>' },
  })
})
afterEach(async () => {
  await gateway.stop()
  await mail.stop()
  await receiver.stop()
})

interface ChannelShown {
  readonly secret: string | null
  readonly address: string
  readonly waiting: number
  readonly last_failure: string | null
}

const put = (id: string, body: object) => gateway.operator<ChannelShown>('PUT', `/alert-channels/${id}`, body)
const slackUrl = () => receiver.url.replace('/alerts', '/services/T0/B0/slack-password')

/** Notices, stores and delivers what there is. */
async function deliver(): Promise<void> {
  await gateway.alerts.lookAtPlatform()
  await gateway.alerts.deliverDue(clock.nowMs())
}

async function removePrice(): Promise<void> {
  await gateway.operator('PUT', '/models/bare', { owned_by: 'tests', output_token_limit: 100 })
  await gateway.operator('PUT', '/models/bare/routes/sandbox-openai', { upstream_model: 'sandbox-chat' })
}

test('a webhook, Slack and e-mail are told when a price is missing, and when it is there', async () => {
  const webhook = await put('hook', { type: 'webhook', address: `${receiver.url}?token=hidden` })
  await put('chat', { type: 'slack', address: slackUrl() })
  await put('mail', { type: 'email', address: 'on-call@example.com' })
  await removePrice()
  await deliver()
  await deliver()
  expect(receiver.calls).toHaveLength(2)
  const signed = receiver.calls.find(({ body }) => body.kind === 'route.unpriced')
  expect(signed?.body).toMatchObject({
    status: 'raised',
    data: { model: 'bare', supplier: 'sandbox-openai' },
  })
  expect(signed !== undefined && isSignedWith(signed, webhook.secret ?? '')).toBe(true)
  const slack = receiver.calls.find(({ body }) => 'text' in body)?.body as unknown as SlackBody
  expect(slack.text).toBe(':warning: The route of bare to sandbox-openai has no price')
  expect(slack.blocks.map(({ type }) => type)).toEqual(['section', 'section', 'context'])
  expect(mail.mails).toHaveLength(1)
  expect(mail.mails[0]).toMatchObject({ from: 'gateway@example.com', to: ['on-call@example.com'] })
  expect(mail.mails[0]?.text).toContain(
    'Subject: [Turnpike] The route of bare to sandbox-openai has no price',
  )

  await gateway.operator('PUT', '/models/bare/routes/sandbox-openai', {
    upstream_model: 'sandbox-chat',
    price: TEST_PRICE,
  })
  await deliver()
  expect(receiver.calls).toHaveLength(4)
  expect(receiver.calls.find(({ body }) => 'status' in body && body.status === 'resolved')?.body.kind).toBe(
    'route.unpriced',
  )
  expect(mail.mails[1]?.text).toContain('Resolved: The route of bare')

  const shown = JSON.stringify([
    await gateway.operator('GET', '/alert-channels'),
    await gateway.operator('GET', '/audit?limit=200'),
  ])
  for (const secret of ['slack-password', 'token=hidden', webhook.secret ?? '?'])
    expect(shown).not.toContain(secret)
})

test('a mail server that refuses is tried again, and channels get only the kinds they want', async () => {
  await put('mail', { type: 'email', address: 'on-call@example.com', kinds: ['route.unpriced'] })
  await put('hook', { type: 'webhook', address: receiver.url, kinds: ['node.lost'] })
  mail.isRefusing = true
  await removePrice()
  await deliver()
  expect(await gateway.operator<ChannelShown>('GET', '/alert-channels/mail')).toMatchObject({
    waiting: 1,
    last_failure: 'The mail server answered 451.',
  })
  mail.isRefusing = false
  clock.advance(15_000)
  await deliver()
  expect(mail.mails).toHaveLength(1)
  expect(receiver.calls).toEqual([])
  gateway.alerts.noteLostNode({ id: 'node_1', name: 'gateway-2', version: '1', startedAtMs: 0 })
  gateway.alerts.noteLostNode({ id: 'node_1', name: 'gateway-2', version: '1', startedAtMs: 0 })
  await deliver()
  expect(receiver.calls.map(({ body }) => [body.kind, body.data.node])).toEqual([['node.lost', 'gateway-2']])
})

test('the low balance of any account is told', async () => {
  await put('hook', { type: 'webhook', address: receiver.url })
  const accountId = await openAccount(gateway)
  await gateway.operator('PATCH', `/accounts/${accountId}`, { balance_alert: '5' })
  await gateway.operator('POST', `/accounts/${accountId}/payments`, { amount: '1', reference: 'one' })
  await deliver()
  expect(receiver.calls.map(({ body }) => [body.kind, body.account_id])).toEqual([['balance.low', accountId]])
  await gateway.operator('POST', `/accounts/${accountId}/payments`, { amount: '10', reference: 'two' })
  await deliver()
  expect(receiver.calls.map(({ body }) => 'status' in body && body.status)).toEqual(['raised', 'resolved'])
})

test('a sink that fails for minutes is told once, and again when it works', async () => {
  await put('hook', { type: 'webhook', address: receiver.url, kinds: ['sink.failing'] })
  let status = 500
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response(null, { status }) })
  await gateway.operator('PUT', '/sinks/warehouse', {
    target: `http://127.0.0.1:${server.port}/`,
    wait_seconds: 0,
  })
  await openAccount(gateway)
  for (let minute = 0; minute < 12; minute++) {
    await gateway.sinks.send()
    await deliver()
    clock.advance(60_000)
  }
  expect(receiver.calls.map(({ body }) => [body.kind, body.data.failure])).toEqual([
    ['sink.failing', 'The receiver answered 500.'],
  ])
  status = 200
  clock.advance(10 * 60_000)
  await gateway.sinks.send()
  await deliver()
  expect(receiver.calls.map(({ body }) => 'status' in body && body.status)).toEqual(['raised', 'resolved'])
  await server.stop(true)
})

test('a circuit that stays open for minutes is told, and when it closes', async () => {
  await put('hook', { type: 'webhook', address: receiver.url, kinds: ['circuit.open'] })
  await addSupplier(gateway, { id: 'shaky', sandbox: gateway.sandbox })
  await addModel(gateway, 'unsteady', { suppliers: ['shaky'] })
  const { secret } = await createLoneKey(gateway)
  const ask = async () => {
    const response = await chat(gateway.url, { model: 'unsteady', ...say('hi') }, { key: secret })
    await response.arrayBuffer()
    return response.status
  }
  gateway.sandbox.faults.set({ model: 'sandbox-chat', fault: { type: 'status', status: 500 } })
  for (let call = 0; call < 10; call++) await ask()
  await deliver()
  expect(receiver.calls).toEqual([])
  clock.advance(6 * 60_000)
  await deliver()
  await deliver()
  expect(receiver.calls.map(({ body }) => [body.kind, body.data.supplier])).toEqual([
    ['circuit.open', 'shaky'],
  ])
  gateway.sandbox.faults.clear()
  expect(await ask()).toBe(200)
  await deliver()
  expect(receiver.calls.map(({ body }) => 'status' in body && body.status)).toEqual(['raised', 'resolved'])
})

test('a channel can be tested, and wrong addresses are refused', async () => {
  await put('mail', { type: 'email', address: 'on-call@example.com' })
  expect(await gateway.operator('POST', '/alert-channels/mail/test')).toEqual({
    delivered: true,
    failure: null,
  })
  expect(mail.mails[0]?.text).toContain('This is a test')
  for (const address of ['no address', 'a@b\r\nBcc: c@d', '"a b"@c', 'https://x'])
    expect(put('bad', { type: 'email', address })).rejects.toThrow('address')
  expect(put('bad', { type: 'slack', address: 'ftp://x' })).rejects.toThrow('address')
  await gateway.operator('DELETE', '/alert-channels/mail')
  expect(gateway.operator('GET', '/alert-channels/mail')).rejects.toThrow('404')
})
