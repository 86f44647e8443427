import { expect, test } from 'bun:test'
import { NO_USAGE } from '../../conversation/usage.ts'
import { type AbandonedCall, owedForAbandoned } from './abort.ts'

const CALL: AbandonedCall = { policy: 'prompt', calls: 1, reported: null, estimatedPromptTokens: 50 }

test('a supplier that charges is owed the estimated prompt, for each call that it has received', () => {
  expect(owedForAbandoned(CALL)).toEqual({ ...NO_USAGE, input: 50 })
  expect(owedForAbandoned({ ...CALL, calls: 3 })).toEqual({ ...NO_USAGE, input: 150 })
})

test('nothing is owed to one that does not charge, or that never had the request', () => {
  expect(owedForAbandoned({ ...CALL, policy: 'free' })).toBeNull()
  expect(owedForAbandoned({ ...CALL, calls: 0 })).toBeNull()
})

test('a prompt that the supplier has reported is exact, and no output is charged', () => {
  const reported = { ...NO_USAGE, input: 7, cacheRead: 100, cacheWrite: 20, output: 1, reasoning: 1 }
  expect(owedForAbandoned({ ...CALL, reported })).toEqual({ ...reported, output: 0, reasoning: 0 })
})

test('a report without a prompt is none', () => {
  expect(owedForAbandoned({ ...CALL, reported: { ...NO_USAGE, output: 1 } })?.input).toBe(50)
})
