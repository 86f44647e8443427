import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { arbitraryAnswer, arbitraryStreamedAnswer } from '../../test/support/arbitrary-conversation.ts'
import { grammarFaults } from '../../test/support/normal-form.ts'
import type { AnswerEvent } from './answer-event.ts'
import { fold, unfold } from './fold.ts'
import { textPart } from './part.ts'

describe('fold and unfold', () => {
  test('folding what was unfolded gives the same answer', () => {
    fc.assert(
      fc.property(arbitraryAnswer(), (answer) => expect(fold(unfold(answer))).toEqual(answer)),
      { numRuns: 300, seed: 1 },
    )
  })

  test('an unfolded answer keeps the grammar of events', () => {
    fc.assert(
      fc.property(arbitraryAnswer(), (answer) => expect(grammarFaults(unfold(answer))).toEqual([])),
      { numRuns: 300, seed: 2 },
    )
  })

  test('folding gives the same answer however the stream splits it', () => {
    fc.assert(
      fc.property(arbitraryStreamedAnswer(), ({ answer, events }) => {
        expect(grammarFaults(events)).toEqual([])
        expect(fold(events)).toEqual(answer)
      }),
      { numRuns: 300, seed: 3 },
    )
  })
})

test('a part and a choice that never ended still count, the choice as ended for another reason', () => {
  const events: readonly AnswerEvent[] = [
    { type: 'answer-start', id: 'a' },
    { type: 'part-start', choice: 0, part: textPart('') },
    { type: 'part-delta', choice: 0, text: 'half' },
  ]
  expect(fold(events).choices).toEqual([
    {
      index: 0,
      parts: [textPart('half')],
      finish: { reason: 'other', stopSequence: null, explanation: null },
      logprobs: null,
    },
  ])
})

test('the last usage counts', () => {
  const usage = { input: 1, cacheRead: 0, cacheWrite: 0, output: 1, reasoning: 0, images: 0 }
  const answer = fold([
    { type: 'usage', usage },
    { type: 'usage', usage: { ...usage, output: 7 } },
  ])
  expect(answer.usage).toEqual({ ...usage, output: 7 })
})
