import { describe, expect, test } from 'bun:test'
import { GatewayError } from '../../../errors/gateway-error.ts'
import { validateRequest } from './validate.ts'

const MINIMAL = { model: 'm', input: 'hi' }
const withField = (fields: object) => ({ ...MINIMAL, ...fields })
const withItem = (...input: unknown[]) => ({ ...MINIMAL, input })

function refusalOf(body: unknown): GatewayError | null {
  try {
    validateRequest(body)
    return null
  } catch (error) {
    if (error instanceof GatewayError) return error
    throw error
  }
}

describe('spec 4.2 and 8.5 bounds, from both sides', () => {
  const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']
  const bounds: readonly (readonly [string, readonly unknown[], readonly unknown[], string])[] = [
    ['temperature', [0, 2, null], [-0.001, 2.001, '1', true], 'a number from 0 to 2'],
    ['top_p', [0, 1, null], [-0.1, 1.1, '0.5'], 'a number from 0 to 1'],
    ['max_output_tokens', [1, 100_000, null], [0, -1, 1.5, '5', 1e300], 'an integer from 1 to 2147483647'],
    ['top_logprobs', [0, 20, null], [-1, 21], 'an integer from 0 to 20'],
    ['stream', [true, false, null], ['true', 1], 'a boolean'],
    ['store', [true, false, null], ['no'], 'a boolean'],
    ['parallel_tool_calls', [true, null], ['x'], 'a boolean'],
    ['instructions', ['', 'x', null], [7, []], 'a string'],
    ['metadata', [{}, { a: 'b' }, null], ['x', []], 'an object'],
    ['tools', [[], null], [{}, 'f'], 'an array of objects'],
    ['include', [[], ['x'], null], ['x', [7]], 'an array of strings'],
    ['previous_response_id', ['resp_1', null], [7], 'a string'],
    [
      'tool_choice',
      ['auto', 'none', 'required', { type: 'web_search' }, null],
      ['any', 5],
      'one of "auto", "none", "required" or an object',
    ],
  ]
  for (const [name, accepted, refused, takes] of bounds) {
    test(`${name} takes ${takes}`, () => {
      for (const value of accepted) expect(refusalOf(withField({ [name]: value }))?.message).toBeUndefined()
      for (const value of refused) {
        const refusal = refusalOf(withField({ [name]: value }))
        expect(refusal?.param).toStartWith(name)
        expect(refusal?.code).toBe('invalid_request')
        if (refusal?.param === name) expect(refusal.message).toBe(`${name} must be ${takes}.`)
      }
    })
  }

  test('reasoning.effort', () => {
    for (const effort of [...efforts, null])
      expect(refusalOf(withField({ reasoning: { effort } }))).toBeNull()
    expect(refusalOf(withField({ reasoning: { effort: 'extreme' } }))).toMatchObject({
      param: 'reasoning.effort',
      message: `reasoning.effort must be one of ${efforts.map((each) => `"${each}"`).join(', ')}.`,
    })
  })
})

test('refuses prompt, and says what to send instead', () => {
  for (const value of [true, 'conv_1', { id: 'x' }]) {
    expect(refusalOf(withField({ prompt: value }))).toMatchObject({
      code: 'unsupported_parameter',
      param: 'prompt',
      message:
        'prompt names a template stored at a vendor, which this gateway cannot read. Send its text as instructions and input.',
    })
  }
  expect(refusalOf(withField({ prompt: null }))).toBeNull()
})

describe('accepts what real clients send', () => {
  const bodies: Readonly<Record<string, unknown>> = {
    'unknown fields': withField({ client_metadata: { a: 1 }, context_management: [{}], whatever: 7 }),
    'instructions alone': { model: 'm', input: [], instructions: 'x' },
    'messages without a type, in all roles': withItem(
      { role: 'user', content: 'a' },
      { role: 'assistant', content: [{ type: 'input_text', text: 'b' }], phase: 'final_answer' },
      { role: 'system', content: '' },
      { role: 'developer', content: [] },
    ),
    'an answer sent back': withItem(
      { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: null, status: null, content: null },
      {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        status: 'completed',
        content: [
          { type: 'output_text', text: 'x', annotations: [], logprobs: [] },
          { type: 'refusal', refusal: 'no' },
        ],
      },
      { type: 'function_call', id: 'fc_1', call_id: 'c', name: 'f', arguments: { a: 1 }, namespace: 'n' },
      { type: 'function_call_output', call_id: 'c', output: [{ type: 'input_text', text: 'x' }] },
      { type: 'custom_tool_call', call_id: 'd', name: 'g', input: '' },
      { type: 'custom_tool_call_output', call_id: 'd', output: '' },
    ),
    'parts of every kind': withItem({
      role: 'user',
      content: [
        { type: 'input_image', image_url: 'https://a.example/x.png', detail: 'original' },
        { type: 'input_image', file_id: 'file_1', image_url: null },
        { type: 'input_file', file_data: 'data:', filename: 'a.pdf' },
        { type: 'input_audio', input_audio: {} },
        { type: 'something_new', deep: [{}] },
      ],
    }),
    'items of every other kind': withItem(
      ...[
        'web_search_call',
        'file_search_call',
        'computer_call',
        'computer_call_output',
        'code_interpreter_call',
        'image_generation_call',
        'mcp_call',
        'mcp_approval_response',
        'shell_call_output',
        'apply_patch_call',
        'tool_search_output',
        'compaction',
        'something_new',
      ].map((type) => ({ type, id: 'x', encrypted_content: 'x', output: [{ type: 'logs', logs: '' }] })),
    ),
    'tools of every kind': withField({
      tools: [
        { type: 'function', name: 'f' },
        {
          type: 'function',
          name: 'g',
          parameters: null,
          strict: null,
          description: null,
          defer_loading: true,
        },
        { type: 'custom', name: 'c', format: { type: 'grammar', syntax: 'lark', definition: 'x' } },
        { type: 'namespace', name: 'n', description: 'd', tools: [{ type: 'function', name: 'f' }] },
        { type: 'web_search', external_web_access: true },
        { type: 'mcp', server_label: 's' },
      ],
      tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'f' }] },
    }),
    formats: withField({
      text: { format: { type: 'json_schema', name: 'n', schema: {}, strict: true }, verbosity: 'low' },
      reasoning: { effort: null, summary: 'detailed', context: 'auto' },
    }),
  }
  for (const [name, body] of Object.entries(bodies)) {
    test(name, () => expect(refusalOf(body)?.message).toBeUndefined())
  }
})

describe('refuses and names the field', () => {
  const cases: readonly (readonly [unknown, string | null, string])[] = [
    [null, null, 'The body must be a JSON object.'],
    [{}, 'model', 'model is required.'],
    [{ model: 'm' }, 'input', 'input is required.'],
    [withField({ model: '' }), 'model', 'model must be a non-empty string.'],
    [withField({ input: '' }), 'input', 'input must not be empty.'],
    [withField({ input: [] }), 'input', 'input must not be empty.'],
    [withField({ input: 7 }), 'input', 'input must be a string or an array of objects.'],
    [withItem('hi'), 'input[0]', 'input[0] must be an object.'],
    [
      withItem({ role: 'tool', content: 'x' }),
      'input[0].role',
      'input[0].role must be one of "user", "assistant", "system", "developer".',
    ],
    [withItem({ role: 'user' }), 'input[0].content', 'input[0].content is required.'],
    [
      withItem({ role: 'user', content: [{ type: 'input_text' }] }),
      'input[0].content[0].text',
      'input[0].content[0].text is required.',
    ],
    [
      withItem({ role: 'user', content: [{ text: 'x' }] }),
      'input[0].content[0].type',
      'input[0].content[0].type is required.',
    ],
    [
      withItem({ role: 'user', content: [{ type: 'input_image', image_url: { url: 'x' } }] }),
      'input[0].content[0].image_url',
      'input[0].content[0].image_url must be a non-empty string.',
    ],
    [
      withItem({ type: 'function_call', name: 'f', arguments: '{}' }),
      'input[0].call_id',
      'input[0].call_id is required.',
    ],
    [
      withItem({ type: 'function_call_output', call_id: 'c', output: 7 }),
      'input[0].output',
      'input[0].output must be a string or an array of objects.',
    ],
    [
      withItem({ type: 'item_reference', id: 'msg_1' }),
      'input[0]',
      'input[0] refers to an item that is not stored here.',
    ],
    [withItem({ id: 'msg_1' }), 'input[0]', 'input[0] refers to an item that is not stored here.'],
    [withField({ tools: [{ name: 'f' }] }), 'tools[0].type', 'tools[0].type is required.'],
    [withField({ tools: [{ type: 'function' }] }), 'tools[0].name', 'tools[0].name is required.'],
    [
      withField({ tools: [{ type: 'namespace', name: 'n', tools: [{ type: 'function' }] }] }),
      'tools[0].tools[0].name',
      'tools[0].tools[0].name is required.',
    ],
    [withField({ tool_choice: { type: 'function' } }), 'tool_choice.name', 'tool_choice.name is required.'],
    [withField({ tool_choice: {} }), 'tool_choice.type', 'tool_choice.type is required.'],
    [
      withField({ text: { format: { type: 'xml' } } }),
      'text.format.type',
      'text.format.type must be one of "text", "json_object", "json_schema".',
    ],
    [
      withField({ text: { format: { type: 'json_schema', name: 'n' } } }),
      'text.format.schema',
      'text.format.schema is required.',
    ],
  ]
  for (const [body, param, message] of cases) {
    test(message, () => {
      const refusal = refusalOf(body)
      expect(refusal?.message).toBe(message)
      expect(refusal?.param ?? null).toBe(param)
    })
  }
})
