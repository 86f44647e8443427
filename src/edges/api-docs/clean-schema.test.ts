import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import Type from 'typebox'
import { Compile } from 'typebox/compile'
import { cleanSchema } from './clean-schema.ts'

const Schema = Type.Object({
  name: Type.String({ minLength: 1 }),
  limit: Type.Optional(Type.Union([Type.Integer({ minimum: 1 }), Type.Null()])),
  period: Type.Union([Type.Enum(['daily', 'weekly']), Type.Null()]),
  kind: Type.Optional(Type.Union([Type.Literal('only'), Type.Null()])),
  either: Type.Optional(Type.Union([Type.Union([Type.String(), Type.Array(Type.Object({}))]), Type.Null()])),
})

describe('a cleaned schema', () => {
  test('is plain JSON as people write it', () => {
    expect(cleanSchema(Schema)).toEqual({
      type: 'object',
      required: ['name', 'period'],
      properties: {
        name: { type: 'string', minLength: 1 },
        limit: { type: ['integer', 'null'], minimum: 1 },
        period: { type: ['string', 'null'], enum: ['daily', 'weekly', null] },
        kind: { anyOf: [{ type: 'string', const: 'only' }, { type: 'null' }] },
        either: {
          anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'object' } }, { type: 'null' }],
        },
      },
    })
  })

  test('has no members that JSON hides', () => {
    const cleaned = cleanSchema(Schema)
    expect(Reflect.ownKeys(cleaned)).toEqual(Object.keys(cleaned))
    expect(JSON.parse(JSON.stringify(cleaned))).toEqual(cleaned)
  })

  test('leaves out takes, but keeps a property of that name', () => {
    const schema = Type.Object({ takes: Type.String({ takes: 'a text' }) }, { takes: 'takes' })
    expect(cleanSchema(schema)).toEqual({
      type: 'object',
      required: ['takes'],
      properties: { takes: { type: 'string' } },
    })
  })

  test('keeps a description next to anyOf', () => {
    const schema = Type.Union([Type.String(), Type.Null()], { description: 'Why.' })
    expect(cleanSchema(schema)).toEqual({ type: ['string', 'null'], description: 'Why.' })
  })

  test('allows exactly the same values as the original', () => {
    const original = Compile(Schema)
    const cleaned = Compile(cleanSchema(Schema) as never)
    const word = fc.constantFrom('daily', 'only', '', 'x')
    const member = fc.option(
      fc.oneof(word, fc.integer({ min: -1, max: 2 }), fc.constant([{}]), fc.constant({})),
    )
    const value = fc.record(
      { name: member, limit: member, period: member, kind: member, either: member },
      { requiredKeys: [] },
    )
    fc.assert(fc.property(value, (each) => cleaned.Check(each) === original.Check(each)))
  })
})
