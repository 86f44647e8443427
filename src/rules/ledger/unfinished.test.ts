import { expect, test } from 'bun:test'
import { NO_USAGE } from '../../conversation/usage.ts'
import { fillReport } from './unfinished.ts'

const reported = { ...NO_USAGE, input: 10, cacheRead: 90, output: 40 }
const counts = { estimatedPromptTokens: 110, leastPromptTokens: 13, countedOutputTokens: 40 }

test('a report of everything that was delivered stays as it is', () => {
  expect(fillReport(reported, counts)).toBe(reported)
})

test('an estimate within its error does not replace a report', () => {
  expect(fillReport(reported, { ...counts, countedOutputTokens: 50 })).toBe(reported)
  expect(fillReport(reported, { ...counts, countedOutputTokens: 3 })).toBe(reported)
})

test('an outdated output is replaced by what was delivered, and the exact prompt stays', () => {
  const early = { ...reported, output: 1 }
  expect(fillReport(early, { ...counts, countedOutputTokens: 300 })).toEqual({ ...early, output: 300 })
})

test.each([0, 1, 12])('a prompt of %d tokens is a placeholder for the estimate', (input) => {
  const filled = fillReport({ ...reported, input, cacheRead: 0 }, counts)
  expect(filled).toEqual({ ...reported, input: 110, cacheRead: 0 })
})

test('a prompt that is mostly cached is no placeholder', () => {
  const cached = { ...reported, input: 1, cacheRead: 12 }
  expect(fillReport(cached, counts)).toBe(cached)
})
