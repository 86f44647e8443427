import { describe, expect, test } from 'bun:test'
import { GatewayError } from '../../../errors/gateway-error.ts'
import { validateRequest } from './validate.ts'

const MINIMAL = { model: 'm', messages: [{ role: 'user', content: 'hi' }] }

function refusalOf(body: unknown): GatewayError | null {
  try {
    validateRequest(body)
    return null
  } catch (error) {
    if (error instanceof GatewayError) return error
    throw error
  }
}

const withField = (fields: object) => ({ ...MINIMAL, ...fields })
const withMessage = (...messages: unknown[]) => ({ ...MINIMAL, messages })

describe('spec 8.5 bounds, from both sides', () => {
  const bounds: readonly (readonly [string, readonly unknown[], readonly unknown[], string])[] = [
    ['temperature', [0, 1.5, 2, null], [-0.001, 2.001, 'NaN', '1', true, Infinity], 'a number from 0 to 2'],
    ['top_p', [0, 0.5, 1, null], [-0.1, 1.1, '0.5'], 'a number from 0 to 1'],
    ['n', [1, 128, null], [0, 129, 1.5, '2'], 'an integer from 1 to 128'],
    ['frequency_penalty', [-2, 0, 2, null], [-2.01, 2.01, '0'], 'a number from -2 to 2'],
    ['presence_penalty', [-2, 0, 2, null], [-2.01, 2.01, []], 'a number from -2 to 2'],
    ['max_tokens', [1, 100_000, null], [0, -1, 1.5, '5', 1e300], 'an integer from 1 to 2147483647'],
    ['max_completion_tokens', [1, 9, null], [0, -1, 2.5, {}], 'an integer from 1 to 2147483647'],
    ['seed', [0, -5, 2 ** 60, null], [1.5, '7'], 'an integer'],
    ['top_k', [0, 40, null], [1.5, 'x'], 'an integer'],
    ['stream', [true, false, null], ['true', 1], 'a boolean'],
    ['logprobs', [true, false, null], ['true', 0], 'a boolean'],
    ['parallel_tool_calls', [true, false, null], ['true', 1], 'a boolean'],
    ['user', ['', 'u', null], [7, []], 'a string'],
    [
      'stop',
      ['x', ['a'], ['a', 'b', 'c', 'd'], null],
      ['', [], ['a', 'b', 'c', 'd', 'e'], 7],
      'a non-empty string or an array of 1 to 4 non-empty strings',
    ],
    [
      'reasoning_effort',
      ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max', null],
      ['extreme', 3, ''],
      'one of "none", "minimal", "low", "medium", "high", "xhigh", "max"',
    ],
    [
      'tool_choice',
      ['auto', 'none', 'required', null],
      ['any', 5],
      'one of "auto", "none", "required" or an object',
    ],
    ['tools', [[], null], ['f', {}, 3], 'an array of objects'],
    ['logit_bias', [{}, { 5: 1 }, null], ['x', [1], 3], 'an object'],
    ['stream_options', [{}, null], [true, []], 'an object'],
  ]
  for (const [name, accepted, refused, takes] of bounds) {
    test(`${name} takes ${takes}`, () => {
      for (const value of accepted) expect(refusalOf(withField({ [name]: value }))).toBeNull()
      for (const value of refused) {
        const refusal = refusalOf(withField({ [name]: value }))
        expect(refusal?.message).toBe(`${name} must be ${takes}.`)
        expect(refusal?.param).toBe(name)
        expect(refusal?.code).toBe('invalid_request')
      }
    })
  }

  test('top_logprobs: 0 to 20, and only with logprobs', () => {
    for (const top_logprobs of [0, 20])
      expect(refusalOf(withField({ logprobs: true, top_logprobs }))).toBeNull()
    for (const top_logprobs of [-1, 21, 0.5]) {
      const refusal = refusalOf(withField({ logprobs: true, top_logprobs }))
      expect(refusal?.message).toBe('top_logprobs must be an integer from 0 to 20.')
    }
    for (const logprobs of [false, null, undefined]) {
      const refusal = refusalOf(withField({ logprobs, top_logprobs: 1 }))
      expect(refusal?.message).toBe('top_logprobs requires logprobs to be true.')
      expect(refusal?.param).toBe('top_logprobs')
    }
    expect(refusalOf(withField({ top_logprobs: null }))).toBeNull()
  })

  test('logit_bias values: -100 to 100', () => {
    for (const bias of [-100, 0.5, 100])
      expect(refusalOf(withField({ logit_bias: { 50256: bias } }))).toBeNull()
    for (const bias of [-100.1, 101, '5', null]) {
      const refusal = refusalOf(withField({ logit_bias: { 50256: bias } }))
      expect(refusal?.message).toBe('logit_bias.50256 must be a number from -100 to 100.')
      expect(refusal?.param).toBe('logit_bias.50256')
    }
    expect(refusalOf(withField({ logit_bias: { 'a\nb': 101 } }))).not.toBeNull()
  })
})

describe('accepts what real clients send', () => {
  const call = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } }
  const bodies: Readonly<Record<string, unknown>> = {
    minimal: MINIMAL,
    'unknown fields': {
      ...MINIMAL,
      thinking: { type: 'x' },
      messages: [{ role: 'user', content: 'a', cache_control: {} }],
    },
    roles: withMessage(
      { role: 'developer', content: 'd', name: 'n' },
      { role: 'system', content: [{ type: 'text', text: 's' }] },
      { role: 'user', content: '' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: [{ type: 'text', text: 'r' }] },
      { role: 'assistant', tool_calls: [{ id: 'c', type: 'custom', custom: { name: 'g', input: 'x' } }] },
      { role: 'tool', tool_call_id: 'c', content: '' },
      { role: 'assistant', content: null, function_call: { name: 'f', arguments: '' } },
      { role: 'function', name: 'f', content: null },
      { role: 'assistant', content: [{ type: 'refusal', refusal: 'no' }] },
      { role: 'assistant', content: 'a', refusal: null, audio: null, tool_calls: null, function_call: null },
      { role: 'assistant', refusal: 'no' },
      { role: 'assistant', content: '', reasoning_content: 'hm' },
    ),
    parts: withMessage({
      role: 'user',
      content: [
        { type: 'text', text: 't', prompt_cache_breakpoint: { mode: 'explicit' } },
        { type: 'image_url', image_url: { url: 'https://e.example/a.png', detail: 'original' } },
        { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
        { type: 'file', file: { file_data: 'data:', filename: 'a.pdf' } },
        { type: 'file', file: { file_id: 'file-1' } },
      ],
    }),
    tools: withField({
      tools: [
        { type: 'function', function: { name: 'f' } },
        {
          type: 'function',
          function: { name: 'f'.repeat(80), description: 'd', parameters: { type: 'object' }, strict: null },
        },
        {
          type: 'custom',
          custom: { name: 'c', format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'x' } } },
        },
      ],
      tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [{ type: 'function' }] } },
    }),
    'kinds that only some suppliers know': {
      tools: [{ type: 'web_search', anything: true }],
      ...withMessage(
        { role: 'user', content: [{ type: 'video_url', video_url: { url: 'https://e.example/a.mp4' } }] },
        {
          role: 'assistant',
          content: [{ type: 'thinking', thinking: [] }],
          tool_calls: [{ type: 'server' }],
        },
      ),
    },
    'named choice': withField({ tool_choice: { type: 'function', function: { name: 'f' } } }),
    'custom choice': withField({ tool_choice: { type: 'custom', custom: { name: 'f' } } }),
    'old functions': withField({ functions: [{ name: 'f', parameters: {} }], function_call: { name: 'f' } }),
    formats: withField({
      response_format: { type: 'json_schema', json_schema: { name: 'n', schema: {}, strict: true } },
    }),
    'other fields': withField({
      modalities: ['text'],
      audio: null,
      verbosity: 'low',
      prediction: { type: 'content', content: 'x' },
      web_search_options: { user_location: { type: 'approximate', approximate: { city: 'x' } } },
      metadata: { a: 'b' },
      service_tier: 'fast',
      store: false,
      prompt_cache_options: { mode: 'implicit' },
      moderation: null,
      safety_identifier: 's',
    }),
  }
  for (const [name, body] of Object.entries(bodies))
    test(name, () => expect(refusalOf(body)?.message).toBeUndefined())
})

describe('refuses and names the field', () => {
  const cases: readonly (readonly [unknown, string | null, string])[] = [
    [null, null, 'The body must be a JSON object.'],
    [[], null, 'The body must be a JSON object.'],
    ['x', null, 'The body must be a JSON object.'],
    [{}, 'model', 'model is required.'],
    [{ model: 'm' }, 'messages', 'messages is required.'],
    [withField({ model: '' }), 'model', 'model must be a non-empty string.'],
    [withField({ model: 7 }), 'model', 'model must be a non-empty string.'],
    [withField({ messages: [] }), 'messages', 'messages must be a non-empty array of objects.'],
    [withField({ messages: 'hi' }), 'messages', 'messages must be a non-empty array of objects.'],
    [withMessage('hi'), 'messages[0]', 'messages[0] must be an object.'],
    [
      withMessage({ content: 'x' }),
      'messages[0].role',
      'messages[0].role is required: one of "system", "developer", "user", "assistant", "tool", "function".',
    ],
    [
      withMessage({ role: 'user', content: 'x' }, { role: 'model', content: 'x' }),
      'messages[1].role',
      'messages[1].role must be one of "system", "developer", "user", "assistant", "tool", "function".',
    ],
    [withMessage({ role: 'user' }), 'messages[0].content', 'messages[0].content is required.'],
    [
      withMessage({ role: 'user', content: null }),
      'messages[0].content',
      'messages[0].content must be a string or an array of objects.',
    ],
    [
      withMessage({ role: 'user', content: [{ text: 'x' }] }),
      'messages[0].content[0].type',
      'messages[0].content[0].type is required.',
    ],
    [
      withMessage({
        role: 'user',
        content: [{ type: 'video_url' }, { type: 'image_url', image_url: { url: '' } }],
      }),
      'messages[0].content[1].image_url.url',
      'messages[0].content[1].image_url.url must be a non-empty string.',
    ],
    [
      withMessage({ role: 'user', content: [{ type: 'text' }] }),
      'messages[0].content[0].text',
      'messages[0].content[0].text is required.',
    ],
    [
      withMessage({ role: 'user', content: [{ type: 'image_url', image_url: 'https://x' }] }),
      'messages[0].content[0].image_url',
      'messages[0].content[0].image_url must be an object.',
    ],
    [
      withMessage({ role: 'tool', content: 'x' }),
      'messages[0].tool_call_id',
      'messages[0].tool_call_id is required.',
    ],
    [
      withMessage({ role: 'assistant', content: null }),
      'messages[0].content',
      'messages[0].content is required unless the message has tool_calls.',
    ],
    [
      withMessage({
        role: 'assistant',
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: {} } }],
      }),
      'messages[0].tool_calls[0].function.arguments',
      'messages[0].tool_calls[0].function.arguments must be a string.',
    ],
    [
      withField({ tools: [{ type: 'web' }, { function: { name: 'f' } }] }),
      'tools[1].type',
      'tools[1].type is required.',
    ],
    [
      withField({ tools: [{ type: 'function', name: 'f' }] }),
      'tools[0].function',
      'tools[0].function is required.',
    ],
    [
      withField({ tool_choice: { type: 'function' } }),
      'tool_choice.function',
      'tool_choice.function is required.',
    ],
    [
      withField({ tool_choice: { type: 'tool' } }),
      'tool_choice.type',
      'tool_choice.type must be one of "function", "custom", "allowed_tools".',
    ],
    [withField({ stop: ['a', ''] }), 'stop[1]', 'stop[1] must be a non-empty string.'],
    [
      withField({ response_format: { type: 'xml' } }),
      'response_format.type',
      'response_format.type must be one of "text", "json_object", "json_schema".',
    ],
    [
      withField({ response_format: { type: 'json_schema' } }),
      'response_format.json_schema',
      'response_format.json_schema is required.',
    ],
    [
      withField({ stream_options: { include_usage: 'yes' } }),
      'stream_options.include_usage',
      'stream_options.include_usage must be a boolean.',
    ],
  ]
  for (const [body, param, message] of cases) {
    test(message, () => {
      const refusal = refusalOf(body)
      expect(refusal?.message).toBe(message)
      expect(refusal?.param ?? null).toBe(param)
      expect(refusal?.code).toBe('invalid_request')
    })
  }

  test('takes audio output, which can be relayed, and refuses any other', () => {
    expect(
      refusalOf(withField({ modalities: ['text', 'audio'], audio: { voice: 'x', format: 'wav' } })),
    ).toBeNull()
    const refusal = refusalOf(withField({ modalities: ['text', 'image'] }))
    expect(refusal?.code).toBe('unsupported_parameter')
    expect(refusal?.param).toBe('modalities')
  })
})
