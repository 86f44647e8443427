import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { tryParseJson } from '../../../wire/json-values.ts'
import { CallInput } from './call-input.ts'

test('knows after every piece whether the input is a whole JSON object', () => {
  const piece = fc.oneof(
    fc.constantFrom('{', '}', '"', '\\', ' ', '\n', 'x', '{}', '"a":', '{"a":"}"}', '[', ']', ','),
    fc.json(),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const input = new CallInput()
      let text = ''
      for (const each of pieces) {
        input.add(each)
        text += each
        expect(input.isWhole).toBe(text.trimEnd().endsWith('}') && tryParseJson(text) !== undefined)
      }
      expect(input.text).toBe(text)
    }),
    { numRuns: 2_000 },
  )
})
