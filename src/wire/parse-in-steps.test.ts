import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseInSteps } from './parse-json.ts'

function parse(text: string): { value: unknown; steps: number } {
  const parsing = parseInSteps(text)
  for (let steps = 1; ; steps += 1) {
    const { done, value } = parsing.next()
    if (done) return { value, steps }
  }
}

// Long enough that it is parsed in steps.
const FILL = ' '.repeat(256 * 1_024)

test('gives what JSON.parse gives', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(parse(text + FILL).value).toEqual(JSON.parse(text))
      expect(parse(FILL + text).value).toEqual(JSON.parse(text))
    }),
  )
})

test('gives nothing for what JSON.parse refuses', () => {
  const cut = fc.tuple(fc.json(), fc.nat()).map(([text, at]) => text.slice(0, at % (text.length + 1)))
  fc.assert(
    fc.property(fc.oneof(cut, fc.string()), (text) => {
      let wanted: unknown
      try {
        wanted = JSON.parse(text)
      } catch {
        wanted = undefined
      }
      expect(parse(text + FILL).value).toEqual(wanted)
    }),
  )
})

test.each(['', '[1,]', '[1 2]', '{"a":1,}', '{"a" 1}', '{a:1}', '[1]]', '{"a":[1}', '[1', '1 2'])(
  '%j is not JSON',
  (text) => expect(parse(text + FILL).value).toBeUndefined(),
)

test('pauses often in a long list, whether it is on top or within', () => {
  const list = Array.from({ length: 4_000 }, (_, index) => ({ index, values: Array(100).fill(0.123456) }))
  for (const value of [list, { data: list }, { embeddings: { float: list } }]) {
    const text = JSON.stringify(value)
    const { value: parsed, steps } = parse(text)
    expect(parsed).toEqual(value)
    expect(steps).toBeGreaterThanOrEqual(Math.floor(text.length / (600 * 1_024)))
  }
})
