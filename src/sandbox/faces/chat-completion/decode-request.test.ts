import { describe, expect, test } from 'bun:test'
import { SandboxError } from '../../sandbox-error.ts'
import { decodeRequest } from './decode-request.ts'
import { checkRequest } from './schema.ts'

const user = { role: 'user', content: 'Hi' }
const tool = (name: string) => ({ type: 'function', function: { name } })
const calls = (...ids: string[]) => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: `f-${id}`, arguments: '{}' } })),
})
const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'done' })

describe('reading a request', () => {
  test('takes nulls for absent fields', () => {
    const ask = read({
      stop: null,
      n: null,
      max_tokens: null,
      tools: null,
      tool_choice: null,
      response_format: null,
    })
    expect(ask).toMatchObject({ stopSequences: [], choices: 1, maxOutputTokens: null, tools: [] })
  })

  test('prefers max_completion_tokens', () => {
    expect(read({ max_tokens: 5, max_completion_tokens: 3 }).maxOutputTokens).toBe(3)
  })

  test('keeps instructions apart from turns', () => {
    const messages = [
      { role: 'system', content: 'a' },
      { role: 'developer', content: [{ type: 'text', text: 'b' }] },
      user,
    ]
    const ask = read({ messages })
    expect(ask.instructions).toEqual(['a', 'b'])
    expect(ask.turns).toHaveLength(1)
  })

  test('offers only allowed tools', () => {
    const tool_choice = { type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [tool('b')] } }
    const ask = read({ tools: [tool('a'), tool('b')], tool_choice })
    expect(ask.tools.map(({ name }) => name)).toEqual(['b'])
    expect(ask.toolChoice).toEqual({ type: 'required' })
  })

  test('finds the tool behind a result', () => {
    const ask = read({ messages: [user, calls('1', '2'), result('2'), result('1')] })
    expect(ask.turns.map(({ toolName }) => toolName)).toEqual([null, null, 'f-2', 'f-1'])
  })
})

describe('refusing a request names the field', () => {
  const WRONG: [field: string, fields: object][] = [
    ['messages', { messages: [] }],
    ['messages[1].role', { messages: [user, { role: 'robot', content: '' }] }],
    ['messages[2].role', { messages: [user, calls('1')] }],
    ['messages[3].role', { messages: [user, calls('1', '2'), result('1'), user] }],
    ['messages[1].tool_call_id', { messages: [user, result('1')] }],
    ['n', { n: 0 }],
    ['temperature', { temperature: 3 }],
    ['tools[0].function', { tools: [{ type: 'function' }] }],
    ['tools[0].function.name', { tools: [tool('with space')] }],
    ['response_format.json_schema', { response_format: { type: 'json_schema' } }],
  ]
  for (const [field, fields] of WRONG) {
    test(`${field} in ${JSON.stringify(fields).slice(0, 60)}`, () => {
      expect(refusalOf(() => read(fields)).field).toBe(field)
    })
  }

  test('and a missing one', () => {
    expect(refusalOf(() => checkRequest({ model: 'm' })).message).toBe(
      "Missing required parameter: 'messages'.",
    )
  })
})

function read(fields: object) {
  return decodeRequest(checkRequest({ model: 'm', messages: [user], ...fields }))
}

function refusalOf(action: () => unknown): SandboxError {
  try {
    action()
  } catch (error) {
    if (error instanceof SandboxError) return error
    throw error
  }
  throw new Error('Nothing was refused.')
}
