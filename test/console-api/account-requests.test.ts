import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chat, say } from '../support/chat.ts'
import {
  makeDataFolder,
  removeDataFolder,
  startTestGateway,
  type TestGateway,
} from '../support/test-gateway.ts'
import { addHousehold, askModel, type Household } from './support/account-stage.ts'

const dataFolder = makeDataFolder()
let gateway: TestGateway
let house: Household
let neighbour: Household

beforeAll(async () => {
  gateway = await startTestGateway({ dataFolder })
  house = await addHousehold(gateway, 'House')
  neighbour = await addHousehold(gateway, 'Neighbour')
  await call('PUT /body-storage', { enabled: true, days: 3 })
})
afterAll(async () => {
  await gateway.stop()
  removeDataFolder(dataFolder)
})

function call(name: string, body?: unknown, { owner, accountId } = house) {
  const [method = '', path = ''] = name.split(' ')
  return owner.call(`${method} /accounts/${accountId}${path}`, body === undefined ? {} : { body })
}

async function idsOf(query: string): Promise<string[]> {
  const { status, body } = await call(`GET /settlements?${query}`)
  expect(status).toBe(200)
  return body.data.map(({ request_id }: { request_id: string }) => request_id)
}

async function ask(path: string, body: object): Promise<string> {
  const response = await fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${house.secret}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  if (response.status !== 200) throw new Error(text)
  return response.headers.get('x-request-id') ?? ''
}

describe('requests', () => {
  test('are found by supplier, stream, error code and id', async () => {
    gateway.sandbox.faults.set({ fault: { type: 'status', status: 500 }, model: 'sandbox-flaky' })
    const whole = await askModel(gateway, house)
    const streamed = await askModel(gateway, house, { stream: true })
    const failed = await askModel(gateway, house, { model: 'sandbox-flaky' })
    const { body } = await call(`GET /settlements/${whole}`)
    expect(body.error_code).toBeNull()
    expect(await idsOf(`supplier=${body.supplier}`)).toContain(whole)
    expect(await idsOf('supplier=nobody')).toEqual([])
    expect(await idsOf('stream=true')).toEqual([streamed])
    expect(await idsOf('stream=false')).not.toContain(streamed)
    expect(await idsOf('code=provider_error')).toEqual([failed])
    expect(await idsOf('code=provider_timeout')).toEqual([])
    expect(await idsOf(`id=${whole}`)).toEqual([whole])
    expect(await idsOf(`id=${whole.slice(0, 16)}&stream=true`)).not.toContain(whole)
    expect((await call('GET /settlements?id=req_01')).body.error).toMatchObject({ param: 'id' })
    expect((await call('GET /settlements?code=nonsense')).status).toBe(400)
    // The failed one says why, although the words of the supplier are hidden.
    expect((await call(`GET /settlements/${failed}`)).body).toMatchObject({ error_code: 'provider_error' })
    // Other accounts find nothing of it.
    expect((await call(`GET /settlements?id=${whole}`, undefined, neighbour)).body.data).toEqual([])
  })

  test('are exported as they are filtered', async () => {
    const { body } = await call('GET /exports/settlements?stream=true&format=jsonl')
    const lines = String(body).trim().split('\n').filter(Boolean)
    expect(lines.length).toBe((await idsOf('stream=true')).length)
  })

  test('that were refused are found by code, model and id', async () => {
    const response = await chat(gateway.url, { model: 'no-such-model' }, { key: house.secret })
    await response.text()
    const id = response.headers.get('x-request-id') ?? ''
    const find = async (query: string) =>
      (await call(`GET /refusals?${query}`)).body.data.map((one: { request_id: string }) => one.request_id)
    expect(await find(`id=${id}`)).toEqual([id])
    expect(await find('model=no-such-model&code=model_not_found')).toEqual([id])
    expect(await find('model=sandbox-chat')).toEqual([])
  })

  test('that name a session are one row, which leads to them', async () => {
    const headers = { 'x-session-id': 'run-1' }
    const ids = [await askModel(gateway, house, { headers }), await askModel(gateway, house, { headers })]
    await askModel(gateway, neighbour, { headers })
    const { data } = (await call('GET /client-sessions?session=run')).body
    expect(data).toHaveLength(1)
    expect(data[0]).toMatchObject({
      session: 'run-1',
      key_id: house.keyId,
      requests: 2,
      errors: 0,
      models: ['sandbox-chat'],
      agents: [],
    })
    expect(data[0].cost).toBeUndefined()
    expect((await idsOf('session=run-1')).toSorted()).toEqual(ids.toSorted())
    const all = await gateway.operator<{ data: object[] }>(
      'GET',
      '/client-sessions?session=run-1&sort=amount',
    )
    expect(all.data).toHaveLength(2)
    expect((await call(`GET /client-sessions?key_id=${neighbour.keyId}`)).status).toBe(404)
  })
})

describe('stored bodies', () => {
  const TOOLS = [{ type: 'function', function: { name: 'get_weather', parameters: { type: 'object' } } }]

  test.each([
    ['/v1/chat/completions', { messages: [{ role: 'user', content: 'say: assembled words' }], tools: TOOLS }],
    ['/v1/responses', { input: 'say: assembled words', instructions: 'Be brief.' }],
    ['/v1/messages', { messages: [{ role: 'user', content: 'say: assembled words' }], max_tokens: 100 }],
  ])('of %s are read as a conversation, whole and streamed', async (path, fields) => {
    for (const stream of [false, true]) {
      const id = await ask(path, { model: 'sandbox-chat', stream, ...fields })
      const { body } = await call(`GET /bodies/${id}/conversation`)
      expect(body.turns.at(-1)).toMatchObject({
        role: 'user',
        parts: [{ type: 'text', text: 'say: assembled words' }],
      })
      if ('instructions' in fields) expect(body.turns[0]).toMatchObject({ role: 'system' })
      if ('tools' in fields) expect(body.tools).toEqual(['get_weather'])
      const texts = body.answers[0].parts.filter(({ type }: { type: string }) => type === 'text')
      expect(texts.map(({ text }: { text: string }) => text).join('')).toContain('assembled words')
      expect(body.answers[0].finish).toBe('stop')
      expect(body.failure).toBeNull()
    }
  })

  test('of the content-generation format are read too', async () => {
    const contents = [{ role: 'user', parts: [{ text: 'say: assembled words' }] }]
    const id = await ask('/v1beta/models/sandbox-chat:streamGenerateContent?alt=sse', { contents })
    const { body } = await call(`GET /bodies/${id}/conversation`)
    expect(body.turns).toHaveLength(1)
    expect(JSON.stringify(body.answers)).toContain('assembled words')
  })

  test('of requests that are not text are not read, and missing ones are not found', async () => {
    const id = await ask('/v1/moderations', { model: 'sandbox-moderation', input: 'hello' })
    expect((await call(`GET /bodies/${id}/conversation`)).body).toMatchObject({ turns: null, answers: null })
    expect((await call('GET /bodies/req_none/conversation')).status).toBe(404)
    expect((await call(`GET /bodies/${id}/conversation`, undefined, neighbour)).status).toBe(404)
  })

  test('are searched in requests and in streamed answers, whose words are spread over events', async () => {
    const said = say('the "quoted" zebra crosses slowly')
    const id = await askModel(gateway, house, { ...said, stream: true })
    const hidden = await askModel(gateway, house, {
      messages: [
        { role: 'system', content: 'A zebra-free prompt' },
        { role: 'user', content: 'say: nothing' },
      ],
    })
    const search = (text: string) => call(`GET /bodies?text=${encodeURIComponent(text)}`)
    const { body } = await search('the "QUOTED" zebra')
    expect(body.data).toMatchObject([{ request_id: id, place: 'request' }])
    expect(body.searched).toBe(body.total)
    expect(body.next_cursor).toBeNull()
    expect((await search('zebra')).body.data).toHaveLength(2)
    expect((await search('zebra-free')).body.data).toMatchObject([{ request_id: hidden, place: 'request' }])
    expect((await search('no such words')).body).toMatchObject({ data: [], next_cursor: null })
    expect((await search('x')).status).toBe(400)
    expect((await call('GET /bodies?text=zebra', undefined, neighbour)).status).toBe(404)
  })

  test('are searched up to a number in one call, and then on', async () => {
    for (let index = 0; index < 205; index += 1) {
      await gateway.storage.saveBody({
        accountId: house.accountId,
        requestId: `req_many${index}`,
        createdAtMs: Date.now(),
        request: index === 0 ? '{"note":"needle"}' : '{}',
        response: null,
        isRequestCut: false,
        isResponseCut: false,
      })
    }
    const first = (await call('GET /bodies?text=needle')).body
    expect(first.searched).toBe(200)
    expect(first.total).toBeGreaterThan(205)
    const rest = (await call(`GET /bodies?text=needle&cursor=${first.next_cursor}`)).body
    expect(rest.next_cursor).toBeNull()
    expect(first.searched + rest.searched).toBe(first.total)
    expect([...first.data, ...rest.data]).toHaveLength(1)
  })
})
