import { describe, expect, test } from 'bun:test'
import { PLAIN_CONVERSATION } from '../../../../test/support/plain-conversation.ts'
import type { Conversation } from '../../../conversation/conversation.ts'
import { type Part, textPart } from '../../../conversation/part.ts'
import type { Proof } from '../../../conversation/proof.ts'
import type { Tool } from '../../../conversation/tool.ts'
import type { Traits } from '../../../vocabulary/runtime/traits.ts'
import { responses } from '../index.ts'
import { encodeRequest } from './encode-request.ts'

const LEAST: Conversation = { ...PLAIN_CONVERSATION, model: 'm' }
const TRAITS = responses.supplier?.traits as Traits
const encode = (fields: Partial<Conversation>, traits: Partial<Traits> = {}) =>
  encodeRequest(
    { ...LEAST, ...fields },
    { upstreamModel: 'up', route: 'sup_1', traits: { ...TRAITS, ...traits }, outputTokenLimit: null },
  )
const inputOf = (...turns: Conversation['turns']) => encode({ turns }).body.input
const assistant = (...parts: Part[]) => ({ role: 'assistant' as const, parts })
const user = (...parts: Part[]) => ({ role: 'user' as const, parts })
const functionTool = (fields: object = {}): Tool => ({
  type: 'function',
  name: 'f',
  namespace: null,
  description: null,
  schema: null,
  strict: null,
  cache: null,
  ...fields,
})
const call = {
  type: 'tool-call' as const,
  id: 'c1',
  name: 'f',
  kind: 'function' as const,
  input: '',
  namespace: null,
  proof: null,
}
const result = {
  type: 'tool-result' as const,
  callId: 'c1',
  name: 'f',
  kind: 'function' as const,
  parts: [textPart('ok')],
  isError: false,
  cache: null,
}
const image = {
  type: 'image' as const,
  source: { type: 'base64' as const, mediaType: 'image/png', data: 'AAAA' },
  detail: null,
  cache: null,
}

test('the smallest request stores nothing and asks for encrypted reasoning', () => {
  expect(encode({}).body).toEqual({
    model: 'up',
    input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] }],
    include: ['reasoning.encrypted_content'],
    store: false,
  })
  expect(encode({}, { thinking: { type: 'none' } }).body).not.toHaveProperty('include')
})

describe('items', () => {
  test('encode a tool loop, with roles only on messages and without ids', () => {
    expect(inputOf(assistant(textPart('a'), call), user(result, textPart('b')))).toEqual([
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'a', annotations: [] }] },
      { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c1', output: 'ok' },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'b' }] },
    ])
  })

  test('encode a custom call in a namespace', () => {
    const custom = { ...call, kind: 'custom' as const, input: 'x', namespace: 'n' }
    expect(inputOf(assistant(custom), user({ ...result, kind: 'custom' }))).toEqual([
      { type: 'custom_tool_call', call_id: 'c1', name: 'f', namespace: 'n', input: 'x' },
      { type: 'custom_tool_call_output', call_id: 'c1', output: 'ok' },
    ])
  })

  test.each([
    ['texts are joined', { parts: [textPart('a'), textPart('b')] }, 'a\nb'],
    ['nothing is an empty text', { parts: [] }, ''],
    ['an error is marked in the text', { isError: true }, 'Error: ok'],
    ['an error without text', { parts: [], isError: true }, 'Error'],
    [
      'images stay with their text',
      { parts: [textPart('a'), image] },
      [
        { type: 'input_text', text: 'a' },
        { type: 'input_image', image_url: 'data:image/png;base64,AAAA' },
      ],
    ],
  ])('of a result: %s', (_name, fields, output) =>
    expect(inputOf(user({ ...result, ...fields }))).toEqual([
      { type: 'function_call_output', call_id: 'c1', output },
    ]),
  )

  test('move images after all results if the model does not accept them there', () => {
    const turns = [user({ ...result, parts: [image] }, { ...result, callId: 'c2' }, textPart('b'))]
    expect(encode({ turns }, { toolResultImages: false }).body.input).toEqual([
      { type: 'function_call_output', call_id: 'c1', output: '' },
      { type: 'function_call_output', call_id: 'c2', output: 'ok' },
      {
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_image', image_url: 'data:image/png;base64,AAAA' },
          { type: 'input_text', text: 'b' },
        ],
      },
    ])
  })

  const proof: Proof = {
    origin: 'responses',
    model: 'up',
    route: 'sup_1',
    on: 'thinking',
    value: 'gAAA',
    itemId: 'rs_1',
  }
  test('include reasoning of the same route before its call, and omit any other', () => {
    const thought = (fields: Partial<Proof>) => ({
      type: 'thinking' as const,
      text: 'hm',
      isRedacted: false,
      proof: { ...proof, ...fields },
    })
    const bare = [{ type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' }]
    expect(inputOf(assistant(thought({}), call))).toEqual([
      {
        type: 'reasoning',
        id: 'rs_1',
        summary: [{ type: 'summary_text', text: 'hm' }],
        encrypted_content: 'gAAA',
      },
      ...bare,
    ])
    expect(inputOf(assistant(thought({ route: '', itemId: null }), call))).toEqual([
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }], encrypted_content: 'gAAA' },
      ...bare,
    ])
    expect(inputOf(assistant(thought({ route: 'sup_2' }), call))).toEqual(bare)
    expect(inputOf(assistant(thought({ origin: 'messages' }), call))).toEqual(bare)
    expect(inputOf(assistant({ ...thought({}), proof: null }, call))).toEqual(bare)
  })

  test('encode later system text as a developer or system message', () => {
    const turns = [user(textPart('a')), { role: 'system' as const, parts: [textPart('b')] }]
    const roles = (traits: Partial<Traits>) =>
      (encode({ turns }, traits).body.input as { role: string }[]).map(({ role }) => role)
    expect(roles({})).toEqual(['user', 'developer'])
    expect(roles({ developerRole: false })).toEqual(['user', 'system'])
  })

  test('restore opaque parts of this format, and report others as dropped', () => {
    const search = { type: 'web_search_call', id: 'ws_1' }
    const file = { type: 'input_file', file_id: 'x' }
    const { body, dropped } = encode({
      turns: [
        user(
          { type: 'opaque', format: 'responses', kind: 'input_file', value: { content_part: file } },
          { type: 'opaque', format: 'messages', kind: 'document', value: {} },
        ),
        assistant({ type: 'opaque', format: 'responses', kind: 'web_search_call', value: search }, image),
      ],
    })
    expect(body.input).toEqual([{ type: 'message', role: 'user', content: [file] }, search])
    expect(dropped).toEqual(['document', 'image'])
  })
})

describe('instructions', () => {
  const instructions = [
    { text: 'one', cache: null },
    { text: 'two', cache: { ttl: '5m' as const } },
  ]

  test('are joined to one text', () => expect(encode({ instructions }).body.instructions).toBe('one\n\ntwo'))

  test('become the input when there are no turns', () => {
    const { body } = encode({ instructions, turns: [] })
    expect(body).not.toHaveProperty('instructions')
    expect(body.input).toEqual([
      {
        type: 'message',
        role: 'developer',
        content: [
          { type: 'input_text', text: 'one' },
          { type: 'input_text', text: 'two' },
        ],
      },
    ])
  })

  test('with cache marks become items if the model supports marks', () => {
    const marked = { role: 'user' as const, parts: [{ ...textPart('hi'), cache: { ttl: '1h' as const } }] }
    const { body } = encode({ instructions, turns: [marked] }, { cacheBreakpoints: true })
    expect(body.input).toMatchObject([
      { content: [{ text: 'one' }, { prompt_cache_breakpoint: { mode: 'explicit', ttl: '30m' } }] },
      { content: [{ prompt_cache_breakpoint: { mode: 'explicit', ttl: '12h' } }] },
    ])
    expect(JSON.stringify(encode({ instructions, turns: [marked] }).body)).not.toContain('breakpoint')
  })
})

describe('tools', () => {
  test('are flat and not strict by default, and a choice needs tools', () => {
    const search: Tool = {
      type: 'web-search',
      allowedDomains: ['a.example'],
      blockedDomains: ['b.example'],
      maxUses: 3,
      contextSize: 'low',
      userLocation: { city: 'Oslo' },
      original: null,
    }
    const { body, dropped } = encode({
      tools: [
        functionTool(),
        functionTool({ name: 'g', strict: true, schema: { type: 'object' }, namespace: 'n' }),
        search,
      ],
      toolChoice: { type: 'named', name: 'f', namespace: null },
      parallelTools: false,
    })
    expect(body).toMatchObject({
      tools: [
        { type: 'function', name: 'f', parameters: { type: 'object', properties: {} }, strict: false },
        { type: 'namespace', name: 'n', tools: [{ type: 'function', name: 'g', strict: true }] },
        {
          type: 'web_search',
          filters: { allowed_domains: ['a.example'] },
          search_context_size: 'low',
          user_location: { type: 'approximate', city: 'Oslo' },
        },
      ],
      tool_choice: { type: 'function', name: 'f' },
      parallel_tool_calls: false,
      max_tool_calls: 3,
    })
    expect(dropped).toEqual(['blocked_domains'])
    const without = encode({ toolChoice: { type: 'required' }, parallelTools: true }).body
    expect(without).not.toHaveProperty('tool_choice')
    expect(without).not.toHaveProperty('parallel_tool_calls')
  })

  test('that run at suppliers of another format are refused', () => {
    const hosted: Tool = { type: 'hosted', format: 'messages', kind: 'web_fetch', value: {} }
    expect(() => encode({ tools: [hosted] })).toThrow('The supplier of this model has no tool "web_fetch".')
    const own: Tool = { ...hosted, format: 'responses', value: { type: 'mcp' } }
    expect(encode({ tools: [own] }).body.tools).toEqual([{ type: 'mcp' }])
  })
})

describe('parameters', () => {
  test('that this format lacks are reported as dropped, except stop, which the gateway applies', () => {
    const { body, dropped } = encode({
      temperature: 0,
      topP: 0.5,
      topK: 5,
      seed: 0,
      presencePenalty: 0,
      frequencyPenalty: 1,
      stop: ['x'],
      maxOutputTokens: 3,
      choices: 2,
    })
    expect(body).toMatchObject({ temperature: 0, top_p: 0.5, max_output_tokens: 16 })
    expect(JSON.stringify(body)).not.toMatch(/stop|seed|penalty|top_k|"n"/)
    expect(dropped).toEqual([
      'top_k',
      'seed',
      'presence_penalty',
      'frequency_penalty',
      'n',
      'max_output_tokens',
    ])
  })

  const effort = (level: 'none' | 'minimal' | 'max') => ({
    control: { type: 'effort' as const, effort: level },
    showThoughts: true,
  })
  test.each([
    [effort('max'), {}, { effort: 'max', summary: 'auto' }],
    [
      effort('max'),
      { thinking: { type: 'effort', efforts: ['low', 'high'] } },
      { effort: 'high', summary: 'auto' },
    ],
    [effort('none'), {}, { effort: 'none' }],
    [
      effort('none'),
      { thinking: { type: 'effort', efforts: ['high', 'minimal'] } },
      { effort: 'minimal', summary: 'auto' },
    ],
    [effort('none'), { thinking: { type: 'none' } }, undefined],
    [{ control: { type: 'budget', tokens: 5000 }, showThoughts: null }, {}, { effort: 'medium' }],
    [{ control: { type: 'budget', tokens: 0 }, showThoughts: null }, {}, { effort: 'none' }],
    [{ control: { type: 'adaptive' }, showThoughts: false }, {}, undefined],
    [{ control: { type: 'adaptive' }, showThoughts: true }, {}, { summary: 'auto' }],
  ] as const)('thinking %j with %j', (reasoning, traits, expected) =>
    expect(encode({ reasoning }, traits as Partial<Traits>).body.reasoning).toEqual(expected),
  )

  test('omit temperature if the model refuses it', () => {
    const sampling = { temperature: 1, topP: 1 }
    expect(encode(sampling, { sampling: 'rejected' }).dropped).toEqual(['temperature', 'top_p'])
    expect(encode(sampling, { sampling: 'only-without-thinking' }).body).not.toHaveProperty('temperature')
    const off = { control: { type: 'effort' as const, effort: 'none' as const }, showThoughts: null }
    expect(
      encode({ ...sampling, reasoning: off }, { sampling: 'only-without-thinking' }).body.temperature,
    ).toBe(1)
    expect(encode(sampling, { isTemperatureOrTopP: true }).dropped).toEqual(['top_p'])
  })

  test('log probabilities', () => {
    expect(encode({ topLogprobs: 0 }).body).toMatchObject({
      top_logprobs: 0,
      include: ['reasoning.encrypted_content', 'message.output_text.logprobs'],
    })
    expect(() => encode({ topLogprobs: 2 }, { logprobs: false })).toThrow('no log probabilities')
  })

  const schema = {
    type: 'schema' as const,
    name: 'n',
    description: null,
    schema: { type: 'object' },
    strict: null,
  }
  test('encode output formats', () => {
    expect(encode({ output: schema, verbosity: 'low' }).body.text).toEqual({
      format: { type: 'json_schema', name: 'n', schema: { type: 'object' } },
      verbosity: 'low',
    })
    expect(encode({ output: schema }, { structured: 'json' })).toMatchObject({
      body: { text: { format: { type: 'json_object' } } },
      dropped: ['json_schema'],
    })
    expect(encode({ output: schema }, { structured: 'none' }).dropped).toEqual(['response_format'])
  })

  test.each(['json', 'none'] as const)(
    'describe a schema in the prompt if the model supports only %s',
    (structured) => {
      const turns = [user(textPart('Give me json'))]
      const { input } = encode({ output: schema, turns }, { structured }).body
      expect(JSON.stringify(input)).toContain(JSON.stringify(JSON.stringify(schema.schema)).slice(1, -1))
      expect(encode({ output: schema, turns }).body.input).toHaveLength(1)
    },
  )

  test('mention JSON in the input for json_object', () => {
    const json = { output: { type: 'json' as const } }
    expect(JSON.stringify(encode(json).body.input)).toContain('Answer with one JSON object.')
    const turns = [user(textPart('Give me json'))]
    expect(encode({ ...json, turns }).body.input).toHaveLength(1)
  })

  test('encode cache keys and end users', () => {
    expect(encode({ endUser: 'u', cacheKey: 'k', metadata: { a: 'b' } }).body).toMatchObject({
      safety_identifier: 'u',
      prompt_cache_key: 'k',
      metadata: { a: 'b' },
    })
    const { safety_identifier, prompt_cache_key } = encode({ endUser: 'ann@a.example' }).body
    expect(safety_identifier).toMatch(/^[0-9a-f]{64}$/)
    expect(prompt_cache_key).toBe(safety_identifier)
    expect(encode({ cacheKey: 'k'.repeat(65) }).body.prompt_cache_key).toMatch(/^[0-9a-f]{64}$/)
  })

  test('restore extras of this format, report those of others, and share the service tier', () => {
    const own = { responses: { truncation: 'auto', include: ['x'], reasoning: { summary: 'concise' } } }
    expect(encode({ extras: own, reasoning: effort('max') }).body).toMatchObject({
      truncation: 'auto',
      include: ['x', 'reasoning.encrypted_content'],
      reasoning: { effort: 'max', summary: 'concise' },
    })
    const other = { messages: { container: 'x', service_tier: 'standard_only' } }
    expect(encode({ extras: other }).dropped).toEqual(['container', 'service_tier'])
    expect(encode({ extras: { other: { service_tier: 'flex' } } })).toMatchObject({
      body: { service_tier: 'flex' },
      dropped: [],
    })
  })
})
