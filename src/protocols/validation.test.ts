import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import Type, { type TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { describeSchema, type SchemaNode } from '../validation/describe-schema.ts'
import { findProblem } from '../validation/find-problem.ts'
import { ChatRequestSchema } from './chat-completion/schema.ts'

describe('describeSchema', () => {
  const cases: readonly (readonly [TSchema, string])[] = [
    [Type.String(), 'a string'],
    [Type.String({ minLength: 1 }), 'a non-empty string'],
    [Type.Number({ minimum: 0, maximum: 2 }), 'a number from 0 to 2'],
    [Type.Integer({ minimum: 1 }), 'an integer of at least 1'],
    [Type.Number({ maximum: 5 }), 'a number of at most 5'],
    [Type.Literal('a'), '"a"'],
    [Type.Enum(['a', 'b']), 'one of "a", "b"'],
    [Type.Union([Type.Literal('a'), Type.Literal('b'), Type.Null()]), 'one of "a", "b"'],
    [Type.Union([Type.String(), Type.Array(Type.Object({}))]), 'a string or an array of objects'],
    [Type.Array(Type.Integer(), { minItems: 1, maxItems: 3 }), 'an array of 1 to 3 integers'],
    [Type.Union([Type.Object({ a: Type.Literal(1) }), Type.Object({ a: Type.Literal(2) })]), 'an object'],
    [Type.Union([Type.Boolean(), Type.Null()]), 'a boolean'],
  ]
  for (const [schema, words] of cases)
    test(words, () => expect(describeSchema(schema as SchemaNode)).toBe(words))
})

test('finds a problem exactly when the validator rejects the value', () => {
  const validator = Compile(ChatRequestSchema)
  const schema: TSchema = ChatRequestSchema
  const field = fc.constantFrom(...Object.keys(ChatRequestSchema.properties))
  const name = fc.constantFrom(
    'role',
    'content',
    'type',
    'text',
    'image_url',
    'url',
    'function',
    'name',
    'tool_calls',
    'mode',
  )
  const word = fc.constantFrom(
    'user',
    'assistant',
    'tool',
    'text',
    'image_url',
    'function',
    'auto',
    'json_schema',
    'custom',
    '',
    'x',
  )
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      word,
      fc.constantFrom(null, true, 0, 1, 1.5, -3, 200, Infinity),
      fc.array(tie('value'), { maxLength: 5 }),
      fc.dictionary(name, tie('value'), { maxKeys: 4 }),
    ),
  }))
  const seen = { accepted: 0, refused: 0 }
  fc.assert(
    fc.property(fc.dictionary(field, value, { maxKeys: 2 }), fc.boolean(), (fields, isBare) => {
      const body = isBare ? fields : { model: 'm', messages: [{ role: 'user', content: 'x' }], ...fields }
      const isAccepted = validator.Check(body)
      seen[isAccepted ? 'accepted' : 'refused']++
      expect(findProblem(schema as SchemaNode, body) === null).toBe(isAccepted)
    }),
    { numRuns: 5000, seed: 13 },
  )
  expect(Math.min(seen.accepted, seen.refused)).toBeGreaterThan(300)
})
