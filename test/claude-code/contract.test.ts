import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { Anthropic } from '@anthropic-ai/sdk'
import { createKeyFor, supplyByFormat } from '../captures/suppliers-by-format.ts'
import { TEST_PRICE } from '../support/supply.ts'
import { BOOTSTRAP_KEY, startTestGateway, type TestGateway } from '../support/test-gateway.ts'
import { type MessagesSupplier, REPLY, refusal, startMessagesSupplier } from './messages-supplier.ts'

const MODEL = 'claude-test'
const TRANSLATED = 'claude-translated'
const THOUGHTFUL = 'claude-thoughtful'

let gateway: TestGateway
let supplier: MessagesSupplier
let chatKey: string

beforeAll(async () => {
  gateway = await startTestGateway()
  supplier = startMessagesSupplier()
  const vendor = { type: 'anthropic', base_url: supplier.url, formats: ['messages'], enabled: true }
  await gateway.operator('PUT', '/suppliers/vendor', vendor)
  await gateway.operator('POST', '/suppliers/vendor/credentials', { secret: 'sk-ant-ours-0123456789' })
  await gateway.operator('PUT', `/models/${MODEL}`, {
    owned_by: 'tests',
    output_token_limit: 4096,
    display_name: 'Claude of the tests',
  })
  const route = { upstream_model: 'upstream', price: TEST_PRICE, enabled: true }
  await gateway.operator('PUT', `/models/${MODEL}/routes/vendor`, route)
  await supplyByFormat(gateway, { models: [TRANSLATED], upstreamModel: 'sandbox-tools' })
  await supplyByFormat(gateway, { models: [THOUGHTFUL], upstreamModel: 'sandbox-reasoner' })
  chatKey = (await createKeyFor(gateway, 'chat-completion')).secret
})

afterEach(() => {
  supplier.seen.length = 0
  supplier.answer = () => Response.json(REPLY)
})

afterAll(async () => {
  await gateway.stop()
  await supplier.stop()
})

const PROMPT = { model: MODEL, max_tokens: 64, messages: [{ role: 'user', content: 'ping' }] }

function send(body: object, headers: Record<string, string> = {}, path = '/v1/messages?beta=true') {
  return fetch(gateway.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': BOOTSTRAP_KEY, ...headers },
    body: JSON.stringify(body),
  })
}

async function seenAfter(body: object, headers: Record<string, string> = {}) {
  const response = await send(body, headers)
  expect([response.status, await response.clone().text()]).toEqual([200, JSON.stringify(REPLY)])
  const seen = supplier.seen.at(-1)
  if (seen === undefined) throw new Error('the supplier was not asked')
  return { response, headers: seen.headers, text: seen.text, body: JSON.parse(seen.text) }
}

const NEWEST = [
  'claude-code-20250219',
  'interleaved-thinking-2025-05-14',
  'context-management-2025-06-27',
  'mid-conversation-system-2026-04-07',
  'per-turn-control-2026-07-01',
  'mid-conversation-tool-changes-2026-07-01',
  'thinking-display-updates-2026-08-18',
  'compact-2026-09-04',
  'made-up-tomorrow-2027-01-01',
]

describe('to a supplier of the messages format', () => {
  test('every capability goes as a pair, byte for byte', async () => {
    const body = {
      ...PROMPT,
      system: [
        { type: 'text', text: 'x-anthropic-billing-header: cc_version=2.1' },
        { type: 'text', text: 'Be short.', cache_control: { type: 'ephemeral', scope: 'global' } },
      ],
      messages: [
        { role: 'user', content: 'ping' },
        { role: 'system', content: [{ type: 'tool_addition', tool: {} }], output_config: { effort: 'low' } },
      ],
      thinking: { type: 'adaptive', display: 'updates' },
      context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
      compaction: { type: 'auto' },
      made_up_tomorrow: true,
    }
    const { headers, text, response } = await seenAfter(body, { 'anthropic-beta': NEWEST.join(', ') })
    expect(headers.get('anthropic-beta')).toBe(NEWEST.join(','))
    expect(text).toBe(JSON.stringify({ ...body, model: 'upstream' }))
    expect(response.headers.get('x-gateway-dropped-params')).toBeNull()
  })

  test('version and other headers of the vendor go on, the account and the credentials do not', async () => {
    const { headers } = await seenAfter(PROMPT, {
      'anthropic-version': '2026-10-21',
      'anthropic-dangerous-direct-browser-access': 'true',
      'anthropic-workspace-id': 'wrkspc_1',
    })
    expect(headers.get('anthropic-version')).toBe('2026-10-21')
    expect(headers.get('anthropic-dangerous-direct-browser-access')).toBe('true')
    expect(headers.get('anthropic-workspace-id')).toBeNull()
    expect(headers.get('x-api-key')).toBe('sk-ant-ours-0123456789')
    expect(headers.get('authorization')).toBeNull()
  })

  test('what reaches into the account or is charged apart is left out in both halves, and named', async () => {
    const body = { ...PROMPT, speed: 'fast', fallbacks: 'default', context_management: { edits: [] } }
    const asked = 'fast-mode-2026-02-01,context-management-2025-06-27,server-side-fallback-2026-07-01'
    const { headers, body: sent, response } = await seenAfter(body, { 'anthropic-beta': asked })
    expect(headers.get('anthropic-beta')).toBe('context-management-2025-06-27')
    expect(sent).toEqual({ ...PROMPT, model: 'upstream', context_management: { edits: [] } })
    expect(response.headers.get('x-gateway-dropped-params')).toBe(
      'fast-mode-2026-02-01, server-side-fallback-2026-07-01, speed, fallbacks',
    )
    const strict = await send(body, { 'anthropic-beta': asked, 'x-gateway-strict': 'true' })
    expect(strict.status).toBe(400)
  })

  test('a file of the account is refused, whoever uploaded it', async () => {
    const content = [{ type: 'document', source: { type: 'file', file_id: 'file_1' } }]
    const headers = { 'anthropic-beta': 'files-api-2025-04-14' }
    const response = await send({ ...PROMPT, messages: [{ role: 'user', content }] }, headers)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      error: { message: expect.stringContaining('capability_rejected: file'), code: 'unsupported_parameter' },
    })
    expect(supplier.seen).toBeEmpty()
  })

  test('a beta that the supplier rejects by name is left out with its other half', async () => {
    supplier.answer = (_, { headers }) =>
      headers.get('anthropic-beta')?.includes('context-management')
        ? refusal(400, {
            type: 'invalid_request_error',
            message: 'Unexpected value(s) `context-management-2025-06-27` for the `anthropic-beta` header.',
          })
        : Response.json(REPLY)
    const body = { ...PROMPT, context_management: { edits: [] } }
    const asked = 'claude-code-20250219,context-management-2025-06-27'
    const { headers, body: sent, response } = await seenAfter(body, { 'anthropic-beta': asked })
    expect(headers.get('anthropic-beta')).toBe('claude-code-20250219')
    expect(sent).not.toHaveProperty('context_management')
    expect(response.headers.get('x-gateway-dropped-params')).toBe(
      'context-management-2025-06-27, context_management',
    )
  })

  test('a member that the supplier rejects takes its beta along', async () => {
    supplier.answer = (body) =>
      body.context_management === undefined
        ? Response.json(REPLY)
        : refusal(400, {
            type: 'invalid_request_error',
            message: 'context_management: Extra inputs are not permitted',
          })
    const body = { ...PROMPT, context_management: { edits: [] } }
    const { headers } = await seenAfter(body, { 'anthropic-beta': 'context-management-2025-06-27' })
    expect(headers.get('anthropic-beta')).toBeNull()
  })

  test('a token count goes with the same betas', async () => {
    supplier.answer = () => Response.json({ input_tokens: 7 })
    const { max_tokens: _, ...prompt } = PROMPT
    const headers = { 'anthropic-beta': 'fast-mode-2026-02-01,context-management-2025-06-27' }
    const body = { ...prompt, speed: 'fast', context_management: { edits: [] } }
    const response = await send(body, headers, '/v1/messages/count_tokens?beta=true')
    expect(await response.json()).toEqual({ input_tokens: 7 })
    expect(supplier.seen[0]?.headers.get('anthropic-beta')).toBe('context-management-2025-06-27')
    expect(JSON.parse(supplier.seen[0]?.text ?? '')).not.toHaveProperty('speed')
  })

  test('headers of a client of another format stay here', async () => {
    supplier.answer = () => Response.json(REPLY)
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${BOOTSTRAP_KEY}`,
        'content-type': 'application/json',
        'anthropic-beta': 'context-1m-2025-08-07',
        'anthropic-version': '2026-10-21',
      },
      body: JSON.stringify(PROMPT),
    })
    expect(response.status).toBe(200)
    expect(supplier.seen[0]?.headers.get('anthropic-beta')).toBeNull()
    expect(supplier.seen[0]?.headers.get('anthropic-version')).toBe('2023-06-01')
  })
})

describe('the wording of errors', () => {
  test.each([
    'prompt is too long: 208310 tokens > 200000 maximum',
    'novelty: Extra inputs are not permitted',
    'messages.1.content.0: Expected `thinking` or `redacted_thinking`, but found `text`.',
    'messages.2.role: system messages are not supported in mid-conversation',
  ])('%s', async (message) => {
    supplier.answer = () => refusal(400, { type: 'invalid_request_error', message })
    const response = await send(PROMPT)
    const { error } = (await response.json()) as { error: Record<string, unknown> }
    expect([response.status, error.message]).toEqual([400, message])
    expect(error.type).toBe(error.code)
  })

  test('the vendor’s name of the cause goes with it', async () => {
    const details = { error_code: 'model_capability_missing', secret: 'x' }
    supplier.answer = () => refusal(400, { type: 'invalid_request_error', message: 'No.', details })
    const { error } = (await (await send(PROMPT)).json()) as { error: Record<string, unknown> }
    expect(error.details).toEqual({ error_code: 'model_capability_missing' })
  })

  test('overload is told apart', async () => {
    supplier.answer = () => refusal(529, { type: 'overloaded_error', message: 'Overloaded' })
    const response = await send(PROMPT)
    expect(response.status).toBe(503)
    const text = await response.text()
    expect(text).toContain('"type":"overloaded_error"')
    expect(JSON.parse(text).error).toMatchObject({ type: 'provider_overloaded', code: 'provider_overloaded' })
  })
})

describe('threads', () => {
  test('are refused in the words on which the tool runner sends everything again', async () => {
    supplier.answer = (body) => {
      const messages = body.messages as { content: unknown }[]
      const isAnswered = JSON.stringify(messages).includes('tool_result')
      const call = { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Oslo' } }
      return Response.json(
        isAnswered
          ? { ...REPLY, content: [{ type: 'text', text: `${messages.length} messages` }] }
          : { ...REPLY, content: [call], stop_reason: 'tool_use' },
      )
    }
    const statuses: number[] = []
    const client = new Anthropic({
      baseURL: gateway.url,
      apiKey: BOOTSTRAP_KEY,
      maxRetries: 0,
      fetch: async (...request: Parameters<typeof fetch>) => {
        const response = await fetch(...request)
        statuses.push(response.status)
        return response
      },
    })
    const answer = await client.beta.messages.toolRunner({
      ...PROMPT,
      messages: [{ role: 'user', content: 'Weather in Oslo?' }],
      tools: [
        {
          type: 'custom',
          name: 'weather',
          input_schema: { type: 'object', properties: { city: { type: 'string' } } },
          run: () => 'sunny',
          parse: (input: unknown) => input as { city: string },
        },
      ],
    })
    expect(answer.content).toMatchObject([{ type: 'text', text: '3 messages' }])
    // Refused once; every turn after that has the whole conversation.
    expect(statuses).toEqual([400, 200, 200])
    for (const { text } of supplier.seen) expect(JSON.parse(text)).not.toHaveProperty('thread')
  })

  test('are refused before a supplier is asked', async () => {
    const thread = { type: 'continue', previous_message_id: 'msg_1' }
    const response = await send({ ...PROMPT, thread })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      type: 'error',
      error: { details: { error_code: 'thread_unsupported_request', unsupported: ['thread'] } },
    })
    expect(supplier.seen).toBeEmpty()
  })
})

describe('what the agent asks for when it starts', () => {
  test.each(['/', '/api/hello'])('HEAD %s is answered without a key and without a redirect', async (path) => {
    const response = await fetch(gateway.url + path, { method: 'HEAD', redirect: 'manual' })
    expect([response.status, await response.text()]).toEqual([200, ''])
  })

  test.each([
    { authorization: `Bearer ${BOOTSTRAP_KEY}` },
    { 'x-api-key': BOOTSTRAP_KEY },
    { authorization: 'Bearer of-something-else', 'x-api-key': BOOTSTRAP_KEY },
    { authorization: `Bearer ${BOOTSTRAP_KEY}`, 'x-api-key': 'of-something-else' },
  ] as Record<string, string>[])('models and messages with %j', async (headers) => {
    const list = await fetch(`${gateway.url}/v1/models?limit=1000`, { headers, redirect: 'manual' })
    expect(list.status).toBe(200)
    const { data } = (await list.json()) as { data: object[] }
    expect(data).toContainEqual(expect.objectContaining({ id: MODEL, display_name: 'Claude of the tests' }))
    const response = await fetch(`${gateway.url}/v1/messages?beta=true`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(PROMPT),
    })
    expect(response.status).toBe(200)
  })
})

describe('to a supplier of another format', () => {
  const translated = { ...PROMPT, model: TRANSLATED }
  const ask = (body: object) => send({ ...translated, ...body }, { 'x-api-key': chatKey })

  test('adaptive thinking works', async () => {
    const response = await ask({ thinking: { type: 'adaptive' } })
    expect(response.status).toBe(200)
  })

  test('a document of text is part of the prompt', async () => {
    const source = { type: 'text', media_type: 'text/plain', data: 'say: pong' }
    const response = await ask({ messages: [{ role: 'user', content: [{ type: 'document', source }] }] })
    expect(response.status).toBe(200)
    const { usage } = (await response.json()) as { usage: { input_tokens: number } }
    expect(usage.input_tokens).toBeGreaterThan(0)
  })

  describe.each(['chat-completion', 'responses', 'content-generation'] as const)('which is %s', (format) => {
    const tools = [{ name: 'look', input_schema: { type: 'object', properties: {} } }]
    const opening = { model: THOUGHTFUL, max_tokens: 4096, tools, messages: PROMPT.messages }
    const blocksOf = async (response: Response) => {
      expect(response.status).toBe(200)
      return ((await response.json()) as { content: { type: string; id: string }[] }).content
    }

    test('thoughts come only when asked for, and the next turn needs none', async () => {
      const headers = { 'x-api-key': (await createKeyFor(gateway, format)).secret }
      const asked = await blocksOf(await send({ ...opening, thinking: { type: 'adaptive' } }, headers))
      expect(asked[0]?.type).toBe('thinking')
      const content = await blocksOf(await send(opening, headers))
      expect(content.map(({ type }) => type)).not.toContain('thinking')
      const call = content.find(({ type }) => type === 'tool_use')
      const streamed = await (await send({ ...opening, stream: true }, headers)).text()
      expect(streamed).toContain('"tool_use"')
      expect(streamed).not.toContain('"thinking"')
      const messages = [
        ...PROMPT.messages,
        { role: 'assistant', content },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: call?.id, content: 'seen' }] },
      ]
      expect((await send({ ...opening, messages }, headers)).status).toBe(200)
    })
  })

  test('a file is refused with a token', async () => {
    const source = { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' }
    const response = await ask({ messages: [{ role: 'user', content: [{ type: 'document', source }] }] })
    expect(response.status).toBe(400)
    const { error } = (await response.json()) as { error: { message: string } }
    expect(error.message).toEndWith('(capability_rejected: document)')
  })

  test('the first event of a stream has an estimate by script, the last the supplier’s count', async () => {
    const content = '今天天气怎么样？请用一句话回答。'.repeat(40)
    const response = await ask({ stream: true, messages: [{ role: 'user', content }] })
    const events = (await response.text())
      .split('\n')
      .filter((line) => line.startsWith('data: '))
      .map((line) => JSON.parse(line.slice('data: '.length)))
    const estimated = events[0].message.usage.input_tokens
    // A quarter of a token for each character would be half of this.
    expect(estimated).toBeGreaterThan(content.length * 0.5)
    expect(events.at(-2)).toMatchObject({
      type: 'message_delta',
      usage: { input_tokens: expect.any(Number) },
    })
  })
})
