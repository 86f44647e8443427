import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eventsOf } from '../support/stream-reader.ts'
import { findEventProblems, findWholeProblems } from './published-schemas.ts'
import { PIXEL } from './scenarios.ts'
import { openStage, type Stage } from './stage.ts'
import { TEXT_FORMATS, type TextFormat } from './talk.ts'

// The acceptance tests of the Open Responses specification that need no WebSocket, and what they leave out of its state.

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.stop())

type Fields = Readonly<Record<string, unknown>>

interface ResponseObject extends Fields {
  readonly id: string
  readonly output: readonly (Fields & { readonly type: string })[]
}

const said = (role: string, content: unknown, more: Fields = {}) => ({
  type: 'message',
  role,
  content,
  ...more,
})

function post(supplier: TextFormat, body: Fields): Promise<Response> {
  return fetch(`${stage.gateway.url}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${stage.keyFor(supplier)}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sandbox-chat', ...body }),
  })
}

/** A response that fits the schema and is complete. */
async function create(supplier: TextFormat, body: Fields): Promise<ResponseObject> {
  const response = await post(supplier, body)
  const made = (await response.json()) as ResponseObject
  expect(response.status, JSON.stringify(made)).toBe(200)
  expect(findWholeProblems('responses', made)).toEqual([])
  expect(made).toMatchObject({ object: 'response', status: 'completed', error: null })
  expect(made.output.length).toBeGreaterThan(0)
  return made
}

const textOf = ({ output }: ResponseObject) => JSON.stringify(output.map(({ content }) => content))

describe.each(TEXT_FORMATS)('over a %s supplier', (supplier) => {
  test('a basic text', async () => {
    const made = await create(supplier, { input: [said('user', 'say: three small words')] })
    expect(textOf(made)).toContain('three small words')
    expect(made.completed_at).toBeGreaterThanOrEqual(Number(made.created_at))
  })

  test('earlier messages with a phase', async () => {
    const history = [
      said('assistant', 'I look the number up.', { phase: 'commentary' }),
      said('assistant', 'It is four.', { phase: 'final_answer' }),
    ]
    const made = await create(supplier, { input: [...history, said('user', 'say: four')] })
    expect(textOf(made)).toContain('four')
  })

  test.each(['system', 'developer'])('a %s prompt', async (role) => {
    const made = await create(supplier, { input: [said(role, 'Be brief.'), said('user', 'Hello.')] })
    expect(textOf(made)).toContain('I follow 1 instruction')
  })

  test('several turns in the input', async () => {
    const turns = [said('user', 'My name is Alice.'), said('assistant', 'Hello!'), said('user', 'say: Alice')]
    expect(textOf(await create(supplier, { input: turns }))).toContain('Alice')
  })

  test('an image', async () => {
    const content = [
      { type: 'input_text', text: 'What is this?' },
      { type: 'input_image', image_url: `data:${PIXEL.mediaType};base64,${PIXEL.data}` },
    ]
    expect(textOf(await create(supplier, { input: [said('user', content)] }))).toContain('1 image')
  })

  test('a tool call and its result', async () => {
    const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
    const tools = [{ type: 'function', name: 'get_weather', parameters }]
    const asked = { model: 'sandbox-tools', tools, input: [said('user', 'What is the weather?')] }
    const { id, output } = await create(supplier, asked)
    const call = output.find(({ type }) => type === 'function_call')
    expect(call).toMatchObject({ name: 'get_weather', status: 'completed' })
    const result = { type: 'function_call_output', call_id: call?.call_id, output: '18 degrees' }
    const next = { model: 'sandbox-tools', tools, previous_response_id: id, input: [result] }
    expect(textOf(await create(supplier, next))).toContain('18 degrees')
  })

  test('a stream', async () => {
    const response = await post(supplier, { input: [said('user', 'count to 5')], stream: true })
    expect(response.headers.get('content-type')).toStartWith('text/event-stream')
    const events = eventsOf(await response.text()).map((data) => JSON.parse(data))
    for (const event of events) expect(findEventProblems('responses', event)).toEqual([])
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual([...events.keys()])
    expect(events.map(({ type }) => type).filter((type) => !type.endsWith('.delta'))).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ])
    const { response: last } = events.at(-1)
    expect(last).toMatchObject({ status: 'completed', usage: { total_tokens: expect.any(Number) } })
    const deltas = events.filter(({ type }) => type === 'response.output_text.delta')
    expect(deltas.map(({ delta }) => delta).join('')).toBe(last.output[0].content[0].text)
  })

  test('a response that continues another', async () => {
    const first = await create(supplier, { input: 'say: cobalt' })
    const second = await create(supplier, { input: 'say: again', previous_response_id: first.id })
    expect(second).toMatchObject({ previous_response_id: first.id, store: true })
    expect(JSON.stringify(stage.gateway.sandbox.calls.at(-1)?.body)).toContain('cobalt')
  })

  test('a response is retrieved as it was created', async () => {
    const made = await create(supplier, { input: 'say: keep this' })
    const headers = { authorization: `Bearer ${stage.keyFor(supplier)}` }
    const retrieved = await fetch(`${stage.gateway.url}/v1/responses/${made.id}`, { headers })
    expect(await retrieved.json()).toEqual(made)
  })

  test('a response that continues one which was not stored', async () => {
    const { id } = await create(supplier, { input: 'say: forgotten', store: false })
    for (const previous_response_id of [id, 'resp_missing']) {
      const response = await post(supplier, { input: 'say: more', previous_response_id })
      expect(response.status).toBe(404)
      expect(await response.json()).toMatchObject({ error: { param: 'previous_response_id' } })
    }
  })

  test('a request without a model', async () => {
    const response = await post(supplier, { model: undefined, input: 'hello' })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { param: 'model', message: expect.any(String) } })
  })
})
