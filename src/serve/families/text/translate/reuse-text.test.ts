import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { TopLevelMembers } from '../../../../wire/json-members.ts'
import { joinPieces } from '../../../../wire/pieced-body.ts'
import { findEscapedStrings, type ParsedText, writeReusing as writeInPieces } from './reuse-text.ts'

const writeReusing = (body: unknown, source: ParsedText) => joinPieces(writeInPieces(body, source))

const LONG = 256
const PADDING = { padding: 'x'.repeat(16_384) }

// Long strings with and without escapes, several of the same length.
const escaped = fc
  .tuple(
    fc.string({ unit: 'binary', maxLength: 4 }),
    fc.constantFrom('\n', '"', '\\', '\\\\"', 'é', '\ud800', 'a'),
  )
  .map(([start, unit]) => (start + unit.repeat(300)).slice(0, 280))
const value = fc.oneof(escaped, fc.string({ maxLength: 8 }), fc.integer(), fc.boolean(), fc.constant(null))
const { body } = fc.letrec<{ body: unknown }>((tie) => ({
  body: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    value,
    fc.array(tie('body'), { maxLength: 4 }),
    fc.dictionary(
      fc.oneof(fc.string({ maxLength: 5 }), fc.constantFrom('__proto__', 'a"b', '7')),
      tie('body'),
      {
        maxKeys: 4,
      },
    ),
  ),
}))

/** JSON with other escapes and white space than ours. */
function spell(parsed: unknown, space: string): string {
  const text = JSON.stringify(parsed, null, space)
  return text.replaceAll('é', '\\u00e9').replaceAll('/', '\\/')
}

describe('writing with the text of the client', () => {
  test('means what the standard writer writes', () => {
    fc.assert(
      fc.property(body, body, fc.constantFrom('', ' ', '\n\t'), (one, other, space) => {
        const sent = [PADDING, one, { messages: [other, one] }]
        const text = spell(sent, space)
        const parsed = JSON.parse(text) as unknown[]
        for (const written of [parsed, { model: 'other', input: parsed.toReversed(), more: [one, other] }]) {
          const again = writeReusing(written, { text, value: parsed })
          expect(JSON.parse(again)).toEqual(JSON.parse(JSON.stringify(written)))
        }
      }),
      { numRuns: 400 },
    )
  })

  test('copies a long string as the client wrote it, and leaves out what JSON has no value for', () => {
    const text = `{"prompt":"${'\\u0041 '.repeat(8_000)}"}`
    const parsed = JSON.parse(text) as { prompt: string }
    const written = writeReusing(
      { input: [parsed.prompt, undefined], none: undefined },
      { text, value: parsed },
    )
    expect(written).toBe(`{"input":["${'\\u0041 '.repeat(8_000)}",null]}`)
  })

  test('writes what the client did not send by itself', () => {
    const text = JSON.stringify({ prompt: '"'.repeat(20_000) })
    const changed = `${'"'.repeat(19_999)}\n`
    expect(writeReusing([changed], { text, value: JSON.parse(text) })).toBe(JSON.stringify([changed]))
  })

  test('takes nothing from an object that has a name twice', () => {
    const sent = '"'.repeat(20_000)
    const hidden = JSON.stringify(`${'"'.repeat(19_999)}!`)
    const texts = [
      `{"a":${hidden},"a":${JSON.stringify(sent)}}`,
      `{"a":[${hidden}],"a":[${JSON.stringify(sent)}]}`,
      `{"a":{"b":${hidden}},"\\u0061":{"b":${JSON.stringify(sent)}}}`,
      `[{"a":${hidden},"a":{"b":${JSON.stringify(sent)}}}]`,
    ]
    for (const text of texts) {
      const parsed: unknown = JSON.parse(text)
      expect(findEscapedStrings({ text, value: parsed }, LONG)).toEqual([])
      expect(writeReusing(parsed, { text, value: parsed })).toBe(JSON.stringify(parsed))
    }
  })

  test('stays linear with many different strings of the same length', () => {
    const strings = Array.from(
      { length: 20_000 },
      (_, index) => `${'"'.repeat(300)}${String(index).padStart(9, '0')}`,
    )
    const text = JSON.stringify(strings)
    const parsed = JSON.parse(text) as string[]
    const startedAtMs = performance.now()
    expect(writeReusing(parsed.toReversed(), { text, value: parsed })).toBe(
      JSON.stringify(parsed.toReversed()),
    )
    expect(performance.now() - startedAtMs).toBeLessThan(2_000)
  })

  test('deep nesting is left to the standard writer', () => {
    const text = `${'['.repeat(400)}${JSON.stringify('"'.repeat(20_000))}${']'.repeat(400)}`
    const parsed: unknown = JSON.parse(text)
    expect(writeReusing(parsed, { text, value: parsed })).toBe(text)
  })
})

describe('finding escaped strings', () => {
  test('finds the same with what was noted when the body was read', () => {
    fc.assert(
      fc.property(body, fc.constantFrom('', ' '), (one, space) => {
        const text = spell({ one, two: [one], three: { one } }, space)
        const value = JSON.parse(text) as object
        const { longStrings } = new TopLevelMembers(text, value)
        const found = findEscapedStrings({ text, value }, LONG)
        expect(findEscapedStrings({ text, value, longStrings }, LONG)).toEqual([...found])
        // Of a text that is as long: nothing of it may be used.
        const other = `${text.slice(0, -1)} `
        const misplaced = { text: other, quotes: longStrings.quotes.map((place) => place + 1) }
        expect(findEscapedStrings({ text, value, longStrings: misplaced }, LONG)).toEqual([...found])
      }),
      { numRuns: 300 },
    )
  })

  test('notes every long string with an escaped quote', () => {
    const long = '"'.repeat(LONG)
    const text = JSON.stringify({ a: long, b: [{ c: long }], [long]: 1, d: 'x'.repeat(LONG) })
    const { quotes } = new TopLevelMembers(text, JSON.parse(text) as object).longStrings
    expect(quotes.map((place) => text[place])).toEqual(Array.from({ length: 6 }, () => '"'))
    expect(JSON.parse(text.slice(quotes[0], (quotes[1] ?? 0) + 1))).toBe(long)
  })

  test('finds exactly those that are long enough, where they stand', () => {
    fc.assert(
      fc.property(body, fc.constantFrom('', ' '), (sent, space) => {
        const text = spell([sent], space)
        for (const found of findEscapedStrings({ text, value: JSON.parse(text) }, LONG)) {
          expect(JSON.parse(text.slice(found.start, found.end))).toBe(found.value)
          expect(found.value.length).toBeGreaterThanOrEqual(LONG)
        }
      }),
      { numRuns: 300 },
    )
    const long = '"'.repeat(LONG)
    const parsed = { a: [long, long.slice(1)], b: { c: { d: long } } }
    expect(
      findEscapedStrings({ text: JSON.stringify(parsed), value: parsed }, LONG).map(({ value }) => value),
    ).toEqual([long, long])
  })
})
