import { expect, test } from 'bun:test'
import { answerSmallTalk } from './chat.ts'

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
