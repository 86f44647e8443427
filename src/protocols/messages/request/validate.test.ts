import { describe, expect, test } from 'bun:test'
import { GatewayError } from '../../../errors/gateway-error.ts'
import { validateCount, validateRequest } from './validate.ts'

const MINIMAL = { model: 'm', max_tokens: 5, messages: [{ role: 'user', content: 'hi' }] }

function refusalOf(
  body: unknown,
  validate: (body: unknown) => unknown = validateRequest,
): GatewayError | null {
  try {
    validate(body)
    return null
  } catch (error) {
    if (error instanceof GatewayError) return error
    throw error
  }
}

const withField = (fields: object) => ({ ...MINIMAL, ...fields })
const withBlocks = (...content: unknown[]) => withField({ messages: [{ role: 'user', content }] })

describe('spec 4.3 and 8.5 bounds, from both sides', () => {
  const bounds: readonly (readonly [string, readonly unknown[], readonly unknown[], string])[] = [
    ['temperature', [0, 0.5, 1, null], [-0.001, 1.001, '1', true], 'a number from 0 to 1'],
    ['top_p', [0, 1, null], [-0.1, 1.1, '0.5'], 'a number from 0 to 1'],
    ['top_k', [0, 40, null], [1.5, -1, 'x'], 'an integer of at least 0'],
    ['max_tokens', [0, 1, 64_000], [-1, 1.5, '5', null, 1e300], 'an integer from 0 to 2147483647'],
    ['stream', [true, false, null], ['true', 1], 'a boolean'],
    ['stop_sequences', [[], ['a', ' '], null], ['a', [1]], 'an array of strings'],
    ['system', ['', 's', [{ type: 'text', text: 's' }], null], [7, {}], 'a string or an array of objects'],
    ['tools', [[], null], ['f', {}], 'an array of objects'],
    ['metadata', [{}, { user_id: 'u' }, { user_id: null, x: 1 }, null], ['x', []], 'an object'],
    ['output_config', [{}, { effort: 'max' }, { format: null }, null], ['x'], 'an object'],
  ]
  for (const [name, accepted, refused, takes] of bounds) {
    test(`${name} takes ${takes}`, () => {
      for (const value of accepted) expect(refusalOf(withField({ [name]: value }))).toBeNull()
      for (const value of refused) {
        const refusal = refusalOf(withField({ [name]: value }))
        expect(refusal?.code).toBe('invalid_request')
        expect(refusal?.param).toStartWith(name)
        if (refusal?.param === name) expect(refusal.message).toBe(`${name} must be ${takes}.`)
      }
    })
  }

  test('requires model, max_tokens and messages; a count needs no max_tokens', () => {
    for (const name of ['model', 'max_tokens', 'messages']) {
      expect(refusalOf({ ...MINIMAL, [name]: undefined })?.param).toBe(name)
    }
    const { max_tokens: _absent, ...counted } = MINIMAL
    expect(refusalOf(counted)?.message).toBe('max_tokens is required.')
    expect(refusalOf(counted, validateCount)).toBeNull()
    expect(refusalOf({ ...counted, messages: [] }, validateCount)?.param).toBe('messages')
  })
})

describe('accepted, as real clients send it', () => {
  const bodies: Readonly<Record<string, unknown>> = {
    'unknown fields': withField({ context_management: { edits: [] }, speed: 'fast', betas: ['x'] }),
    'unknown blocks': withBlocks({ type: 'novelty', x: { y: 1 } }, { type: 'document', source: {} }),
    'unknown tools': withField({ tools: [{ type: 'code_execution_2099', x: 1 }, { type: 'mcp_toolset' }] }),
    'typed tools': withField({ tools: [{ type: 'bash_20250124', name: 'bash' }] }),
    tools: withField({
      tools: [
        { name: 'f', input_schema: {}, defer_loading: true, type: null },
        {
          name: 'g',
          type: 'custom',
          input_schema: { type: 'object' },
          description: null,
          strict: true,
          cache_control: null,
        },
      ],
    }),
    'system between turns': withField({
      messages: [
        { role: 'user', content: 'a' },
        { role: 'system', content: [{ type: 'text', text: 'b' }] },
      ],
    }),
    pictures: withBlocks(
      { type: 'image', source: { type: 'url', url: 'https://a.example' } },
      { type: 'image', source: { type: 'file', file_id: 'f' }, transformations: [] },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
    ),
    results: withBlocks(
      { type: 'tool_result', tool_use_id: 'a' },
      { type: 'tool_result', tool_use_id: 'b', content: '', is_error: null },
      { type: 'tool_result', tool_use_id: 'c', content: [{ type: 'text', text: '' }, { type: 'novelty' }] },
    ),
    history: withField({
      messages: [
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: '', signature: 's' },
            { type: 'redacted_thinking', data: 'd' },
            { type: 'tool_use', id: 'a', name: 'f', input: null, caller: { type: 'direct' } },
            { type: 'text', text: '', citations: null },
          ],
        },
      ],
    }),
    'adaptive thinking': withField({ thinking: { type: 'adaptive', display: 'odd' } }),
    'thinking between tools': withField({ thinking: { type: 'between_tools' } }),
    thinking: withField({ thinking: { type: 'enabled', budget_tokens: 1 } }),
    'null fields': withField({ thinking: null, tool_choice: null, cache_control: null, container: null }),
    choices: withField({ tool_choice: { type: 'tool', name: 'f', disable_parallel_tool_use: true } }),
  }
  for (const [name, body] of Object.entries(bodies))
    test(name, () => expect(refusalOf(body)?.message).toBeUndefined())
})

describe('refused, by name', () => {
  const cases: readonly (readonly [unknown, string | null, string])[] = [
    [[], null, 'The body must be a JSON object.'],
    [
      withField({ messages: [{ role: 'tool', content: '' }] }),
      'messages[0].role',
      'messages[0].role must be one of "user", "assistant", "system".',
    ],
    [withField({ messages: [{ role: 'user' }] }), 'messages[0].content', 'messages[0].content is required.'],
    [withBlocks({ text: 'x' }), 'messages[0].content[0].type', 'messages[0].content[0].type is required.'],
    [withBlocks({ type: 'text' }), 'messages[0].content[0].text', 'messages[0].content[0].text is required.'],
    [
      withField({ system: [{ type: 'text', text: 1 }] }),
      'system[0].text',
      'system[0].text must be a string.',
    ],
    [
      withBlocks({ type: 'image', source: { type: 'base64', data: 'x' } }),
      'messages[0].content[0].source.media_type',
      'messages[0].content[0].source.media_type is required.',
    ],
    [
      withBlocks({ type: 'image', source: { type: 'ftp' } }),
      'messages[0].content[0].source.type',
      'messages[0].content[0].source.type must be one of "base64", "url", "file".',
    ],
    [
      withBlocks({ type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: null }] }),
      'messages[0].content[0].content[0].text',
      'messages[0].content[0].content[0].text must be a string.',
    ],
    [withField({ tools: [{ name: 'f' }] }), 'tools[0].input_schema', 'tools[0].input_schema is required.'],
    [
      withField({ tools: [{ name: '', input_schema: {} }] }),
      'tools[0].name',
      'tools[0].name must be a non-empty string.',
    ],
    [withField({ tool_choice: { type: 'tool' } }), 'tool_choice.name', 'tool_choice.name is required.'],
    [
      withField({ tool_choice: { type: 'maybe' } }),
      'tool_choice.type',
      'tool_choice.type must be one of "auto", "any", "tool", "none".',
    ],
    [
      withField({ thinking: { type: 'novel' } }),
      'thinking.type',
      'thinking.type must be one of "enabled", "disabled", "adaptive", "between_tools".',
    ],
    [
      withField({ thinking: { type: 'enabled' } }),
      'thinking.budget_tokens',
      'thinking.budget_tokens is required when thinking.type is "enabled".',
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
})

test('a thread is refused in the words on which official clients send everything again', () => {
  const refusal = refusalOf(withField({ thread: { type: 'continue', previous_message_id: 'msg_1' } }))
  expect(refusal).toMatchObject({
    code: 'unsupported_parameter',
    param: 'thread',
    facts: { error_code: 'thread_unsupported_request', unsupported: ['thread'] },
  })
  expect(refusalOf(withField({ thread: null }))).toBeNull()
})
