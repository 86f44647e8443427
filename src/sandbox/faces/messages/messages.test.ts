import { describe, expect, test } from 'bun:test'
import { openScene, refusalOf } from '../testing/open-scene.ts'
import { messages } from './index.ts'

const PATH = '/v1/messages'
const OLD_VERSION = { 'anthropic-version': '2023-06-01' }
const user = (...content: object[]) => ({ role: 'user', content })
const assistant = (...content: object[]) => ({ role: 'assistant', content })
const text = (words: string) => ({ type: 'text', text: words })
const use = (id: string) => ({ type: 'tool_use', id, name: 'f', input: {} })
const result = (id: string, fields: object = {}) => ({ type: 'tool_result', tool_use_id: id, ...fields })
const hello = { role: 'user', content: 'Hi' }
const tools = [{ name: 'f', input_schema: { type: 'object' } }]
const thinking = { type: 'enabled', budget_tokens: 1024 }
const schema = (node: object) => ({ output_config: { format: { type: 'json_schema', schema: node } } })

function read(fields: object, headers: Record<string, string> = OLD_VERSION) {
  const body = { model: 'm', max_tokens: 2000, messages: [hello], ...fields }
  return openScene(messages, body, { path: PATH, headers }).ask
}

describe('reading a request', () => {
  test('puts neighbours of one role together and takes results for turns of their own', () => {
    const ask = read({
      tools,
      messages: [
        hello,
        assistant(use('a'), use('b')),
        user(result('a', { content: '1' })),
        user(result('b'), text('Go on')),
      ],
    })
    expect(ask.turns.map(({ role, text, toolName }) => [role, text, toolName])).toEqual([
      ['user', 'Hi', null],
      ['assistant', '{"name":"f","input":{}}\n{"name":"f","input":{}}', null],
      ['tool', '1', 'f'],
      ['tool', '', 'f'],
      ['user', 'Go on', null],
    ])
  })

  test('gathers instructions from everywhere', () => {
    const ask = read({
      system: [text('a')],
      messages: [hello, { role: 'system', content: 'b' }],
    })
    expect(ask.instructions).toEqual(['a', 'b'])
    expect(ask.turns).toHaveLength(1)
  })

  test('passes over tools that it would have to run itself', () => {
    expect(
      read({ tools: [{ type: 'web_search_20250305', name: 'web_search' }, ...tools] }).tools,
    ).toHaveLength(1)
  })

  test('knows what is wished of thinking', () => {
    expect(read({}).thinking).toBe('unsaid')
    expect(read({ thinking }).thinking).toBe('asked')
    expect(read({ thinking: { type: 'adaptive' } }).thinking).toBe('asked')
    expect(read({ thinking: { type: 'disabled' } }).thinking).toBe('declined')
  })
})

describe('refusing a request', () => {
  const WRONG: [message: string, fields: object][] = [
    ['max_tokens: Field required', { max_tokens: undefined }],
    ['stop: Extra inputs are not permitted', { stop: ['x'] }],
    ['temperature: must be <= 1', { temperature: 1.5 }],
    ['messages: at least one message is required', { messages: [] }],
    ['first message must use the "user" role', { messages: [assistant(text('Hi')), hello] }],
    ['does not support assistant message prefill', { messages: [hello, assistant(text('Well'))] }],
    ['text content blocks must be non-empty', { messages: [user(text(''))] }],
    ['must contain non-whitespace text', { messages: [user(text(' \n'))] }],
    ['messages.0: user messages must have non-empty content', { messages: [user()] }],
    ['system: text content blocks must be non-empty', { system: [text('')] }],
    ["messages.0.content.0: Input tag 'tool_use'", { messages: [user(use('a'))] }],
    [
      'messages.1.content.0.tool_use.id: must match pattern',
      { tools, messages: [hello, assistant(use('a b')), user()] },
    ],
    [
      'without `tool_result` blocks immediately after: b',
      { tools, messages: [hello, assistant(use('a'), use('b')), user(result('a'))] },
    ],
    [
      'without `tool_result` blocks immediately after: a',
      { tools, messages: [hello, assistant(use('a')), user(text('Wait'), result('a'))] },
    ],
    ['without `tool_result` blocks immediately after: a', { tools, messages: [hello, assistant(use('a'))] }],
    ['unexpected `tool_use_id`', { tools, messages: [user(result('a'))] }],
    [
      'must have a single result',
      { tools, messages: [hello, assistant(use('a')), user(result('a'), result('a'))] },
    ],
    [
      'ids must be unique',
      {
        tools,
        messages: [hello, assistant(use('a')), user(result('a')), assistant(use('a')), user(result('a'))],
      },
    ],
    ['must define tools', { messages: [hello, assistant(use('a')), user(result('a'))] }],
    ['only be specified while providing `tools`', { tool_choice: { type: 'any' } }],
    ['tools.0.custom.input_schema: Field required', { tools: [{ name: 'f' }] }],
    ['tools.0.name: must match pattern', { tools: [{ ...tools[0], name: 'a.b' }] }],
    ['each stop sequence must contain non-whitespace', { stop_sequences: ['\n'] }],
    ['greater than `thinking.budget_tokens`', { thinking, max_tokens: 1024 }],
    ['thinking.budget_tokens: must be >= 1024', { thinking: { ...thinking, budget_tokens: 1 } }],
    ['may only be set to 1 when thinking', { thinking, temperature: 0 }],
    ['when tool_choice forces tool use', { thinking, tools, tool_choice: { type: 'any' } }],
    ["'additionalProperties' must be explicitly set to false", schema({ type: 'object' })],
    [
      "property 'minimum' is not supported",
      schema({
        type: 'object',
        additionalProperties: false,
        properties: { a: { type: 'number', minimum: 1 } },
      }),
    ],
    [
      'image.source.media_type',
      {
        messages: [
          user({ type: 'image', source: { type: 'base64', media_type: 'image/tiff', data: 'AA==' } }),
        ],
      },
    ],
  ]
  for (const [message, fields] of WRONG) {
    test(`${message} for ${JSON.stringify(fields).slice(0, 60)}`, () => {
      expect(refusalOf(() => read(fields))).toMatchObject({
        kind: 'bad-request',
        message: expect.stringContaining(message),
      })
    })
  }

  test('without a version, and sampling under a version that has none', () => {
    expect(refusalOf(() => read({}, {})).message).toBe('anthropic-version: header is required')
    const newVersion = { 'anthropic-version': '2026-10-21' }
    expect(refusalOf(() => read({ temperature: 1 }, newVersion)).field).toBe('temperature')
    expect(read({ temperature: 1 }).model).toBe('m')
  })

  test('bounds on an answer when only its prompt is to be counted', () => {
    const count = (fields: object) =>
      openScene(
        messages,
        { model: 'm', messages: [hello], ...fields },
        { path: `${PATH}/count_tokens`, headers: OLD_VERSION },
      )
    expect(count({}).type).toBe('count')
    expect(refusalOf(() => count({ max_tokens: 5 })).message).toBe(
      'max_tokens: Extra inputs are not permitted',
    )
  })
})
