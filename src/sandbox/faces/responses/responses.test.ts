import { describe, expect, test } from 'bun:test'
import { openScene, refusalOf } from '../testing/open-scene.ts'
import { responses } from './index.ts'

const call = (call_id: string, fields: object = {}) => ({
  type: 'function_call',
  call_id,
  name: `f-${call_id}`,
  arguments: '{}',
  ...fields,
})
const output = (call_id: string) => ({ type: 'function_call_output', call_id, output: 'done' })

function read(fields: object) {
  return openScene(responses, { model: 'm', input: 'Hi', ...fields }, { path: '/v1/responses' }).ask
}

describe('reading a request', () => {
  test('takes nulls for absent fields', () => {
    const ask = read({
      instructions: null,
      tools: null,
      tool_choice: null,
      reasoning: null,
      text: null,
      max_output_tokens: null,
    })
    expect(ask).toMatchObject({
      instructions: [],
      tools: [],
      toolChoice: { type: 'auto' },
      maxOutputTokens: null,
    })
  })

  test('keeps instructions apart from turns', () => {
    const input = [
      { role: 'developer', content: [{ type: 'input_text', text: 'b' }] },
      { type: 'message', role: 'user', content: 'Hi' },
      { role: 'assistant', content: [{ type: 'output_text', text: 'Yes?' }] },
      { type: 'web_search_call', id: 'ws_1' },
    ]
    const ask = read({ instructions: 'a', input })
    expect(ask.instructions).toEqual(['a', 'b'])
    expect(ask.turns.map(({ role, text }) => [role, text])).toEqual([
      ['user', 'Hi'],
      ['assistant', 'Yes?'],
    ])
  })

  test('finds the tool behind an output, wherever it stands', () => {
    const ask = read({ input: [call('1'), call('2'), output('2'), output('1')] })
    expect(ask.turns.map(({ toolName }) => toolName)).toEqual([null, null, 'f-2', 'f-1'])
  })
})

describe('refusing a request names the field', () => {
  const WRONG: [field: string, fields: object][] = [
    ['stop', { stop: ['x'] }],
    ['n', { n: 2 }],
    ['max_output_tokens', { max_output_tokens: 15 }],
    ['input[0].content[0].type', { input: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }] }],
    [
      'input[0].content[0].type',
      { input: [{ role: 'assistant', content: [{ type: 'input_text', text: 'Hi' }] }] },
    ],
    ['input[0].role', { input: [{ role: 'tool', content: 'Hi' }] }],
    ['input[0].arguments', { input: [call('1', { arguments: {} })] }],
    ['input[0].call_id', { input: [output('1')] }],
    ['input', { input: [call('1')] }],
    ['input[0]', { input: [{ type: 'item_reference', id: 'msg_1' }] }],
    ['input[0]', { input: [{ type: 'telepathy' }] }],
    ['input', { input: [{ role: 'user', content: [{ type: 'input_image', image_url: 'cat.png' }] }] }],
    ['tools[0].name', { tools: [{ type: 'function', function: { name: 'f' } }] }],
    ['text.format.schema', { text: { format: { type: 'json_schema', name: 'x' } } }],
    ['previous_response_id', { previous_response_id: 'resp_1' }],
  ]
  for (const [field, fields] of WRONG) {
    test(`${field} in ${JSON.stringify(fields).slice(0, 60)}`, () => {
      expect(refusalOf(() => read(fields))).toMatchObject({ kind: 'bad-request', field })
    })
  }
})
