import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createMovableClock } from '../support/movable-clock.ts'
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts'
import {
  addQuirky,
  post,
  type QuirkySupplier,
  type SeenCall,
  startQuirkySupplier,
} from './quirky-supplier.ts'

const clock = createMovableClock()
let gateway: TestGateway
let supplier: QuirkySupplier

beforeAll(async () => {
  gateway = await startTestGateway({ clock })
  supplier = startQuirkySupplier()
})

afterAll(async () => {
  await supplier.stop()
  await gateway.stop()
})

const DAY_MS = 24 * 60 * 60 * 1_000
const refusal = (body: object, status = 400) => Response.json(body, { status })
const USER = [{ role: 'user', content: 'Hi' }]
const CHAT_REPLY = {
  id: 'up',
  object: 'chat.completion',
  created: 1,
  model: 'up',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 },
}
const MESSAGES_REPLY = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'up',
  content: [{ type: 'text', text: 'Hello' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 3, output_tokens: 1 },
}
const GENERATION_REPLY = {
  candidates: [{ content: { role: 'model', parts: [{ text: 'Hello' }] }, finishReason: 'STOP' }],
  usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 1 },
}
const RESPONSES_REPLY = {
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  status: 'completed',
  model: 'up',
  output: [
    {
      type: 'message',
      id: 'm',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'Hello', annotations: [] }],
    },
  ],
  usage: { input_tokens: 3, output_tokens: 1, total_tokens: 4 },
}

/** Refuses for as long as a member is there, then answers. */
const until =
  (isGone: (body: SeenCall['body']) => boolean, complaint: () => Response, reply: object) =>
  (call: SeenCall) =>
    isGone(call.body) ? Response.json(reply) : complaint()

interface Refusing {
  readonly what: string
  readonly type: string
  readonly format: string
  readonly path: string
  readonly body: object
  readonly complaint: () => Response
  readonly isGone: (body: SeenCall['body']) => boolean
  readonly reply: object
  readonly dropped: string
}

const lacks = (name: string) => (body: SeenCall['body']) => !(name in body)

const CASES: readonly Refusing[] = [
  {
    what: 'an OpenAI model that refuses a temperature',
    type: 'openai',
    format: 'chat-completion',
    path: '/v1/chat/completions',
    body: { messages: USER, temperature: 0.2, seed: 1 },
    complaint: () =>
      refusal({
        error: {
          message: "Unsupported value: 'temperature' does not support 0.2 with this model.",
          type: 'invalid_request_error',
          param: 'temperature',
          code: 'unsupported_value',
        },
      }),
    isGone: lacks('temperature'),
    reply: CHAT_REPLY,
    dropped: 'temperature',
  },
  {
    what: 'a compatible server that does not know a parameter',
    type: 'openai-compatible',
    format: 'chat-completion',
    path: '/v1/chat/completions',
    body: { messages: USER, top_k: 5 },
    complaint: () =>
      refusal(
        {
          detail: [
            { type: 'extra_forbidden', loc: ['body', 'top_k'], msg: 'Extra inputs are not permitted' },
          ],
        },
        422,
      ),
    isGone: lacks('top_k'),
    reply: CHAT_REPLY,
    dropped: 'top_k',
  },
  {
    what: 'a reasoning summary that our organisation may not have',
    type: 'openai',
    format: 'responses',
    path: '/v1/responses',
    body: { input: 'Hi', store: false, reasoning: { effort: 'low', summary: 'auto' } },
    complaint: () =>
      refusal({
        error: {
          message: 'Your organization must be verified to generate reasoning summaries.',
          type: 'invalid_request_error',
          param: 'reasoning.summary',
          code: 'unsupported_value',
        },
      }),
    isGone: (body) => !('summary' in (body.reasoning as object)),
    reply: RESPONSES_REPLY,
    dropped: 'reasoning.summary',
  },
  {
    what: 'an Anthropic model that refuses a temperature',
    type: 'anthropic',
    format: 'messages',
    path: '/v1/messages',
    body: { max_tokens: 10, messages: USER, temperature: 0.2 },
    complaint: () =>
      refusal({
        type: 'error',
        error: { type: 'invalid_request_error', message: '`temperature` is deprecated for this model.' },
      }),
    isGone: lacks('temperature'),
    reply: MESSAGES_REPLY,
    dropped: 'temperature',
  },
  {
    what: 'an Anthropic feature that is not switched on',
    type: 'anthropic',
    format: 'messages',
    path: '/v1/messages',
    body: { max_tokens: 10, messages: USER, context_management: { edits: [] } },
    complaint: () =>
      refusal({
        type: 'error',
        error: {
          type: 'invalid_request_error',
          message: 'context_management: Extra inputs are not permitted',
        },
      }),
    isGone: lacks('context_management'),
    reply: MESSAGES_REPLY,
    dropped: 'context_management',
  },
  {
    what: 'a Google model that does not know a field',
    type: 'google',
    format: 'content-generation',
    path: '/v1beta/models/MODEL:generateContent',
    body: {
      contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
      generation_config: { top_k: 4, temperature: 1 },
    },
    complaint: () =>
      refusal({
        error: {
          code: 400,
          message: `Invalid JSON payload received. Unknown name "top_k" at 'generation_config': Cannot find field.`,
          status: 'INVALID_ARGUMENT',
        },
      }),
    isGone: (body) => !('top_k' in (body.generation_config as object)),
    reply: GENERATION_REPLY,
    dropped: 'generationConfig.topK',
  },
]

describe('a refused parameter', () => {
  CASES.forEach(({ what, type, format, path, body, complaint, isGone, reply, dropped }, index) => {
    test(`is left out, reported and remembered: ${what}`, async () => {
      const model = `refusing-${index}`
      await addQuirky(gateway, { supplier, id: model, type, formats: [format] })
      supplier.play(until(isGone, complaint, reply))
      const ask = () => post(gateway, { path: path.replace('MODEL', model), body: { model, ...body } })
      const first = await ask()
      expect([
        first.status,
        first.headers.get('x-gateway-dropped-params'),
        first.headers.get('x-gateway-attempts'),
      ]).toEqual([200, dropped, '2'])
      const second = await ask()
      expect([
        second.status,
        second.headers.get('x-gateway-dropped-params'),
        second.headers.get('x-gateway-attempts'),
      ]).toEqual([200, dropped, '1'])
      expect(supplier.calls).toHaveLength(3)
    })
  })

  test('is left out of a translated request too, streamed', async () => {
    await addQuirky(gateway, {
      supplier,
      id: 'translated',
      type: 'anthropic',
      formats: ['messages'],
      capabilities: { sampling: 'ok' },
    })
    const events = [
      { type: 'message_start', message: { ...MESSAGES_REPLY, content: [], stop_reason: null } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } },
      { type: 'message_stop' },
    ]
    const stream = () =>
      new Response(
        events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''),
        {
          headers: { 'content-type': 'text/event-stream' },
        },
      )
    supplier.play(({ body }) =>
      'temperature' in body
        ? refusal({
            type: 'error',
            error: { type: 'invalid_request_error', message: '`temperature` is deprecated for this model.' },
          })
        : stream(),
    )
    const body = { model: 'translated', messages: USER, temperature: 0.2, stream: true }
    for (const attempts of ['2', '1']) {
      const response = await post(gateway, { path: '/v1/chat/completions', body })
      expect(await response.text()).toContain('"content":"Hello"')
      expect([
        response.headers.get('x-gateway-dropped-params'),
        response.headers.get('x-gateway-attempts'),
      ]).toEqual(['temperature', attempts])
    }
  })

  test('that has another name is sent under it, and nothing is lost', async () => {
    await addQuirky(gateway, { supplier, id: 'renaming', type: 'openai' })
    const complaint = () =>
      refusal({
        error: {
          message:
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
          type: 'invalid_request_error',
          param: 'max_tokens',
          code: 'unsupported_parameter',
        },
      })
    supplier.play(until(lacks('max_tokens'), complaint, CHAT_REPLY))
    const response = await post(gateway, {
      path: '/v1/chat/completions',
      body: { model: 'renaming', messages: USER, max_tokens: 77 },
    })
    expect([response.status, response.headers.get('x-gateway-dropped-params')]).toEqual([200, null])
    expect(supplier.calls.at(-1)?.body).toEqual({ model: 'up', messages: USER, max_completion_tokens: 77 })
  })

  test('is tried again after a day', async () => {
    await addQuirky(gateway, { supplier, id: 'forgetful' })
    supplier.play(
      until(
        lacks('top_k'),
        () => refusal({ error: { message: 'Unrecognized request argument supplied: top_k' } }),
        CHAT_REPLY,
      ),
    )
    const ask = () =>
      post(gateway, { path: '/v1/chat/completions', body: { model: 'forgetful', messages: USER, top_k: 1 } })
    await ask()
    clock.advance(DAY_MS - 1_000)
    await ask()
    expect(supplier.calls).toHaveLength(3)
    clock.advance(1_000)
    await ask()
    expect(supplier.calls).toHaveLength(5)
  })

  test('is refused with the supplier’s message for a strict client', async () => {
    await addQuirky(gateway, { supplier, id: 'strict' })
    supplier.play(
      until(
        lacks('top_k'),
        () => refusal({ error: { message: 'Unrecognized request argument supplied: top_k' } }),
        CHAT_REPLY,
      ),
    )
    const body = { model: 'strict', messages: USER, top_k: 1 }
    const ask = (headers: Readonly<Record<string, string>>) =>
      post(gateway, { path: '/v1/chat/completions', body, headers })
    await ask({})
    const response = await ask({ 'x-gateway-strict': 'true' })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      error: { code: 'invalid_request', message: 'Unrecognized request argument supplied: top_k' },
    })
    expect(supplier.calls.map((call) => 'top_k' in call.body)).toEqual([true, false, true])
  })

  test.each([
    [
      "Unsupported parameter: 'tools' is not supported with this model.",
      { tools: [{ type: 'function', function: { name: 'f' } }] },
    ],
    ["Unsupported parameter: 'stop' is not supported with this model.", { stop: 'x' }],
    [
      "Unsupported parameter: 'response_format' is not supported.",
      { response_format: { type: 'json_object' } },
    ],
    ["Unsupported parameter: 'temperature' is not supported with this model.", {}],
  ])('is an error when it cannot be left out: %s', async (message, fields) => {
    await addQuirky(gateway, { supplier, id: 'meaningful' })
    supplier.play(() => refusal({ error: { message, code: 'unsupported_parameter' } }))
    const response = await post(gateway, {
      path: '/v1/chat/completions',
      body: { model: 'meaningful', messages: USER, ...fields },
    })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { code: 'invalid_request', message } })
    expect(supplier.calls).toHaveLength(1)
  })
})

describe('what one client provokes does not reach the others', () => {
  const ask = (fields: Readonly<Record<string, unknown>>) =>
    post(gateway, { path: '/v1/chat/completions', body: { messages: USER, ...fields } })
  const droppedOf = (response: Response) => response.headers.get('x-gateway-dropped-params')

  test('a value that is refused leaves the other values', async () => {
    await addQuirky(gateway, { supplier, id: 'values', type: 'openai' })
    const complaint = {
      message: "Unsupported value: 'reasoning_effort' does not support 'minimal' with this model.",
      param: 'reasoning_effort',
      code: 'unsupported_value',
    }
    supplier.play(({ body }) =>
      body.reasoning_effort === 'minimal' ? refusal({ error: complaint }) : Response.json(CHAT_REPLY),
    )
    expect(droppedOf(await ask({ model: 'values', reasoning_effort: 'minimal' }))).toBe('reasoning_effort')
    expect(droppedOf(await ask({ model: 'values', reasoning_effort: 'high' }))).toBeNull()
    expect(supplier.calls.at(-1)?.body).toMatchObject({ reasoning_effort: 'high' })
    const again = await ask({ model: 'values', reasoning_effort: 'minimal' })
    expect([droppedOf(again), again.headers.get('x-gateway-attempts')]).toEqual(['reasoning_effort', '1'])
  })

  test('two that exclude each other may each come alone', async () => {
    await addQuirky(gateway, { supplier, id: 'either', type: 'openai' })
    supplier.play(({ body }) =>
      'top_p' in body && 'temperature' in body
        ? refusal({
            error: { message: '`temperature` and `top_p` cannot both be specified for this model.' },
          })
        : Response.json(CHAT_REPLY),
    )
    expect(droppedOf(await ask({ model: 'either', temperature: 1, top_p: 0.5 }))).toBe('top_p')
    expect(droppedOf(await ask({ model: 'either', top_p: 0.5 }))).toBeNull()
  })

  test('a parameter left out without success is not remembered', async () => {
    await addQuirky(gateway, { supplier, id: 'quoting', type: 'openai' })
    supplier.play(({ body }) =>
      'service_tier' in body
        ? refusal({ error: { message: "Unsupported parameter: 'temperature' of tier" } })
        : Response.json(CHAT_REPLY),
    )
    expect((await ask({ model: 'quoting', temperature: 1, service_tier: 'x' })).status).toBe(400)
    const response = await ask({ model: 'quoting', temperature: 1 })
    expect([response.status, droppedOf(response)]).toEqual([200, null])
  })

  test('the text of a prompt cannot disable a credential', async () => {
    await addQuirky(gateway, { supplier, id: 'guarded' })
    supplier.play(() =>
      refusal({ code: 'no permission', error: 'Content violates usage guidelines. Team: t-1' }, 403),
    )
    expect((await ask({ model: 'guarded' })).status).toBe(400)
    supplier.play(() => refusal({ error: { message: "Invalid value: 'api key'.", param: 'user' } }))
    expect((await ask({ model: 'guarded', user: 'api key' })).status).toBe(400)
    supplier.play(() => Response.json(CHAT_REPLY))
    expect((await ask({ model: 'guarded' })).status).toBe(200)
  })
})

test('neither error text nor headers reveal our account to a client', async () => {
  await addQuirky(gateway, { supplier, id: 'talkative' })
  const headers = {
    'openai-organization': 'acme-inc',
    'x-ratelimit-limit-requests': '77',
    'x-request-id': 'req_upstream12345',
    'set-cookie': 'a=b',
  }
  supplier.play(() =>
    Response.json(
      {
        error: {
          message:
            'Bad messages for org-AbCdEfGh12345678, key up-secret-of-talkative, request id: 0123456789abcdef',
          param: 'messages',
        },
      },
      { status: 400, headers },
    ),
  )
  const body = { model: 'talkative', messages: USER }
  const refused = await post(gateway, { path: '/v1/chat/completions', body })
  expect(await refused.json()).toMatchObject({
    error: {
      code: 'invalid_request',
      param: 'messages',
      message: 'Bad messages for [removed], key [removed], request id: [removed]',
    },
  })
  supplier.play(() => Response.json(CHAT_REPLY, { headers }))
  const answered = await post(gateway, { path: '/v1/chat/completions', body })
  for (const response of [refused, answered]) {
    expect(response.headers.get('openai-organization')).toBeNull()
    expect(response.headers.get('set-cookie')).toBeNull()
    expect(response.headers.get('x-ratelimit-limit-requests')).not.toBe('77')
    expect(response.headers.get('x-request-id')).not.toBe('req_upstream12345')
  }
})

test('an Anthropic supplier gets the client’s version and betas, another one gets neither', async () => {
  await addQuirky(gateway, {
    supplier,
    id: 'claude',
    type: 'anthropic',
    formats: ['messages'],
    options: { betas: '-withheld-1' },
  })
  await addQuirky(gateway, { supplier, id: 'other' })
  const body = { max_tokens: 10, messages: USER }
  const headers = {
    'anthropic-version': '2026-10-21',
    'anthropic-beta': 'effort-2025-11-24,files-api-2025-04-14,novel-1,withheld-1',
  }
  supplier.play(() => Response.json(MESSAGES_REPLY))
  await post(gateway, { path: '/v1/messages?beta=true', body: { model: 'claude', ...body }, headers })
  const [call] = supplier.calls
  expect([call?.path, call?.headers.get('anthropic-version'), call?.headers.get('anthropic-beta')]).toEqual([
    '/v1/messages',
    '2026-10-21',
    'effort-2025-11-24,novel-1',
  ])
  supplier.play(() => Response.json(CHAT_REPLY))
  await post(gateway, { path: '/v1/messages', body: { model: 'other', ...body }, headers })
  expect(supplier.calls[0]?.headers.get('anthropic-beta')).toBeNull()
})
