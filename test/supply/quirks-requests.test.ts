import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts'
import {
  addQuirky,
  chunk,
  events,
  post,
  type QuirkySupplier,
  startQuirkySupplier,
} from './quirky-supplier.ts'

let gateway: TestGateway
let supplier: QuirkySupplier

beforeAll(async () => {
  gateway = await startTestGateway()
  supplier = startQuirkySupplier()
  for (const vendor of ['mistral', 'moonshot', 'deepseek', 'groq', 'xai', 'ollama', 'plain'])
    await addQuirky(gateway, { supplier, id: vendor, options: { vendor } })
  await addQuirky(gateway, { supplier, id: 'unknown-host' })
})

afterAll(async () => {
  await supplier.stop()
  await gateway.stop()
})

const USER = [{ role: 'user', content: 'Hi' }]
const REPLY = {
  id: 'up-1',
  object: 'chat.completion',
  created: 1,
  model: 'up',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 },
}

async function chat(model: string, fields: object, headers: Readonly<Record<string, string>> = {}) {
  const body = { model, messages: USER, ...fields }
  const response = await post(gateway, { path: '/v1/chat/completions', body, headers })
  return {
    status: response.status,
    dropped: response.headers.get('x-gateway-dropped-params'),
    body: (await response.json()) as Record<string, never>,
  }
}

const whole = () => Response.json(REPLY)

describe('a parameter the vendor does not support', () => {
  test('is left out of the client’s bytes and reported, or renamed', async () => {
    supplier.play(whole)
    const answer = await chat('mistral', {
      max_completion_tokens: 9,
      seed: 1,
      logit_bias: { 1: 2 },
      user: 'u',
      temperature: 0.5,
      x_own: 1,
    })
    expect(supplier.calls[0]?.body).toEqual({
      model: 'up',
      messages: USER,
      max_tokens: 9,
      random_seed: 1,
      temperature: 0.5,
      x_own: 1,
    })
    expect(answer).toMatchObject({ status: 200, dropped: 'logit_bias, user' })
  })

  test('is not sent by the doctor either', async () => {
    supplier.play(whole)
    const { data } = await gateway.operator<{ data: { supplier: string; result: string }[] }>(
      'POST',
      '/doctor',
    )
    expect(data.find((row) => row.supplier === 'ollama')).toMatchObject({ result: 'works' })
    const asked = supplier.calls.filter(({ headers }) => headers.get('authorization')?.endsWith('-of-ollama'))
    expect(asked.map(({ body }) => Object.keys(body))).toEqual([['model', 'messages', 'max_tokens']])
  })

  test('is not added by the gateway either', async () => {
    supplier.play(() =>
      events(
        chunk([{ index: 0, delta: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }]),
        '[DONE]',
      ),
    )
    const body = { model: 'mistral', messages: USER, stream: true, stream_options: { include_usage: true } }
    const response = await post(gateway, { path: '/v1/chat/completions', body })
    expect(await response.text()).toContain('"usage":{"prompt_tokens":')
    expect(supplier.calls[0]?.body).toEqual({ model: 'up', messages: USER, stream: true })
    expect(response.headers.get('x-gateway-dropped-params')).toBeNull()
  })

  test('is refused when the client is strict', async () => {
    supplier.play(whole)
    const answer = await chat('xai', { presence_penalty: 1 }, { 'x-gateway-strict': 'true' })
    expect(answer).toMatchObject({
      status: 400,
      body: { error: { code: 'unsupported_parameter', param: 'presence_penalty' } },
    })
    expect(supplier.calls).toHaveLength(0)
    expect(await chat('xai', { temperature: 1 }, { 'x-gateway-strict': 'true' })).toMatchObject({
      status: 200,
    })
  })

  test('is refused when leaving it out would change the answer', async () => {
    supplier.play(whole)
    expect(await chat('groq', { logprobs: true })).toMatchObject({
      status: 400,
      body: { error: { code: 'unsupported_parameter', param: 'logprobs' } },
    })
    expect(supplier.calls).toHaveLength(0)
  })

  test('is emulated by the gateway where possible', async () => {
    supplier.play(whole)
    const { body } = await chat('groq', { n: 2 })
    expect(body.choices).toHaveLength(2)
    expect(supplier.calls.map((call) => call.body.n)).toEqual([undefined, undefined])

    supplier.play(() =>
      Response.json({
        ...REPLY,
        choices: [
          { index: 0, message: { role: 'assistant', content: 'one STOP two' }, finish_reason: 'stop' },
        ],
      }),
    )
    const stopped = await chat('xai', { stop: 'STOP' })
    expect(stopped.body).toMatchObject({ choices: [{ message: { content: 'one ' } }] })
    expect(supplier.calls[0]?.body).not.toHaveProperty('stop')
  })

  test('is renamed to the vendor’s name', async () => {
    supplier.play(whole)
    const schema = { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'object' } } }
    await chat('deepseek', {
      messages: [{ role: 'developer', content: 'Be brief.' }, ...USER],
      response_format: schema,
    })
    expect(supplier.calls[0]?.body).toMatchObject({
      response_format: { type: 'json_object' },
      messages: [{ role: 'system' }, { role: 'user', content: 'Hi' }],
    })
    await chat('groq', { messages: [{ role: 'user', name: 'Ann', content: 'Hi' }] })
    expect(supplier.calls.at(-1)?.body).toMatchObject({ messages: USER })
  })
})

test('a thought is sent back with its calls although the client could not keep it', async () => {
  const call = { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{}' } }
  const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }]
  supplier.play(() =>
    Response.json({
      ...REPLY,
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: null,
            reasoning_content: 'I must look.',
            tool_calls: [call],
          },
          finish_reason: 'tool_calls',
        },
      ],
    }),
  )
  await chat('deepseek', { tools })
  supplier.play(whole)
  const history = [
    ...USER,
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'call_1', content: 'seen' },
  ]
  await chat('deepseek', { tools, messages: history })
  expect(supplier.calls[0]?.body.messages).toMatchObject([
    USER[0],
    { reasoning_content: 'I must look.', tool_calls: [call] },
    { role: 'tool' },
  ])
  // What another model called without a thought still has the field that is looked for.
  const other = history.map((message) => JSON.parse(JSON.stringify(message).replaceAll('call_1', 'call_2')))
  await chat('moonshot', { tools, messages: other })
  expect(supplier.calls.at(-1)?.body.messages).toMatchObject([
    USER[0],
    { reasoning_content: '' },
    { role: 'tool' },
  ])
})

test.each(['unknown-host', 'plain'])('a client’s bytes go to %s and back unchanged', async (model) => {
  const reply = `{ "id":"up-1", "choices":[{"message":{"content":[{"type":"text"}]}}], "citations":[1.0] }`
  supplier.play(() => new Response(reply, { headers: { 'content-type': 'application/json' } }))
  const body = { model, messages: USER, logit_bias: { 1: 2 }, max_completion_tokens: 5, user: 'u' }
  const response = await post(gateway, { path: '/v1/chat/completions', body })
  expect(await response.text()).toBe(reply)
  expect(supplier.calls[0]?.text).toBe(JSON.stringify({ ...body, model: 'up' }))
})
