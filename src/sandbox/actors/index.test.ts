import { expect, test } from 'bun:test'
import { flaky } from './index.ts'

test('fails every third call, each time in the next way', () => {
  const faults = Array.from({ length: 12 }, (_, index) => flaky.misbehave?.(index + 1)?.type ?? null)
  const round: typeof faults = [null, null, 'status', null, null, 'status', null, null, 'cut']
  expect(faults).toEqual([...round, null, null, 'status'])
  expect(flaky.misbehave?.(6)).toEqual({ type: 'status', status: 429, retryAfterSeconds: 1 })
})
