import { describe, expect, test } from 'bun:test'
import { PLAIN_CONVERSATION } from '../../../../test/support/plain-conversation.ts'
import { supplyContext } from '../../../../test/support/translation-contexts.ts'
import type { Conversation, Turn } from '../../../conversation/conversation.ts'
import { type ImagePart, type Part, type ToolResultPart, textPart } from '../../../conversation/part.ts'
import type { Proof } from '../../../conversation/proof.ts'
import type { Tool, WebSearchTool } from '../../../conversation/tool.ts'
import { GatewayError } from '../../../errors/gateway-error.ts'
import type { Traits } from '../../../vocabulary/runtime/traits.ts'
import { CHAT_TRAITS } from '../format.ts'
import { encodeRequest } from './encode-request.ts'

const PLAIN = PLAIN_CONVERSATION
const HI = { role: 'user', content: 'hi' }

function encode(fields: Partial<Conversation>, traits: Partial<Traits> = {}) {
  return encodeRequest({ ...PLAIN, ...fields }, supplyContext(traits, CHAT_TRAITS))
}

function refusal(fields: Partial<Conversation>, traits: Partial<Traits> = {}): GatewayError {
  try {
    encode(fields, traits)
  } catch (error) {
    if (error instanceof GatewayError) return error
    throw error
  }
  throw new Error('It was encoded.')
}

const messagesOf = (turns: readonly Turn[], traits: Partial<Traits> = {}) =>
  encode({ turns }, traits).body.messages
const user = (...parts: Part[]): Turn => ({ role: 'user', parts })
const assistant = (...parts: Part[]): Turn => ({ role: 'assistant', parts })
const system = (...parts: Part[]): Turn => ({ role: 'system', parts })

const image: ImagePart = {
  type: 'image',
  source: { type: 'base64', mediaType: 'image/png', data: 'AAAA' },
  detail: 'low',
  cache: null,
}
const WIRE_IMAGE = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: 'low' } }
const call = (id: string, fields: object = {}): Part => ({
  type: 'tool-call',
  id,
  name: 'f',
  kind: 'function',
  input: '{}',
  namespace: null,
  proof: null,
  ...fields,
})
const result = (callId: string, fields: Partial<ToolResultPart> = {}): Part => ({
  type: 'tool-result',
  callId,
  name: 'f',
  kind: 'function',
  parts: [textPart('ok')],
  isError: false,
  cache: null,
  ...fields,
})
const functionTool: Tool = {
  type: 'function',
  name: 'f',
  namespace: null,
  description: null,
  schema: null,
  strict: null,
  cache: null,
}

test('encodes the smallest request', () =>
  expect(encode({})).toEqual({ body: { model: 'upstream-1', messages: [HI] }, dropped: [] }))

test('a stream always asks for usage', () =>
  expect(encode({ stream: true }).body).toMatchObject({
    stream: true,
    stream_options: { include_usage: true },
  }))

describe('instructions', () => {
  const instructions = [
    { text: 'one', cache: null },
    { text: 'two', cache: { ttl: '1h' } },
  ] as const

  test('become one message', () =>
    expect(encode({ instructions }).body.messages).toEqual([{ role: 'system', content: 'one\n\ntwo' }, HI]))

  test('use the developer role where the model requires it', () =>
    expect(encode({ instructions }, { developerRole: true }).body.messages).toEqual([
      { role: 'developer', content: 'one\n\ntwo' },
      HI,
    ]))

  test('keep their cache marks where the model supports them', () =>
    expect(encode({ instructions }, { cacheBreakpoints: true }).body.messages).toEqual([
      {
        role: 'system',
        content: [
          { type: 'text', text: 'one' },
          { type: 'text', text: 'two', prompt_cache_breakpoint: { mode: 'explicit', ttl: '30m' } },
        ],
      },
      HI,
    ]))

  test('inside the conversation stay in place, or become a user message', () => {
    const turns = [user(textPart('hi')), system(textPart('a'), textPart('b')), assistant(textPart('ho'))]
    expect(messagesOf(turns)).toEqual([
      HI,
      { role: 'system', content: 'a\n\nb' },
      { role: 'assistant', content: 'ho' },
    ])
    expect(messagesOf(turns, { inlineSystem: false })).toEqual([
      HI,
      { role: 'user', content: '<system-reminder>\na\n\nb\n</system-reminder>' },
      { role: 'assistant', content: 'ho' },
    ])
  })
})

describe('tool loops', () => {
  test('an assistant turn is one message, followed by its results in order and the user message', () => {
    const turns = [
      user(textPart('hi')),
      assistant(textPart('a'), call('x', { input: '' }), textPart('b'), call('y', { input: '{"n":1}' })),
      user(result('x'), result('y', { parts: [textPart('1'), textPart('2')] }), textPart('go on')),
    ]
    expect(messagesOf(turns)).toEqual([
      HI,
      {
        role: 'assistant',
        content: 'ab',
        tool_calls: [
          { id: 'x', type: 'function', function: { name: 'f', arguments: '{}' } },
          { id: 'y', type: 'function', function: { name: 'f', arguments: '{"n":1}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'x', content: 'ok' },
      { role: 'tool', tool_call_id: 'y', content: '1\n2' },
      { role: 'user', content: 'go on' },
    ])
  })

  test('images in results move to one user message after all results', () => {
    const turns = [
      user(textPart('hi')),
      assistant(call('x'), call('y')),
      user(
        result('x', { parts: [textPart('see'), image] }),
        result('y', { parts: [image] }),
        textPart('well?'),
      ),
    ]
    expect(messagesOf(turns)).toEqual([
      HI,
      expect.objectContaining({ role: 'assistant', content: null }),
      { role: 'tool', tool_call_id: 'x', content: 'see\n[The image is in the next user message.]' },
      { role: 'tool', tool_call_id: 'y', content: '[The image is in the next user message.]' },
      { role: 'user', content: [WIRE_IMAGE, WIRE_IMAGE, { type: 'text', text: 'well?' }] },
    ])
  })

  test('images in results stay if the model accepts them there', () => {
    const turns = [assistant(call('x')), user(result('x', { parts: [textPart('see'), image] }))]
    expect(messagesOf(turns, { toolResultImages: true })).toEqual([
      expect.anything(),
      { role: 'tool', tool_call_id: 'x', content: [{ type: 'text', text: 'see' }, WIRE_IMAGE] },
    ])
  })

  test.each([
    [[textPart('boom')], 'Error: boom'],
    [[], 'Error: (no output)'],
  ])('a failed result is marked as an error', (parts, content) =>
    expect(messagesOf([assistant(call('x')), user(result('x', { isError: true, parts }))])).toEqual([
      expect.anything(),
      { role: 'tool', tool_call_id: 'x', content },
    ]),
  )
})

describe('assistant turns', () => {
  const proof: Proof = {
    origin: 'chat-completion',
    model: 'upstream-1',
    route: 'sup_1',
    on: 'tool-call',
    value: 'sig',
    itemId: null,
  }
  const thought: Part = { type: 'thinking', text: 'hm', proof: null, isRedacted: false }

  test('omit thinking, and a turn that has nothing else', () =>
    expect(messagesOf([user(textPart('hi')), assistant(thought), user(textPart('hi'))])).toEqual([HI, HI]))

  test('send thinking to models that require it', () =>
    expect(messagesOf([assistant(thought, textPart('a'))], { needsReasoningContent: true })).toEqual([
      { role: 'assistant', content: 'a', reasoning_content: 'hm' },
    ]))

  test('send a refusal as text', () =>
    expect(messagesOf([assistant({ type: 'refusal', text: 'no' })])).toEqual([
      { role: 'assistant', content: 'no' },
    ]))

  test('send a signature only to the route it came from', () => {
    const signed = { extra_content: { google: { thought_signature: 'sig' } } }
    const callOf = (sent: Proof) => JSON.stringify(messagesOf([assistant(call('x', { proof: sent }))]))
    expect(callOf(proof)).toContain(JSON.stringify(signed).slice(1, -1))
    expect(callOf({ ...proof, route: 'sup_2' })).not.toContain('extra_content')
    expect(callOf({ ...proof, origin: 'content-generation' })).not.toContain('extra_content')
  })

  test('move an image to the next user message', () => {
    expect(messagesOf([assistant(textPart('here'), image), user(textPart('hi'))])).toEqual([
      { role: 'assistant', content: 'here' },
      { role: 'user', content: [WIRE_IMAGE, { type: 'text', text: 'hi' }] },
    ])
    expect(encode({ turns: [assistant(textPart('here'), image)] }).dropped).toEqual(['image'])
  })
})

describe('format-specific parts and fields', () => {
  const own: Part = {
    type: 'opaque',
    format: 'chat-completion',
    kind: 'video_url',
    value: { type: 'video_url' },
  }
  const foreign: Part = { type: 'opaque', format: 'messages', kind: 'document', value: {} }

  test('are restored in their own format and reported as dropped in others', () => {
    const { body, dropped } = encode({ turns: [user(textPart('hi'), own, foreign), assistant(own, foreign)] })
    expect(body.messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'hi' }, { type: 'video_url' }] },
      { role: 'assistant', content: [{ type: 'video_url' }] },
    ])
    expect(dropped).toEqual(['document'])
  })

  test('keep calls of kinds that only this format has', () => {
    const odd: Part = {
      type: 'opaque',
      format: 'chat-completion',
      kind: 'tool_calls.server',
      value: { type: 'server' },
    }
    expect(messagesOf([assistant(odd)])).toEqual([
      { role: 'assistant', content: null, tool_calls: [{ type: 'server' }] },
    ])
  })

  test('include extra fields', () => {
    const extras = { 'chat-completion': { logit_bias: { 5: 1 } }, messages: { container: 'c' } }
    expect(encode({ extras })).toEqual({
      body: { logit_bias: { 5: 1 }, model: 'upstream-1', messages: [HI] },
      dropped: ['container'],
    })
  })

  test('are refused when the answer would be wrong without them', () => {
    expect(refusal({ extras: { 'content-generation': { cachedContent: 'c' } } })).toMatchObject({
      code: 'unsupported_parameter',
      param: 'cachedContent',
    })
    const hosted: Tool = { type: 'hosted', format: 'responses', kind: 'code_interpreter', value: {} }
    expect(refusal({ tools: [hosted] })).toMatchObject({ code: 'unsupported_parameter', param: 'tools' })
    expect(refusal({ topLogprobs: 0 }, { logprobs: false })).toMatchObject({ param: 'logprobs' })
    expect(refusal({ turns: [user(image)] }, { vision: false })).toMatchObject({ param: 'messages' })
    const stop = ['1', '2', '3', '4', '5']
    expect(refusal({ stop })).toMatchObject({ param: 'stop' })
  })

  test('include hosted tools of this format', () => {
    const hosted: Tool = { type: 'hosted', format: 'chat-completion', kind: 'x', value: { type: 'x' } }
    expect(encode({ tools: [hosted] }).body.tools).toEqual([{ type: 'x' }])
  })
})

describe('tools', () => {
  const customTool: Tool = {
    type: 'custom',
    name: 'g',
    namespace: null,
    description: 'd',
    grammar: { syntax: 'regex', definition: 'x' },
    cache: null,
  }
  const search: WebSearchTool = {
    type: 'web-search',
    allowedDomains: null,
    blockedDomains: null,
    maxUses: null,
    contextSize: 'high',
    userLocation: { city: 'Oslo' },
    original: null,
  }

  test('of every kind', () =>
    expect(
      encode({
        tools: [functionTool, customTool, search],
        parallelTools: false,
        toolChoice: { type: 'auto' },
      }),
    ).toEqual({
      body: {
        model: 'upstream-1',
        messages: [HI],
        tools: [
          { type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } },
          {
            type: 'custom',
            custom: {
              name: 'g',
              description: 'd',
              format: { type: 'grammar', grammar: { syntax: 'regex', definition: 'x' } },
            },
          },
        ],
        tool_choice: 'auto',
        parallel_tool_calls: false,
        web_search_options: {
          search_context_size: 'high',
          user_location: { type: 'approximate', approximate: { city: 'Oslo' } },
        },
      },
      dropped: [],
    }))

  test('omit an empty list and its options', () =>
    expect(encode({ tools: [search], toolChoice: { type: 'required' }, parallelTools: true }).body).toEqual({
      model: 'upstream-1',
      messages: [HI],
      web_search_options: expect.anything(),
    }))

  test('report unsupported search options as dropped', () =>
    expect(encode({ tools: [{ ...search, maxUses: 3 }] }).dropped).toEqual(['web_search']))

  const choices: readonly (readonly [choice: Conversation['toolChoice'], names: string[], sent: unknown])[] =
    [
      [{ type: 'none' }, ['f', 'g'], 'none'],
      [{ type: 'required' }, ['f', 'g'], 'required'],
      [
        { type: 'named', name: 'f', namespace: null },
        ['f', 'g'],
        { type: 'function', function: { name: 'f' } },
      ],
      [{ type: 'named', name: 'g', namespace: null }, ['f', 'g'], { type: 'custom', custom: { name: 'g' } }],
      [{ type: 'allowed', names: ['g'], isRequired: true }, ['g'], 'required'],
      [{ type: 'allowed', names: ['f'], isRequired: false }, ['f'], 'auto'],
    ]
  test.each(choices)('choice %p', (toolChoice, names, sent) => {
    const { body } = encode({ tools: [functionTool, customTool], toolChoice })
    const tools = body.tools as { function?: { name: string }; custom?: { name: string } }[]
    expect(tools.map((tool) => (tool.function ?? tool.custom)?.name ?? '')).toEqual(names)
    expect(body.tool_choice).toEqual(sent)
  })
})

describe('sampling and limits follow the traits of the model', () => {
  const sampling = {
    temperature: 0,
    topP: 0.5,
    topK: 3,
    seed: 0,
    presencePenalty: 0,
    frequencyPenalty: 1,
    stop: ['x'],
  }
  const all = {
    temperature: 0,
    top_p: 0.5,
    seed: 0,
    presence_penalty: 0,
    frequency_penalty: 1,
    stop: ['x'],
  }
  const none: Conversation['reasoning'] = { control: { type: 'effort', effort: 'none' }, showThoughts: null }
  const sent: readonly (readonly [Partial<Traits>, Partial<Conversation>, object, string[]])[] = [
    [{}, {}, all, ['top_k']],
    [
      { sampling: 'rejected' },
      {},
      { seed: 0, stop: ['x'] },
      ['temperature', 'top_p', 'top_k', 'presence_penalty', 'frequency_penalty'],
    ],
    [
      { sampling: 'only-without-thinking' },
      {},
      { seed: 0, stop: ['x'] },
      ['temperature', 'top_p', 'top_k', 'presence_penalty', 'frequency_penalty'],
    ],
    [
      { sampling: 'only-without-thinking' },
      { reasoning: none },
      { ...all, reasoning_effort: 'none' },
      ['top_k'],
    ],
    [
      { isTemperatureOrTopP: true, penalties: false, stop: false },
      {},
      { temperature: 0, seed: 0 },
      ['top_p', 'top_k', 'presence_penalty', 'frequency_penalty', 'stop'],
    ],
  ]
  test.each(sent.map((each) => [each] as const))('%p', ([traits, fields, expected, dropped]) => {
    const encoded = encode({ ...sampling, ...fields }, traits)
    expect(encoded.body).toEqual({ model: 'upstream-1', messages: [HI], ...expected })
    expect(encoded.dropped).toEqual(dropped)
  })

  test('the output limit uses the field name of the model', () => {
    expect(encode({ maxOutputTokens: 9 }).body).toMatchObject({ max_completion_tokens: 9 })
    expect(encode({ maxOutputTokens: 9 }, { maxTokensField: 'max_tokens' }).body).toMatchObject({
      max_tokens: 9,
    })
  })

  test('other fields', () => {
    const encoded = encode({
      choices: 2,
      topLogprobs: 3,
      verbosity: 'low',
      endUser: 'u',
      cacheKey: 'k',
      metadata: { a: 'b' },
    })
    expect(encoded).toEqual({
      body: {
        model: 'upstream-1',
        messages: [HI],
        n: 2,
        logprobs: true,
        top_logprobs: 3,
        verbosity: 'low',
        user: 'u',
        prompt_cache_key: 'k',
      },
      dropped: ['metadata'],
    })
    const stored = encode({ metadata: { a: 'b' }, extras: { 'chat-completion': { store: true } } })
    expect(stored.body).toMatchObject({ store: true, metadata: { a: 'b' } })
  })
})

describe('thinking', () => {
  const asked = (control: NonNullable<Conversation['reasoning']>['control'], traits: Partial<Traits>) => {
    const { body, dropped } = encode({ reasoning: { control, showThoughts: true } }, traits)
    return [body.reasoning_effort ?? null, ...dropped]
  }
  const some = { thinking: { type: 'effort', efforts: ['minimal', 'low', 'high'] } } as const

  test('uses the nearest effort the model supports', () => {
    expect(asked({ type: 'effort', effort: 'high' }, some)).toEqual(['high'])
    expect(asked({ type: 'effort', effort: 'max' }, some)).toEqual(['high', 'reasoning_effort'])
    expect(asked({ type: 'effort', effort: 'none' }, some)).toEqual(['minimal', 'reasoning_effort'])
    expect(asked({ type: 'budget', tokens: 1024 }, some)).toEqual(['low'])
    expect(asked({ type: 'adaptive' }, some)).toEqual([null])
    expect(asked({ type: 'unspecified' }, some)).toEqual([null])
  })

  test('translates other controls to an effort', () => {
    const budget = { thinking: { type: 'budget', least: 1024, most: 9999, canDisable: true } } as const
    expect(asked({ type: 'effort', effort: 'max' }, budget)).toEqual(['high', 'reasoning_effort'])
    expect(asked({ type: 'budget', tokens: 0 }, budget)).toEqual(['none'])
    const level = { thinking: { type: 'level', levels: ['low', 'high'] } } as const
    expect(asked({ type: 'effort', effort: 'low' }, level)).toEqual(['low'])
  })

  test('can be switched off', () => {
    const never = { thinking: { type: 'none' } } as const
    expect(asked({ type: 'effort', effort: 'high' }, never)).toEqual([null, 'reasoning_effort'])
    expect(asked({ type: 'effort', effort: 'none' }, never)).toEqual([null])
  })
})

describe('structured output', () => {
  const schema = {
    type: 'schema',
    name: 'n',
    description: null,
    schema: { type: 'object' },
    strict: true,
  } as const
  const JSON_ONLY = 'Answer with one JSON object and nothing else.'

  test('uses a schema', () =>
    expect(encode({ output: schema })).toEqual({
      body: {
        model: 'upstream-1',
        messages: [HI],
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'n', schema: { type: 'object' }, strict: true },
        },
      },
      dropped: [],
    }))

  test('mentions JSON in the prompt for json_object', () => {
    expect(encode({ output: { type: 'json' } }).body).toEqual({
      model: 'upstream-1',
      messages: [{ role: 'system', content: JSON_ONLY }, HI],
      response_format: { type: 'json_object' },
    })
    const turns = [user(textPart('some Json please'))]
    expect(encode({ output: { type: 'json' }, turns }).body.messages).toEqual([
      { role: 'user', content: 'some Json please' },
    ])
  })

  test('describes the format in the prompt for models without support', () => {
    const words = `${JSON_ONLY} It must fit this schema:\n{"type":"object"}`
    expect(encode({ output: schema }, { structured: 'json' })).toEqual({
      body: {
        model: 'upstream-1',
        messages: [{ role: 'system', content: words }, HI],
        response_format: { type: 'json_object' },
      },
      dropped: ['response_format'],
    })
    expect(encode({ output: { type: 'json' } }, { structured: 'none' })).toEqual({
      body: { model: 'upstream-1', messages: [{ role: 'system', content: JSON_ONLY }, HI] },
      dropped: ['response_format'],
    })
  })
})
