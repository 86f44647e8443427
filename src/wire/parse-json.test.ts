import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { GatewayError } from '../errors/gateway-error.ts'
import { locateJsonError, MAX_EXPLAINED_CHARACTERS, parseJson } from './parse-json.ts'

function refusal(text: string): GatewayError {
  try {
    parseJson(text)
  } catch (error) {
    if (error instanceof GatewayError) return error
    throw error
  }
  throw new Error('It was parsed.')
}

test('says where a fault is only in a body that is small enough to be searched', () => {
  const small = `[${'1,'.repeat(MAX_EXPLAINED_CHARACTERS / 2 - 1)}x`
  expect(small.length).toBe(MAX_EXPLAINED_CHARACTERS)
  expect(refusal(small).message).toContain(`unexpected character at position ${small.length - 1}`)
  expect(refusal(`${small} `).message).toBe('The body is not valid JSON: it cannot be parsed.')
})

describe('refusals', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['', 'The body is empty; send a JSON object.'],
    [' \n\t', 'The body is empty; send a JSON object.'],
    ['{"a":', 'The body is not valid JSON: it ends too early, at position 5.'],
    ['{"a":1', 'The body is not valid JSON: it ends too early, at position 6.'],
    ['{"a"', 'The body is not valid JSON: it ends too early, at position 4.'],
    ['"abc', 'The body is not valid JSON: it ends too early, at position 4.'],
    ['{"a":sk-secret}', 'The body is not valid JSON: unexpected character at position 5.'],
    ['{"a":1}x', 'The body is not valid JSON: unexpected character at position 7.'],
    ['{"a":1,}', 'The body is not valid JSON: unexpected character at position 7.'],
    ['[1,]', 'The body is not valid JSON: unexpected character at position 3.'],
    ['{,}', 'The body is not valid JSON: unexpected character at position 1.'],
    ['[1 2]', 'The body is not valid JSON: unexpected character at position 3.'],
    ['{"a" 1}', 'The body is not valid JSON: unexpected character at position 5.'],
    ['{a:1}', 'The body is not valid JSON: unexpected character at position 1.'],
    ['{"a":01}', 'The body is not valid JSON: unexpected character at position 6.'],
    ['{"a":NaN}', 'The body is not valid JSON: unexpected character at position 5.'],
    ['{"a":"\n"}', 'The body is not valid JSON: unexpected character at position 6.'],
    ['{"a":"\\x"}', 'The body is not valid JSON: unexpected character at position 7.'],
    ['{"a":"\\u12g4"}', 'The body is not valid JSON: unexpected character at position 7.'],
    ['[1}', 'The body is not valid JSON: unexpected character at position 2.'],
    ["{'a':1}", 'The body is not valid JSON: unexpected character at position 1.'],
  ]
  for (const [text, message] of cases) {
    test(JSON.stringify(text), () => {
      expect(refusal(text).message).toBe(message)
      expect(refusal(text).code).toBe('invalid_request')
      expect(refusal(text).cause).toBeUndefined()
    })
  }
})

test('deep nesting is parsed or refused, never a crash', () => {
  expect(refusal('['.repeat(100_000)).code).toBe('invalid_request')
  expect(() => {
    try {
      parseJson('['.repeat(100_000) + ']'.repeat(100_000))
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error
    }
  }).not.toThrow()
})

test('finds a fault exactly where the parser refuses', () => {
  const fragment = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"a"',
    '1',
    '-',
    '0',
    '1.5e3',
    '.',
    'true',
    ' ',
    '"\\n"',
    '\\',
  )
  fc.assert(
    fc.property(fc.array(fragment, { maxLength: 12 }), (fragments) => {
      const text = fragments.join('')
      let isValid = true
      try {
        JSON.parse(text)
      } catch {
        isValid = false
      }
      expect(locateJsonError(text) === null).toBe(isValid)
    }),
    { numRuns: 3000, seed: 5 },
  )
})
