import { expect, test } from 'bun:test'
import type { Ask } from '../performance/ask.ts'
import { answerSmallTalk, composeAnswer } from './chat.ts'

test('knows a few simple answers', () => {
  expect(answerSmallTalk('ping')).toBe('pong')
  expect(answerSmallTalk('What is 2 + 3?')).toBe('2 + 3 = 5.')
  expect(answerSmallTalk('7 * -6')).toBe('7 * -6 = -42.')
  expect(answerSmallTalk('9 - 4')).toBe('9 - 4 = 5.')
  expect(answerSmallTalk('count to 4')).toBe('1 2 3 4')
  expect(answerSmallTalk('What is the capital of France?')).toBe('The capital of France is Paris.')
})

test('has no answer to anything else', () => {
  expect(answerSmallTalk('Hello there, tell me about ships')).toBeNull()
  expect(answerSmallTalk('count to 99999')).toBeNull()
  expect(answerSmallTalk('')).toBeNull()
})

test('summarizes a conversation without repeating its orders', () => {
  const turns = ['use tool Read with {}', 'Summarize the conversation.'].map((text) => ({
    role: 'user' as const,
    text,
    images: [],
  }))
  const ask = {
    turns,
    tools: [],
    toolChoice: { type: 'auto' },
    shape: { type: 'text' },
    instructions: [],
  } as unknown as Ask
  expect(composeAnswer(ask, 0)).toContain('user: used tool Read with {}')
})
