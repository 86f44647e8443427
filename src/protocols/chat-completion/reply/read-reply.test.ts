import { describe, expect, test } from 'bun:test'
import { readReply } from './usage.ts'

const usage = { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 }
const choice = (message: unknown) => ({ index: 0, finish_reason: 'stop', message })

test('counts text, thinking, refusals and calls of all choices', () => {
  const reply = {
    usage,
    choices: [
      choice({ role: 'assistant', content: 'é😀', reasoning: 'why', reasoning_content: 'why' }),
      choice({
        content: null,
        tool_calls: [{ function: { name: 'f', arguments: '{}' } }, { custom: { name: 'g', input: 'i' } }],
      }),
      choice({ refusal: 'no', function_call: { name: 'h', arguments: '1' } }),
    ],
  }
  expect(readReply(reply)?.outputCharacters).toBe(3 + 3 + 3 + 2 + 2 + 2)
  expect(readReply(reply)?.usage).toMatchObject({ input: 9, output: 2 })
})

test('a reply without usage is still a reply', () => {
  expect(readReply({ choices: [choice({ content: 'x' })] })).toEqual({ usage: null, outputCharacters: 1 })
})

describe('not a reply', () => {
  test.each([
    [null],
    ['x'],
    [[]],
    [{}],
    [{ choices: [] }],
    [{ choices: 'x' }],
    [{ choices: [{ index: 0 }] }],
    [{ choices: [choice({ content: 'x' }), choice(null)] }],
    [{ choices: [{ ...choice({ content: 'x' }), error: { message: 'x' } }] }],
    [{ error: { message: 'x' } }],
    [{ error: { message: 'x' }, choices: [choice({ content: '' })] }],
  ])('%j', (body) => expect(readReply(body)).toBeNull())
})
