import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { addSingleFormatSuppliers, keyFor, SUPPLIERS } from '../state/support/suppliers.ts'
import { createKey, createLoneKey, openAccount } from '../support/accounts.ts'
import { eventually } from '../support/eventually.ts'
import { onlySettlementOf, settlementsOf } from '../support/settlements.ts'
import { BOOTSTRAP_KEY, startTestGateway, type TestGateway } from '../support/test-gateway.ts'
import { SocketClient, textOf } from './support/socket-client.ts'

let gateway: TestGateway
const clients: SocketClient[] = []

beforeAll(async () => {
  gateway = await startTestGateway()
  await addSingleFormatSuppliers(gateway)
})
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close()
})
afterAll(() => gateway.stop())

async function connect(key = BOOTSTRAP_KEY): Promise<SocketClient> {
  const client = await SocketClient.connect(gateway.url, key)
  clients.push(client)
  return client
}

/** All the supplier was given with the last call. */
const lastPrompt = () => JSON.stringify(gateway.sandbox.calls.at(-1)?.body)

describe.each(SUPPLIERS)('over a %s supplier', (_format, supplier) => {
  test('creates responses one after another, and continues from those that are not stored', async () => {
    const client = await connect(await keyFor(gateway, supplier))
    const first = await client.respond({ input: 'say: the password is tulip', store: false })
    expect([first.status, textOf(first)]).toEqual(['completed', 'the password is tulip'])
    const second = await client.respond({
      input: 'say: second',
      store: false,
      previous_response_id: first.id,
    })
    expect(textOf(second)).toBe('second')
    expect(second.previous_response_id).toBe(first.id)
    expect(lastPrompt().match(/the password is tulip/g)).toHaveLength(2)
    expect(lastPrompt()).not.toContain('response.create')
    const third = await client.respond({ input: 'say: third', previous_response_id: second.id })
    expect(lastPrompt().match(/the password is tulip/g)).toHaveLength(2)
    expect(lastPrompt()).toContain('say: second')
    // The third one is stored, with everything it continues from.
    const other = await connect(await keyFor(gateway, supplier))
    const error = await other.refusal({
      type: 'response.create',
      model: 'sandbox-chat',
      input: 'say: x',
      previous_response_id: third.id,
    })
    expect(error).toMatchObject({ status: 400, error: { code: 'previous_response_not_found' } })
  })

  test('items of responses that are not stored can be referred to on the same connection only', async () => {
    const client = await connect(await keyFor(gateway, supplier))
    const first = await client.respond({ input: 'say: a rare tulip', store: false })
    const item = first.output.find(({ type }) => type === 'message')
    const input = [
      { type: 'item_reference', id: item?.id },
      { role: 'user', content: 'say: seen' },
    ]
    expect(textOf(await client.respond({ input, store: false }))).toBe('seen')
    expect(lastPrompt()).toContain('a rare tulip')
    const other = await connect(await keyFor(gateway, supplier))
    const create = { type: 'response.create', model: 'sandbox-chat', input, store: false }
    expect((await other.refusal(create)).status).toBeOneOf([400, 404])
  })

  test('sends the events that the same request has over HTTP', async () => {
    const key = await keyFor(gateway, supplier)
    const fields = { model: 'sandbox-chat', input: 'say: two words', store: false }
    const http = await fetch(`${gateway.url}/v1/responses`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...fields, stream: true }),
    })
    const lines = (await http.text()).split('\n').filter((line) => line.startsWith('data: '))
    const types = lines.map((line) => (JSON.parse(line.slice('data: '.length)) as { type: string }).type)
    const client = await connect(key)
    client.create(fields)
    expect((await client.readResponse()).map(({ type }) => type)).toEqual(types)
  })

  test('prewarms without a call and continues from that', async () => {
    const client = await connect(await keyFor(gateway, supplier))
    const calls = gateway.sandbox.calls.length
    client.create({ input: 'say: warm', instructions: 'Be brief.', store: false, generate: false })
    const messages = await client.readResponse()
    expect(messages.map(({ type }) => type)).toEqual([
      'response.created',
      'response.in_progress',
      'response.completed',
    ])
    const warm = messages.at(-1)?.response
    expect(warm).toMatchObject({ status: 'completed', output: [], usage: { total_tokens: 0 } })
    expect(gateway.sandbox.calls).toHaveLength(calls)
    const next = await client.respond({ input: 'say: hot', store: false, previous_response_id: warm?.id })
    expect(textOf(next)).toEndWith('hot')
    expect(lastPrompt()).toContain('say: warm')
    expect(gateway.sandbox.calls).toHaveLength(calls + 1)
  })
})

describe('settlement', () => {
  test('each response is settled once, a prewarmed one not at all', async () => {
    const { id, secret } = await createLoneKey(gateway)
    const client = await connect(secret)
    const warm = await client.respond({ input: 'say: warm', generate: false, store: false })
    const first = await client.respond({
      input: 'say: one',
      store: false,
      previous_response_id: warm.id,
    })
    await client.respond({ input: 'say: two', store: false, previous_response_id: first.id })
    await client.respond({ input: 'say: three', store: true })
    const settlements = await settlementsOf(gateway, id, 3)
    expect(settlements.map(({ outcome }) => outcome)).toEqual(['completed', 'completed', 'completed'])
    expect(new Set(settlements.map(({ request_id }) => request_id)).size).toBe(3)
    for (const { amount } of settlements) expect(Number(amount)).toBeGreaterThan(0)
  })

  test('a client that disconnects aborts its supplier and pays for what was done', async () => {
    const { id, secret } = await createLoneKey(gateway)
    const client = await connect(secret)
    client.create({ model: 'sandbox-slow', input: 'say: a b c d e f', store: false })
    while ((await client.next()).type !== 'response.output_text.delta');
    client.socket.terminate()
    const { outcome } = await onlySettlementOf(gateway, id)
    expect(outcome).toBe('client_left')
    await eventually('the end of the stream', () => gateway.streams.size === 0)
  })

  test('a client that disconnects before the answer begins aborts its supplier', async () => {
    const { id, secret } = await createLoneKey(gateway)
    const client = await connect(secret)
    const calls = gateway.sandbox.calls.length
    client.create({ model: 'sandbox-slow', input: 'say: never', store: false })
    await eventually('a call', () => gateway.sandbox.calls.length > calls)
    client.socket.terminate()
    expect((await onlySettlementOf(gateway, id)).outcome).toBe('client_left')
  })
})

describe('limits', () => {
  test('of requests apply to each message, with their headers', async () => {
    const { secret } = await createLoneKey(gateway, { rpm: 2 })
    const client = await connect(secret)
    for (const input of ['say: one', 'say: two']) await client.respond({ input, store: false })
    const error = await client.refusal({
      type: 'response.create',
      model: 'sandbox-chat',
      input: 'say: three',
    })
    expect(error).toMatchObject({
      status: 429,
      error: { code: 'rate_limit_exceeded', type: 'rate_limit_exceeded' },
      headers: { 'retry-after': expect.any(String), 'x-ratelimit-limit-requests': '2' },
    })
  })

  test('of spending apply to each message', async () => {
    const owner = await openAccount(gateway, '0')
    const { secret } = await createKey(gateway, owner)
    const client = await connect(secret)
    const error = await client.refusal({ type: 'response.create', model: 'sandbox-chat', input: 'hello' })
    expect(error).toMatchObject({ status: 403, error: { code: 'spending_limit_exceeded' } })
  })

  test('a key that is disabled is refused with the next message', async () => {
    const owner = await openAccount(gateway)
    const { id, secret } = await createKey(gateway, owner)
    const client = await connect(secret)
    await client.respond({ input: 'say: one', store: false })
    await gateway.operator('PATCH', `/keys/${id}`, { state: 'disabled' })
    const error = await client.refusal({ type: 'response.create', model: 'sandbox-chat', input: 'hello' })
    expect(error).toMatchObject({ status: 401, error: { code: 'auth_invalid' } })
  })

  test('malformed messages are refused like malformed bodies', async () => {
    const { secret } = await createLoneKey(gateway, { rpm: 1 })
    const client = await connect(secret)
    const codes: unknown[] = []
    for (let turn = 0; turn < 12; turn += 1) codes.push((await client.refusal('{')).error?.code)
    expect(codes.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 'invalid_request'))
    expect(codes.at(-1)).toBe('rate_limit_exceeded')
  })
})

describe('the handshake', () => {
  const upgrade = { connection: 'upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' }
  const get = (headers: Record<string, string>) =>
    fetch(`${gateway.url}/v1/responses`, {
      headers: { ...upgrade, 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==', ...headers },
    })

  test('is refused without a key and with a wrong one', async () => {
    await expect(SocketClient.connect(gateway.url, 'sk-wrong')).rejects.toThrow()
    const plain = await fetch(`${gateway.url}/v1/responses`)
    expect([plain.status, ((await plain.json()) as { error: { code: string } }).error.code]).toEqual([
      401,
      'auth_required',
    ])
  })

  test('a request without an upgrade gets a 426, on which clients use HTTP', async () => {
    const plain = await fetch(`${gateway.url}/v1/responses`, {
      headers: { authorization: `Bearer ${BOOTSTRAP_KEY}` },
    })
    expect([plain.status, plain.headers.get('upgrade')]).toEqual([426, 'websocket'])
    expect(await plain.json()).toMatchObject({ error: { code: 'upgrade_required' } })
    expect((await get({})).status).toBe(401)
  })
})

describe('messages', () => {
  test.each([
    ['text that is not JSON', 'hello', { code: 'invalid_request' }],
    ['a list', '[]', { code: 'invalid_request', param: 'type' }],
    ['no type', { model: 'sandbox-chat', input: 'x' }, { code: 'invalid_request', param: 'type' }],
    ['an unknown type', { type: 'response.cancel' }, { code: 'invalid_request', param: 'type' }],
    ['no model', { type: 'response.create', input: 'x' }, { code: 'invalid_request', param: 'model' }],
    [
      'a background request',
      { type: 'response.create', model: 'sandbox-chat', input: 'x', background: true },
      { code: 'unsupported_parameter', param: 'background' },
    ],
    [
      'generate as text',
      { type: 'response.create', model: 'sandbox-chat', input: 'x', generate: 'no' },
      { code: 'invalid_request', param: 'generate' },
    ],
    [
      'an empty stream_id',
      { type: 'response.create', model: 'sandbox-chat', input: 'x', stream_id: '' },
      { code: 'invalid_request', param: 'stream_id' },
    ],
    [
      'an unknown model without generating',
      { type: 'response.create', model: 'nothing', input: 'x', generate: false },
      { code: 'model_not_found' },
    ],
    [
      'an unknown model',
      { type: 'response.create', model: 'nothing', input: 'x', stream_id: 'a' },
      { code: 'model_not_found' },
    ],
  ])('with %s are refused, and the connection stays open', async (_kind, message, error) => {
    const client = await connect()
    const refusal = await client.refusal(message)
    expect(refusal).toMatchObject({ type: 'error', status: expect.any(Number), error })
    expect(textOf(await client.respond({ input: 'say: still here', store: false }))).toBe('still here')
  })

  test('that need no answer get none, and steering is refused with its input', async () => {
    const client = await connect()
    client.send({ type: 'response.processed', response_id: 'resp_x' })
    client.send({ type: 'response.steer', previous_response_id: 'resp_x', input: 'faster' })
    expect(await client.next()).toEqual({
      type: 'response.steer.failed',
      sequence_number: 0,
      error: { code: 'steering_not_supported', message: expect.any(String) },
      steer: { previous_response_id: 'resp_x', input: 'faster' },
    } as never)
  })

  test('of one stream are answered one after the other, in order', async () => {
    const client = await connect()
    for (const word of ['one', 'two', 'three']) client.create({ input: `say: ${word}`, store: false })
    const texts: string[] = []
    for (let turn = 0; turn < 3; turn += 1) {
      const messages = await client.readResponse()
      expect(new Set(messages.flatMap(({ response }) => response?.id ?? [])).size).toBe(1)
      const last = messages.at(-1)?.response
      if (last !== undefined) texts.push(textOf(last))
    }
    expect(texts).toEqual(['one', 'two', 'three'])
  })

  test('of several streams are answered at the same time, and name their stream', async () => {
    const client = await connect()
    client.create({ model: 'sandbox-slow', input: 'say: a b c', store: false, stream_id: 'slow' })
    expect((await client.next()).stream_id).toBe('slow')
    client.create({ input: 'say: fast', store: false, stream_id: 'fast' })
    const ended: (string | undefined)[] = []
    while (ended.length < 2) {
      const message = await client.next()
      expect(message.stream_id).toBeOneOf(['slow', 'fast'])
      if (message.type === 'response.completed') ended.push(message.stream_id)
    }
    expect(ended).toEqual(['fast', 'slow'])
  })

  test('beyond those that may wait are refused', async () => {
    const client = await connect()
    client.create({ model: 'sandbox-slow', input: 'say: a', store: false })
    for (let turn = 0; turn < 70; turn += 1) client.create({ input: 'say: x', store: false })
    const codes: string[] = []
    let whole = 0
    while (whole + codes.length < 71) {
      const last = (await client.readResponse()).at(-1)
      if (last?.type === 'error') codes.push(last.error?.code ?? '')
      else whole += 1
    }
    expect(codes.length).toBeGreaterThan(0)
    expect(new Set(codes)).toEqual(new Set(['rate_limit_exceeded']))
    expect(whole).toBeGreaterThan(60)
  })
})
