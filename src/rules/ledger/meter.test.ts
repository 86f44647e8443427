import { expect, test } from 'bun:test'
import { NO_USAGE } from '../../conversation/usage.ts'
import { meter } from './meter.ts'

const reported = { ...NO_USAGE, input: 100, cacheRead: 7, output: 30 }
const ending = {
  outcome: 'completed',
  hasDelivered: true,
  reported,
  countedOutputTokens: 20,
  estimatedPromptTokens: 90,
} as const
const counted = { ...NO_USAGE, input: 90, output: 20 }

test('a normal end with a report: the report', () => {
  expect(meter(ending)).toEqual({ usage: reported, provenance: 'supplier' })
})

test('a normal end is charged as reported even where our own count is higher', () => {
  expect(meter({ ...ending, countedOutputTokens: 99 })).toEqual({ usage: reported, provenance: 'supplier' })
})

test.each(['completed', 'client_left', 'supplier_failed', 'interrupted'] as const)(
  '%s without a report: counted',
  (outcome) => {
    expect(meter({ ...ending, outcome, reported: null })).toEqual({ usage: counted, provenance: 'counted' })
  },
)

test.each(['client_left', 'supplier_failed', 'interrupted'] as const)(
  '%s with an early report: never less output than was delivered',
  (outcome) => {
    const early = meter({ ...ending, outcome, countedOutputTokens: 31 })
    expect(early).toEqual({ usage: { ...reported, output: 31 }, provenance: 'counted' })
    expect(meter({ ...ending, outcome, countedOutputTokens: 30 })).toEqual({
      usage: reported,
      provenance: 'supplier',
    })
  },
)

test('nothing delivered costs nothing, whatever was reported', () => {
  for (const outcome of ['client_left', 'supplier_failed', 'refused'] as const) {
    const metering = meter({ ...ending, outcome, hasDelivered: false })
    expect(metering).toEqual({ usage: NO_USAGE, provenance: 'estimated' })
  }
})
