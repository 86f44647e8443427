import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import OpenAI from 'openai'
import type {
  Response,
  ResponsesClientEvent,
  ResponsesServerEvent,
} from 'openai/resources/responses/responses'
import { ResponsesWS } from 'openai/resources/responses/ws'
import { addSingleFormatSuppliers, keyFor, SUPPLIERS } from '../state/support/suppliers.ts'
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts'

let gateway: TestGateway
const opened: ResponsesWS[] = []

beforeAll(async () => {
  gateway = await startTestGateway()
  await addSingleFormatSuppliers(gateway)
})
afterEach(() => {
  for (const socket of opened.splice(0)) socket.close()
})
afterAll(() => gateway.stop())

function open(apiKey: string): ResponsesWS {
  const socket = new ResponsesWS(new OpenAI({ apiKey, baseURL: `${gateway.url}/v1` }))
  opened.push(socket)
  return socket
}

/** Sends an event and reads up to the end of its response. */
async function respond(socket: ResponsesWS, event: Omit<ResponsesClientEvent.ResponseCreate, 'type'>) {
  const { promise, resolve, reject } = Promise.withResolvers<Response>()
  const seen: string[] = []
  const note = (received: ResponsesServerEvent) => void seen.push(received.type)
  const complete = ({ response }: { response: Response }) => resolve(response)
  socket.on('event', note).on('response.completed', complete).on('error', reject)
  socket.send({ type: 'response.create', ...event })
  try {
    return { response: await promise, seen }
  } finally {
    socket.off('event', note).off('response.completed', complete).off('error', reject)
  }
}

describe.each(SUPPLIERS)('ResponsesWS of the official SDK over a %s supplier', (_format, supplier) => {
  test('creates, continues and prewarms', async () => {
    const socket = open(await keyFor(gateway, supplier))
    const warm = await respond(socket, {
      model: 'sandbox-chat',
      input: [{ role: 'developer', content: 'Be brief.' }],
      store: false,
      generate: false,
    })
    expect(warm.response.output).toEqual([])
    const first = await respond(socket, {
      model: 'sandbox-chat',
      input: 'say: one',
      store: false,
      previous_response_id: warm.response.id,
    })
    expect(first.seen[0]).toBe('response.created')
    expect(first.seen).toContain('response.output_text.delta')
    const second = await respond(socket, {
      model: 'sandbox-chat',
      input: 'say: two',
      store: false,
      previous_response_id: first.response.id,
      stream_id: 'main',
    })
    expect(second.response.previous_response_id).toBe(first.response.id)
    const [item] = second.response.output
    expect(item?.type === 'message' && item.content[0]).toMatchObject({ type: 'output_text', text: 'two' })
  })

  test('reports an error of the gateway and goes on', async () => {
    const socket = open(await keyFor(gateway, supplier))
    const failed = respond(socket, { model: 'nothing', input: 'x', store: false })
    await expect(failed).rejects.toMatchObject({ error: { status: 404, error: { code: 'model_not_found' } } })
    const { response } = await respond(socket, { model: 'sandbox-chat', input: 'say: on', store: false })
    expect(response.status).toBe('completed')
  })
})

test('a wrong key is reported', async () => {
  const socket = open('sk-wrong')
  const { promise, resolve } = Promise.withResolvers<Error>()
  socket.on('error', resolve)
  expect((await promise).message).toMatch(/401|failed|Expected 101/i)
})
