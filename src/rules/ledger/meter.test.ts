import { expect, test } from 'bun:test'
import { NO_USAGE } from '../../conversation/usage.ts'
import { meter } from './charge.ts'

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

test.each(['input', 'cacheRead', 'cacheWrite', 'output'] as const)(
  'a report of more %s than any request can use is no report',
  (bucket) => {
    const most = { ...reported, [bucket]: 2_000_000_000 }
    expect(meter({ ...ending, reported: most })).toEqual({ usage: most, provenance: 'supplier' })
    const impossible = { ...reported, [bucket]: Number.MAX_SAFE_INTEGER }
    expect(meter({ ...ending, reported: impossible })).toEqual({ usage: counted, provenance: 'counted' })
  },
)

test('nothing delivered costs nothing, whatever was reported', () => {
  for (const outcome of ['client_left', 'supplier_failed', 'refused'] as const) {
    const metering = meter({ ...ending, outcome, hasDelivered: false })
    expect(metering).toEqual({ usage: NO_USAGE, provenance: 'estimated' })
  }
})
