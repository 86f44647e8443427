import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { StopAutomaton } from './stop-scanner.ts'

interface Hit {
  readonly end: number
  readonly sequence: string
}

function run(sequences: readonly string[], text: string): { hit: Hit | null; held: number } {
  const automaton = new StopAutomaton(sequences)
  let node = 0
  for (let at = 0; at < text.length; at += 1) {
    node = automaton.step(node, text.charCodeAt(at))
    const sequence = automaton.completedAt(node)
    if (sequence !== null) return { hit: { end: at + 1, sequence }, held: 0 }
  }
  return { hit: null, held: automaton.heldAt(node) }
}

/** The same, found by trying every end of the text with every sequence. */
function tryAll(sequences: readonly string[], text: string): { hit: Hit | null; held: number } {
  const longestFirst = sequences.filter((each) => each !== '').sort((one, other) => other.length - one.length)
  for (let end = 1; end <= text.length; end += 1) {
    const sequence = longestFirst.find((each) => text.slice(0, end).endsWith(each))
    if (sequence !== undefined) return { hit: { end, sequence }, held: 0 }
  }
  const beginnings = longestFirst.flatMap((each) => Array.from(each, (_, at) => each.slice(0, at + 1)))
  const held = beginnings.filter((each) => text.endsWith(each)).map(({ length }) => length)
  return { hit: null, held: Math.max(0, ...held) }
}

test('finds the first complete sequence and holds back a possible start, like a naive search', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 6 })
  fc.assert(
    fc.property(
      fc.array(word, { maxLength: 5 }),
      fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 24 }),
      (sequences, text) => {
        expect(run(sequences, text)).toEqual(tryAll(sequences, text))
      },
    ),
    { numRuns: 2_000 },
  )
})
