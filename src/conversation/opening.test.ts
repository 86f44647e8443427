import { expect, test } from 'bun:test'
import { openingText, upToFirst } from './opening.ts'

const ask = (content: unknown) => ({ role: 'user', content })
const SYSTEM = { role: 'system', content: 'Be brief.' }

test('an opening differs by each word, name, number and kind of its parts', () => {
  const parts = [
    ask('Hello'),
    ask('Hallo'),
    ask(['Hello']),
    ask([{ type: 'text', text: 'Hello' }]),
    ask([{ type: 'text', text: 'Hello', cache: true }]),
    ask([{ type: 'text', text: 'Hello', cache: false }]),
    ask(null),
    { role: 'user', name: 'Hello' },
  ]
  const texts = parts.map((part) => openingText([SYSTEM, part]))
  expect(new Set(texts).size).toBe(parts.length)
})

test('only the beginning of long texts and long lists counts', () => {
  const long = 'x'.repeat(2_048)
  expect(openingText([ask(`${long}one`)])).toBe(openingText([ask(`${long}two`)]))
  expect(openingText([ask(`${long.slice(1)}one`)])).not.toBe(openingText([ask(`${long.slice(1)}two`)]))
  const many = Array.from({ length: 64 }, (_, index) => index)
  expect(openingText([ask([...many, 'one'])])).toBe(openingText([ask([...many, 'two'])]))
})

test('there is none without parts', () => {
  expect(openingText([])).toBeNull()
  expect(openingText(upToFirst([SYSTEM], ({ role }) => role === 'user'))).toBeNull()
})

test('later turns do not change it', () => {
  const isQuestion = ({ role }: { role: string }) => role === 'user'
  const first = [SYSTEM, ask('Hello')]
  const later = [...first, { role: 'assistant', content: 'Good day.' }, ask('Go on.')]
  expect(openingText(upToFirst(later, isQuestion))).toBe(openingText(upToFirst(first, isQuestion)))
})
