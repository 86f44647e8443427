import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { usageFaults } from '../../../../test/support/usage-faults.ts'
import { NO_USAGE } from '../../../conversation/usage.ts'
import { decodeUsage, encodeUsage } from '../../token-details.ts'

describe('decodeUsage', () => {
  const cases: readonly (readonly [string, unknown, object | null])[] = [
    ['plain', { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 }, { input: 9, output: 2 }],
    [
      'cached and thinking',
      {
        prompt_tokens: 100,
        completion_tokens: 50,
        total_tokens: 150,
        prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 10 },
        completion_tokens_details: { reasoning_tokens: 30 },
      },
      { input: 30, cacheRead: 60, cacheWrite: 10, output: 50, reasoning: 30 },
    ],
    [
      'more cached than prompted',
      { prompt_tokens: 5, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 9 } },
      { input: 0, cacheRead: 5, output: 1, details: { isContradictory: true } },
    ],
    [
      'cache hits under another name',
      { prompt_tokens: 10, completion_tokens: 1, prompt_cache_hit_tokens: 4 },
      { input: 6, cacheRead: 4, output: 1 },
    ],
    [
      'thinking left out of the completion',
      {
        prompt_tokens: 10,
        completion_tokens: 5,
        total_tokens: 22,
        completion_tokens_details: { reasoning_tokens: 7 },
      },
      { input: 10, output: 12, reasoning: 7 },
    ],
    ['completion missing', { prompt_tokens: 10, total_tokens: 15 }, { input: 10, output: 5 }],
    ['prompt missing', { completion_tokens: 5, total_tokens: 15 }, { input: 10, output: 5 }],
    [
      'null details',
      { prompt_tokens: 1, completion_tokens: 1, prompt_tokens_details: null },
      { input: 1, output: 1 },
    ],
    ['nonsense numbers', { prompt_tokens: -5, completion_tokens: 1e300, total_tokens: 'x' }, null],
    ['empty', {}, null],
    ['null', null, null],
    ['a string', '9', null],
    ['an array', [9], null],
  ]
  for (const [name, wire, expected] of cases) {
    test(name, () => expect(decodeUsage(wire)).toEqual(expected && { ...NO_USAGE, ...expected }))
  }

  test('never counts below zero', () => {
    const count = fc.oneof(fc.integer(), fc.double(), fc.constant(undefined), fc.constant(null), fc.string())
    const wire = fc.record({
      prompt_tokens: count,
      completion_tokens: count,
      total_tokens: count,
      prompt_tokens_details: fc.record({ cached_tokens: count, cache_write_tokens: count }),
      completion_tokens_details: fc.record({ reasoning_tokens: count }),
    })
    fc.assert(
      fc.property(wire, (usage) => {
        const read = decodeUsage(usage)
        if (read) expect(usageFaults(read)).toEqual([])
      }),
      { numRuns: 500, seed: 10 },
    )
  })
})

test('what is encoded decodes to the same', () => {
  const count = fc.nat(1_000_000)
  const usage = fc.record({
    input: count,
    cacheRead: count,
    cacheWrite: count,
    output: count,
    reasoning: count,
  })
  fc.assert(
    fc.property(usage, (counts) => {
      const original = { ...counts, output: counts.output + counts.reasoning, images: 0 }
      expect(decodeUsage(encodeUsage(original))).toEqual(original)
    }),
    { numRuns: 200, seed: 11 },
  )
})
