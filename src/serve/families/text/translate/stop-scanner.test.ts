import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { arbitraryStreamedAnswer } from '../../../../../test/support/arbitrary-conversation.ts'
import { grammarFaults } from '../../../../../test/support/normal-form.ts'
import type { AnswerEvent } from '../../../../conversation/answer-event.ts'
import { fold } from '../../../../conversation/fold.ts'
import { textPart } from '../../../../conversation/part.ts'
import { NO_USAGE } from '../../../../conversation/usage.ts'
import { StopScanner } from './stop-scanner.ts'
import { passThrough } from './translating-tap.ts'

const END = { reason: 'stop', stopSequence: null, explanation: null } as const

function tell(pieces: readonly string[], choice = 0): AnswerEvent[] {
  return [
    { type: 'part-start', choice, part: textPart('') },
    ...pieces.map((text): AnswerEvent => ({ type: 'part-delta', choice, text })),
    { type: 'part-end', choice },
    { type: 'choice-end', choice, finish: END },
  ]
}

const USAGE: AnswerEvent = { type: 'usage', usage: { ...NO_USAGE, output: 9 } }

function answerOf(...groups: readonly (readonly AnswerEvent[])[]): AnswerEvent[] {
  return [{ type: 'answer-start', id: 'a' }, ...groups.flat(), USAGE, { type: 'answer-end' }]
}

const scan = (events: readonly AnswerEvent[], sequences: readonly string[], streamedChoices: number | null) =>
  passThrough(events, [new StopScanner({ sequences, streamedChoices })])

const textOf = (events: readonly AnswerEvent[], choice = 0) => {
  const part = fold(events).choices[choice]?.parts[0]
  return part?.type === 'text' ? part.text : null
}

/** The text a model would have said that looks for a sequence after every character. */
function cut(text: string, sequences: readonly string[]): { text: string; sequence: string | null } {
  const longestFirst = sequences.toSorted((one, other) => other.length - one.length)
  for (let end = 1; end <= text.length; end += 1) {
    const said = text.slice(0, end)
    const hit = longestFirst.find((sequence) => said.endsWith(sequence))
    if (hit !== undefined) return { text: said.slice(0, end - hit.length), sequence: hit }
  }
  return { text, sequence: null }
}

// Few letters, so that sequences are hit, nearly hit, and overlap.
const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 24 })
const sequences = fc.uniqueArray(
  fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 4 }),
  {
    minLength: 1,
    maxLength: 4,
  },
)

function split(text: string, lengths: readonly number[]): string[] {
  const pieces: string[] = []
  let start = 0
  for (let index = 0; start < text.length; index += 1) {
    const end = start + (lengths[index % lengths.length] ?? 1)
    pieces.push(text.slice(start, end))
    start = end
  }
  return pieces
}

describe('a text with stop sequences', () => {
  test('is cut at the same place, however it is split', () => {
    const lengths = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 })
    fc.assert(
      fc.property(letters, sequences, lengths, (text, stops, sizes) => {
        const expected = cut(text, stops)
        const events = scan(answerOf(tell(split(text, sizes))), stops, null)
        expect(textOf(events)).toBe(expected.text)
        const finish = fold(events).choices[0]?.finish
        expect(finish?.stopSequence).toBe(expected.sequence)
        expect(finish?.reason).toBe(expected.sequence === null ? 'stop' : 'stop-sequence')
        expect(grammarFaults(events)).toEqual([])
      }),
      { numRuns: 1_000 },
    )
  })

  test('is passed on as soon as it cannot be the start of one', () => {
    const scanner = new StopScanner({ sequences: ['###'], streamedChoices: 1 })
    scanner.push({ type: 'part-start', choice: 0, part: textPart('') })
    const push = (text: string) => scanner.push({ type: 'part-delta', choice: 0, text })
    expect(push('one #')).toEqual([{ type: 'part-delta', choice: 0, text: 'one ' }])
    expect(push('#')).toEqual([])
    expect(push(' two')).toEqual([{ type: 'part-delta', choice: 0, text: '## two' }])
  })

  test('that ends with half of one keeps it', () => {
    expect(textOf(scan(answerOf(tell(['one #'])), ['##'], 1))).toBe('one #')
  })

  test('an empty sequence stops nothing', () => {
    expect(textOf(scan(answerOf(tell(['one'])), [''], 1))).toBe('one')
  })
})

describe('an answer without any hit', () => {
  test('is the same as before', () => {
    fc.assert(
      fc.property(arbitraryStreamedAnswer(), ({ events }) => {
        expect(fold(scan(events, ['\u0000 never said'], null))).toEqual(fold(events))
      }),
    )
  })

  test('may contain stop sequences in thoughts and tool calls', () => {
    const parts: AnswerEvent[] = [
      { type: 'part-start', choice: 0, part: { type: 'thinking', text: '', proof: null, isRedacted: false } },
      { type: 'part-delta', choice: 0, text: 'STOP' },
      { type: 'part-end', choice: 0 },
    ]
    const events = [...parts, ...tell(['go'])]
    expect(fold(scan(events, ['STOP'], 1))).toEqual(fold(events))
  })
})

describe('after a hit', () => {
  test('a stream is over at once', () => {
    const events = scan(answerOf(tell(['one STOP two', ' three'])), ['STOP'], 1)
    expect(events.at(-1)).toEqual({ type: 'answer-end' })
    expect(events.filter(({ type }) => type === 'answer-end' || type === 'usage')).toHaveLength(1)
    expect(textOf(events)).toBe('one ')
  })

  test('a whole reply keeps its usage', () => {
    const events = scan(answerOf(tell(['one STOP two'])), ['STOP'], null)
    expect(fold(events).usage?.output).toBe(9)
    expect(events.filter(({ type }) => type === 'answer-end')).toHaveLength(1)
  })

  test('other choices continue, in a whole reply and in a stream', () => {
    const answer = answerOf(tell(['one STOP two'], 0), tell(['three'], 1), tell(['four', 'STOP'], 2))
    for (const streamedChoices of [null, 3]) {
      const events = scan(answer, ['STOP'], streamedChoices)
      expect([0, 1, 2].map((choice) => textOf(events, choice))).toEqual(['one ', 'three', 'four'])
      expect(fold(events).usage?.output).toBe(9)
      expect(events.filter(({ type }) => type === 'answer-end')).toHaveLength(1)
    }
  })
})
