import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { chat, readError } from '../support/chat.ts'
import { eventually } from '../support/eventually.ts'
import { createMovableClock, type MovableClock } from '../support/movable-clock.ts'
import { chunkOf, DONE, FINISH_CHUNK, startScriptedSupplier } from '../support/scripted-supplier.ts'
import { addModel, addSupplier } from '../support/supply.ts'
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts'
import { openUnlimitedKey } from '../support/two-suppliers.ts'

const ANSWER = {
  id: 'a',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
}

interface Seen {
  readonly secret: string
  readonly body: string
}

/** A supplier that refuses what the test says, and remembers what it was sent. */
class RefusingSupplier {
  readonly seen: Seen[] = []
  refuse: (call: Seen) => Response | null = () => null
  readonly #server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    development: false,
    fetch: async (request) => {
      const secret = request.headers.get('authorization')?.replace('Bearer ', '') ?? ''
      const call = { secret, body: await request.text() }
      this.seen.push(call)
      return this.refuse(call) ?? Response.json(ANSWER)
    },
  })

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}`
  }

  stop(): Promise<void> {
    return this.#server.stop(true)
  }
}

let clock: MovableClock
let gateway: TestGateway
let supplier: RefusingSupplier
let attacker: string
let other: string

beforeEach(async () => {
  clock = createMovableClock()
  gateway = await startTestGateway({ clock })
  supplier = new RefusingSupplier()
  await addSupplier(gateway, { id: 'one', sandbox: supplier, secret: 'sk-first' })
  await addModel(gateway, 'm', { suppliers: ['one'] })
  attacker = (await openUnlimitedKey(gateway)).secret
  other = (await openUnlimitedKey(gateway)).secret
})
afterEach(async () => {
  await gateway.stop()
  await supplier.stop()
})

const say = (content: string, key: string, more: object = {}) =>
  chat(gateway.url, { model: 'm', messages: [{ role: 'user', content }], ...more }, { key })

async function statesOf(id: string): Promise<string[]> {
  const { data } = await gateway.operator<{ data: { state: string }[] }>(
    'GET',
    `/suppliers/${id}/credentials`,
  )
  return data.map(({ state }) => state)
}

const callsFor = (content: string) => supplier.seen.filter(({ body }) => body.includes(content))
const isOurs = ({ body }: Seen) => body.includes('Answer with the word ok.')
const refusal = (status: number, error: object) => Response.json({ error }, { status })

const MISSING_FILE = {
  code: 403,
  message: 'You do not have permission to access the File abc or it may not exist.',
  status: 'PERMISSION_DENIED',
}
const UNEXPLAINED = { code: 403, message: 'The caller does not have permission', status: 'PERMISSION_DENIED' }

describe('a customer whose requests are refused with a 403', () => {
  beforeEach(() => gateway.operator('POST', '/suppliers/one/credentials', { secret: 'sk-second' }))

  test.each([
    { why: 'for a file that does not exist', error: MISSING_FILE, answer: [400, 'invalid_request'] },
    { why: 'without a reason', error: UNEXPLAINED, answer: [502, 'provider_error'] },
  ])('$why keeps both credentials in use for others', async ({ error, answer }) => {
    supplier.refuse = ({ body }) => (body.includes('files/missing') ? refusal(403, error) : null)
    for (let sent = 0; sent < 8; sent += 1) {
      const refused = await say('files/missing', attacker)
      expect([refused.status, (await readError(refused)).code]).toEqual([...answer])
    }
    // Each was asked of one credential only.
    expect(callsFor('files/missing')).toHaveLength(8)
    const answers = await Promise.all(Array.from({ length: 8 }, (_, index) => say(`hello ${index}`, other)))
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200))
    expect(new Set(callsFor('hello').map(({ secret }) => secret))).toEqual(new Set(['sk-first', 'sk-second']))
    expect(await statesOf('one')).toEqual(['active', 'active'])
    expect(supplier.seen.filter(isOurs).length).toBeLessThanOrEqual(2)
  })
})

test('a request that one supplier refuses without a reason is sent to another', async () => {
  const second = new RefusingSupplier()
  try {
    await addSupplier(gateway, { id: 'two', sandbox: second, secret: 'sk-two' })
    await addModel(gateway, 'm', { suppliers: ['one', 'two'] })
    supplier.refuse = () => refusal(403, UNEXPLAINED)
    const answer = await say('hello', other)
    expect([answer.status, answer.headers.get('x-gateway-route')]).toEqual([200, 'two'])
  } finally {
    await second.stop()
  }
})

describe('a credential that seems to be refused', () => {
  const UNAUTHORIZED = () => new Response('{"detail":"Unauthorized"}', { status: 401 })

  test('by one 401 stays active when it passes our own check', async () => {
    supplier.refuse = ({ body }) => (body.includes('odd') ? UNAUTHORIZED() : null)
    expect((await say('odd', attacker)).status).toBe(502)
    await eventually('the verification', () => Promise.resolve(supplier.seen.some(isOurs)))
    for (let sent = 0; sent < 5; sent += 1) await say('odd', attacker)
    await eventually('an answer', async () => (await say('hello', other)).status === 200)
    expect(await statesOf('one')).toEqual(['active'])
    expect(supplier.seen.filter(isOurs)).toHaveLength(1)
  })

  test('and is, is disabled, and operators get an alert', async () => {
    supplier.refuse = UNAUTHORIZED
    await say('hello', other)
    await eventually('disabling', async () => (await statesOf('one'))[0] === 'disabled')
    expect(supplier.seen.filter(isOurs)).toHaveLength(1)
    await gateway.alerts.raise()
    const { data } = await gateway.operator<{ data: { kind: string }[] }>('GET', '/alerts?limit=10')
    expect(data.map(({ kind }) => kind)).toEqual(['credential.disabled'])
  })

  test('by 403s to our own checks too, is disabled', async () => {
    supplier.refuse = () => refusal(403, UNEXPLAINED)
    for (let sent = 0; sent < 3; sent += 1) await say('hello', other)
    await eventually('disabling', async () => (await statesOf('one'))[0] === 'disabled')
  })

  test('for one model only, keeps serving the others', async () => {
    await addModel(gateway, 'forbidden', { suppliers: ['one'], upstreamModel: 'forbidden' })
    supplier.refuse = ({ body }) => (body.includes('forbidden') ? refusal(403, UNEXPLAINED) : null)
    expect((await say('hello', other)).status).toBe(200)
    for (let sent = 0; sent < 3; sent += 1) await say('hello', other, { model: 'forbidden' })
    await eventually('the verification', () => Promise.resolve(supplier.seen.some(isOurs)))
    expect((await say('hello', other)).status).toBe(200)
    expect(await statesOf('one')).toEqual(['active'])
  })
})

test('only one of twelve clients gets the broken stream of a probed supplier', async () => {
  const scripted = startScriptedSupplier()
  try {
    await addSupplier(gateway, { id: 'broken', sandbox: scripted })
    const whole = startScriptedSupplier()
    try {
      whole.perform([chunkOf({ content: 'Well' }), FINISH_CHUNK, DONE])
      await addSupplier(gateway, { id: 'whole', sandbox: whole })
      await addModel(gateway, 'streamed', { suppliers: ['broken', 'whole'] })
      const stream = () => say('hello', other, { model: 'streamed', stream: true })
      scripted.perform([chunkOf({ content: 'We' })])
      for (let sent = 0; sent < 6; sent += 1) await (await stream()).text()
      clock.advance(120_000)
      const { promise: breaks, resolve: breakAll } = Promise.withResolvers<void>()
      scripted.perform([chunkOf({ content: 'We' }), breaks])
      // Its first byte is there when the others come.
      const probe = await stream()
      const others = await Promise.all(Array.from({ length: 11 }, stream))
      breakAll()
      const texts = await Promise.all([probe, ...others].map((answer) => answer.text()))
      expect(texts.filter((text) => !text.includes('[DONE]'))).toHaveLength(1)
    } finally {
      await whole.stop()
    }
  } finally {
    await scripted.stop()
  }
})

describe('when the machine’s clock is set', () => {
  const HOURS_MS = 5 * 3_600_000

  test.each([
    ['back', -HOURS_MS],
    ['forth', HOURS_MS],
  ] as const)('%s, a credential cools as long as its supplier asked', async (_direction, jumpMs) => {
    supplier.refuse = () => new Response('{}', { status: 429, headers: { 'retry-after': '30' } })
    expect((await say('hello', other)).status).toBe(429)
    supplier.refuse = () => null
    clock.set(jumpMs)
    clock.advance(29_000)
    const early = await say('hello', other)
    expect([early.status, early.headers.get('retry-after')]).toEqual([429, '1'])
    clock.advance(1_000)
    expect((await say('hello', other)).status).toBe(200)
  })
})
