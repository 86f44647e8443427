import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { addSingleFormatSuppliers, keyFor, SUPPLIERS } from '../state/support/suppliers.ts'
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts'
import { type Message, type ResponseBody, SocketClient, textOf } from './support/socket-client.ts'

/**
 * The WebSocket cases of the Open Responses acceptance tests, written from its specification, over a supplier of each
 * format.
 */

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

const question = (text: string) => [{ type: 'message', role: 'user', content: text }]

/** Checks what holds for the messages of every response: order, numbers, one id, a last response. */
function checkMessages(messages: readonly Message[]): ResponseBody {
  expect(messages[0]?.type).toBe('response.created')
  expect(messages.map(({ sequence_number }) => sequence_number)).toEqual(messages.map((_, index) => index))
  expect(new Set(messages.flatMap(({ response }) => response?.id ?? [])).size).toBe(1)
  const last = messages.at(-1)
  expect(last?.type).toBe('response.completed')
  if (last?.response === undefined) throw new Error('there is no last response')
  expect(last.response).toMatchObject({ object: 'response', status: 'completed' } as never)
  expect(last.response.output.length).toBeGreaterThan(0)
  return last.response
}

describe.each(SUPPLIERS)('over a %s supplier', (_format, supplier) => {
  let key: string
  beforeAll(async () => {
    key = await keyFor(gateway, supplier)
  })

  async function connect(): Promise<SocketClient> {
    const client = await SocketClient.connect(gateway.url, key)
    clients.push(client)
    return client
  }

  async function respond(client: SocketClient, fields: Record<string, unknown>): Promise<ResponseBody> {
    client.create({ store: false, ...fields })
    return checkMessages(await client.readResponse())
  }

  const missing = (client: SocketClient, id: string) =>
    client.refusal({
      type: 'response.create',
      model: 'sandbox-chat',
      store: false,
      input: question('say: lost'),
      previous_response_id: id,
    })

  const NOT_FOUND = {
    type: 'error',
    status: 400,
    error: { code: 'previous_response_not_found', param: 'previous_response_id' },
  }

  test('create', async () => {
    const response = await respond(await connect(), { input: question('say: exactly three words') })
    expect(textOf(response)).toBe('exactly three words')
  })

  test('sequential responses on one connection', async () => {
    const client = await connect()
    const ids: string[] = []
    for (const word of ['first', 'second', 'third']) {
      const response = await respond(client, { input: question(`say: ${word}`) })
      expect(textOf(response)).toBe(word)
      ids.push(response.id)
    }
    expect(new Set(ids).size).toBe(3)
  })

  test('continuation with new input only', async () => {
    const client = await connect()
    const first = await respond(client, { input: question('say: my code word is tulip') })
    const next = { input: question('say: noted'), previous_response_id: first.id }
    const second = await respond(client, next)
    expect(second.previous_response_id).toBe(first.id)
    expect(JSON.stringify(gateway.sandbox.calls.at(-1)?.body)).toContain('my code word is tulip')
  })

  test('continuation with the output of a tool', async () => {
    const client = await connect()
    const tools = [{ type: 'function', name: 'look', parameters: { type: 'object', properties: {} } }]
    const first = await respond(client, { model: 'sandbox-tools', input: question('Look.'), tools })
    const call = first.output.find(({ type }) => type === 'function_call') as unknown as { call_id: string }
    expect(call.call_id).toBeString()
    const output = [{ type: 'function_call_output', call_id: call.call_id, output: 'a tulip' }]
    const next = { model: 'sandbox-tools', input: output, tools, previous_response_id: first.id }
    expect(textOf(await respond(client, next))).toContain('tulip')
  })

  test('reconnect: a response that is not stored is gone, and the whole conversation works', async () => {
    const before = await connect()
    const first = await respond(before, { input: question('say: hello') })
    await before.close()
    const client = await connect()
    expect(await missing(client, first.id)).toMatchObject(NOT_FOUND)
    const whole = [...question('say: hello'), ...first.output, ...question('say: again')]
    expect(textOf(await respond(client, { input: whole }))).toBe('again')
  })

  test('reconnect: a stored response can be continued', async () => {
    const before = await connect()
    const first = await respond(before, { input: question('say: stored'), store: true })
    await before.close()
    const next = { input: question('say: on'), previous_response_id: first.id }
    expect(textOf(await respond(await connect(), next))).toBe('on')
  })

  test('not found', async () => {
    const client = await connect()
    expect(await missing(client, 'resp_0123456789abcdef')).toMatchObject(NOT_FOUND)
    expect(textOf(await respond(client, { input: question('say: fine') }))).toBe('fine')
  })

  test('eviction: a failed continuation forgets what it continued from', async () => {
    const client = await connect()
    const first = await respond(client, { input: question('say: first') })
    const failed = await client.refusal({
      type: 'response.create',
      model: 'no-such-model',
      store: false,
      input: question('say: x'),
      previous_response_id: first.id,
    })
    expect(failed.status).toBe(404)
    expect(await missing(client, first.id)).toMatchObject(NOT_FOUND)
  })
})
