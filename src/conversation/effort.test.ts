import { expect, test } from 'bun:test'
import { EFFORTS, type Effort, effortOf, nearestEffort } from './effort.ts'

test.each([
  [0, 'none'],
  [1, 'low'],
  [1024, 'low'],
  [1025, 'medium'],
  [8192, 'medium'],
  [24_576, 'high'],
  [24_577, 'xhigh'],
] as const)('a budget of %d is effort %s', (tokens, effort) =>
  expect(effortOf({ control: { type: 'budget', tokens }, showThoughts: null })).toBe(effort),
)

test('a model that decides for itself has no effort', () => {
  expect(effortOf({ control: { type: 'adaptive' }, showThoughts: true })).toBeNull()
  expect(effortOf({ control: { type: 'unspecified' }, showThoughts: true })).toBeNull()
})

const cases: readonly (readonly [Effort, readonly Effort[], Effort | null])[] = [
  ['none', ['minimal', 'low'], 'minimal'],
  ['minimal', ['none', 'low', 'high'], 'low'],
  ['medium', ['low', 'high'], 'low'],
  ['max', ['low', 'medium', 'high'], 'high'],
  ['xhigh', EFFORTS, 'xhigh'],
  ['high', ['none'], null],
  ['high', [], null],
]
test.each(cases)('%s among %p is %p', (wanted, taken, nearest) =>
  expect(nearestEffort(wanted, taken)).toBe(nearest),
)
