import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'

// biome-ignore lint/suspicious/noExplicitAny: wire JSON is read as a client without types reads it.
type Json = any

let sandbox: Sandbox
let other: Sandbox
beforeAll(() => {
  sandbox = startSandbox()
  other = startSandbox()
})
afterAll(() => Promise.all([sandbox.stop(), other.stop()]))

const HEADERS = {
  authorization: 'Bearer sk-sandbox-x',
  'x-api-key': 'sk-sandbox-x',
  'anthropic-version': '2023-06-01',
  'x-goog-api-key': 'sk-sandbox-x',
}

async function post(path: string, body: Json, where = sandbox): Promise<{ status: number; body: Json }> {
  const response = await fetch(`${where.url}${path}`, {
    method: 'POST',
    headers: HEADERS,
    body: JSON.stringify(body),
  })
  return { status: response.status, body: await response.json() }
}

/** A signature that this sandbox made, but for a thought in another format. */
async function foreignSignature(): Promise<string> {
  const { body } = await post('/v1/messages', {
    model: 'sandbox-reasoner',
    max_tokens: 2000,
    messages: [{ role: 'user', content: 'Weather?' }],
  })
  return body.content[0].signature
}

const SCHEMA = { type: 'object', properties: { city: { type: 'string' } } }

describe('messages', () => {
  const question = { role: 'user', content: 'Weather? redact' }
  const request = {
    model: 'sandbox-reasoner',
    max_tokens: 4000,
    thinking: { type: 'enabled', budget_tokens: 1024 },
    tools: [{ name: 'get_weather', input_schema: SCHEMA }],
  }
  let content: Json[]
  let foreign: string
  beforeAll(async () => {
    content = (await post('/v1/messages', { ...request, messages: [question] })).body.content
    const asked = { ...request, input: 'Weather?', reasoning: { summary: 'auto' } }
    const { model, input, reasoning } = asked
    foreign = (await post('/v1/responses', { model, input, reasoning })).body.output[0].encrypted_content
  })

  const replay = (blocks: readonly Json[], fields: object = {}) => {
    const results = blocks.flatMap(({ type, id }) =>
      type === 'tool_use' ? [{ type: 'tool_result', tool_use_id: id, content: '18' }] : [],
    )
    const messages = [question, { role: 'assistant', content: blocks }, { role: 'user', content: results }]
    return post('/v1/messages', { ...request, messages, ...fields })
  }

  test('are accepted as they were given', async () => {
    expect(content.map(({ type }) => type)).toEqual(['thinking', 'redacted_thinking', 'tool_use'])
    expect((await replay(content)).status).toBe(200)
  })

  const WRONG: [name: string, change: (blocks: Json[]) => Json[], message: string][] = [
    ['lost', ([, , call]) => [call], 'must start with a thinking block'],
    [
      'behind the call',
      ([thought, hidden, call]) => [call, thought, hidden],
      'must start with a thinking block',
    ],
    ['altered', ([thought, ...rest]) => [{ ...thought, thinking: 'I see.' }, ...rest], 'Invalid `signature`'],
    ['empty', ([thought, ...rest]) => [{ ...thought, signature: '' }, ...rest], 'Invalid `signature`'],
    ['foreign', ([thought, ...rest]) => [{ ...thought, signature: foreign }, ...rest], 'Invalid `signature`'],
    [
      'on the wrong block',
      ([thought, hidden, call]) => [thought, { ...hidden, data: thought.signature }, call],
      'Invalid `data`',
    ],
  ]
  for (const [name, change, message] of WRONG) {
    test(`are refused when ${name}`, async () => {
      const { status, body } = await replay(change(content))
      expect(status).toBe(400)
      expect(body.error.type).toBe('invalid_request_error')
      expect(body.error.message).toContain(message)
    })
  }

  test('are refused by another model and another sandbox', async () => {
    expect((await replay(content, { model: 'sandbox-tools' })).status).toBe(400)
    const messages = [question, { role: 'assistant', content: content.slice(0, 1) }, question]
    expect((await post('/v1/messages', { ...request, messages })).status).toBe(200)
    expect((await post('/v1/messages', { ...request, messages }, other)).status).toBe(400)
  })

  test('may be left out where no thought is demanded', async () => {
    const [, , call] = content
    expect((await replay([call], { thinking: { type: 'adaptive' } })).status).toBe(200)
    const messages = [question, { role: 'assistant', content: 'Sunny.' }, question]
    expect((await post('/v1/messages', { ...request, messages })).status).toBe(200)
  })
})

describe('responses', () => {
  const question = { role: 'user', content: 'Weather?' }
  const request = {
    model: 'sandbox-reasoner',
    reasoning: { summary: 'auto' },
    tools: [{ type: 'function', name: 'get_weather', parameters: SCHEMA }],
  }
  let output: Json[]
  let foreign: string
  beforeAll(async () => {
    output = (await post('/v1/responses', { ...request, input: [question] })).body.output
    foreign = await foreignSignature()
  })

  const replay = (items: readonly Json[], fields: object = {}) => {
    const results = items.flatMap(({ type, call_id }) =>
      type === 'function_call' ? [{ type: 'function_call_output', call_id, output: '18' }] : [],
    )
    return post('/v1/responses', { ...request, input: [question, ...items, ...results], ...fields })
  }

  test('are accepted as they were given, with and without a summary', async () => {
    expect(output.map(({ type }) => type)).toEqual(['reasoning', 'function_call'])
    expect((await replay(output)).status).toBe(200)
    const [thought, call] = output
    expect((await replay([{ ...thought, summary: [] }, call])).status).toBe(200)
  })

  test('may be left out together with the ids of what followed', async () => {
    const [, { id: _, ...call }] = output
    expect((await replay([call])).status).toBe(200)
  })

  const WRONG: [name: string, change: (items: Json[]) => Json[], message: string][] = [
    ['lost', ([, call]) => [call], "without its required 'reasoning' item"],
    ['nothing follows them', ([thought]) => [thought], 'without its required following item'],
    ['empty', ([thought, call]) => [{ ...thought, encrypted_content: null }, call], 'not found'],
    [
      'foreign',
      ([thought, call]) => [{ ...thought, encrypted_content: foreign }, call],
      'could not be verified',
    ],
    ['of another item', ([thought, call]) => [{ ...thought, id: 'rs_1' }, call], 'could not be verified'],
    [
      'altered',
      ([thought, call]) => [{ ...thought, summary: [{ type: 'summary_text', text: 'Hm.' }] }, call],
      'could not be verified',
    ],
  ]
  for (const [name, change, message] of WRONG) {
    test(`are refused when ${name}`, async () => {
      const { status, body } = await replay(change(output))
      expect(status).toBe(400)
      expect(body.error.message).toContain(message)
    })
  }

  test('are refused by another model and another sandbox', async () => {
    expect((await replay(output, { model: 'sandbox-tools' })).body.error.code).toBe(
      'invalid_encrypted_content',
    )
    const said = { type: 'message', role: 'assistant', content: 'Sunny.' }
    const input = [question, output[0], said, question]
    expect((await post('/v1/responses', { ...request, input })).status).toBe(200)
    expect((await post('/v1/responses', { ...request, input }, other)).status).toBe(400)
  })
})

describe('content-generation', () => {
  const PATH = '/v1beta/models/sandbox-reasoner:generateContent'
  const question = { role: 'user', parts: [{ text: 'Both in parallel?' }] }
  const request = {
    generationConfig: { thinkingConfig: { includeThoughts: true } },
    tools: [
      { functionDeclarations: [{ name: 'get_weather', parametersJsonSchema: SCHEMA }, { name: 'get_time' }] },
    ],
  }
  let parts: Json[]
  let foreign: string
  beforeAll(async () => {
    parts = (await post(PATH, { ...request, contents: [question] })).body.candidates[0].content.parts
    foreign = await foreignSignature()
  })

  const responses = (calls: readonly Json[]) =>
    calls.flatMap(({ functionCall }) =>
      functionCall === undefined
        ? []
        : [
            {
              functionResponse: { id: functionCall.id, name: functionCall.name, response: { output: '18' } },
            },
          ],
    )
  const turn = (step: readonly Json[]) => [
    { role: 'model', parts: step },
    { role: 'user', parts: responses(step) },
  ]
  const replay = (step: readonly Json[], path = PATH) =>
    post(path, { ...request, contents: [question, ...turn(step)] })

  test('are accepted as they were given', async () => {
    expect(parts.map((part) => Object.keys(part))).toEqual([
      ['text', 'thought', 'thoughtSignature'],
      ['functionCall', 'thoughtSignature'],
      ['functionCall'],
    ])
    expect((await replay(parts)).status).toBe(200)
    expect((await replay(parts.slice(1))).status).toBe(200)
  })

  test('do not depend on the order of arguments', async () => {
    const declaration = { name: 'f', parametersJsonSchema: { type: 'object', properties: { a: {}, b: {} } } }
    const tools = [{ functionDeclarations: [declaration] }]
    const first = await post(PATH, { tools, contents: [question] })
    const [call] = first.body.candidates[0].content.parts
    const { a, b } = call.functionCall.args
    const step = [{ ...call, functionCall: { ...call.functionCall, args: { b, a } } }]
    expect((await post(PATH, { tools, contents: [question, ...turn(step)] })).status).toBe(200)
  })

  test('may be replaced by the word that stands for none', async () => {
    const [, call, second] = parts
    const escaped = { ...call, thoughtSignature: 'skip_thought_signature_validator' }
    expect((await replay([escaped, second])).status).toBe(200)
  })

  const WRONG: [name: string, change: (step: Json[]) => Json[], message: string][] = [
    [
      'lost',
      ([thought, { functionCall }, second]) => [thought, { functionCall }, second],
      'missing a thought_signature',
    ],
    [
      'foreign',
      ([thought, call, second]) => [thought, { ...call, thoughtSignature: foreign }, second],
      'not valid',
    ],
    [
      'moved to another part',
      ([thought, call, second]) => [thought, { ...call, thoughtSignature: thought.thoughtSignature }, second],
      'not valid',
    ],
    [
      'on an altered call',
      ([thought, call, second]) => [
        thought,
        { ...call, functionCall: { ...call.functionCall, args: { city: 'Rome' } } },
        second,
      ],
      'not valid',
    ],
    ['on an altered thought', ([thought, ...rest]) => [{ ...thought, text: 'Hm.' }, ...rest], 'not valid'],
  ]
  for (const [name, change, message] of WRONG) {
    test(`are refused when ${name}`, async () => {
      const { status, body } = await replay(change(parts))
      expect(status).toBe(400)
      expect(body.error).toMatchObject({ code: 400, status: 'INVALID_ARGUMENT' })
      expect(body.error.message).toContain(message)
    })
  }

  test('are demanded only of the turn that goes on', async () => {
    const [, { functionCall }, second] = parts
    const contents = [
      question,
      ...turn([{ functionCall }, second]),
      { role: 'model', parts: [{ text: '18.' }] },
    ]
    expect((await post(PATH, { ...request, contents: [...contents, question] })).status).toBe(200)
    const tools = '/v1beta/models/sandbox-tools:generateContent'
    expect((await replay([{ functionCall }, second], tools)).status).toBe(200)
  })

  test('are refused by another model and another sandbox', async () => {
    expect((await replay(parts, '/v1beta/models/sandbox-tools:generateContent')).status).toBe(400)
    const contents = [question, ...turn(parts)]
    expect((await post(PATH, { ...request, contents }, other)).status).toBe(400)
  })
})
