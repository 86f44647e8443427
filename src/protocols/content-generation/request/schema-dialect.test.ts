import { describe, expect, test } from 'bun:test'
import { GatewayError } from '../../../errors/gateway-error.ts'
import { decodeSchema } from './decode-schema.ts'
import { encodeParameters, encodeSchema } from './encode-schema.ts'

describe('a schema of this format becomes a plain one', () => {
  test('converts types, null and limits, and drops other keywords', () => {
    const decoded = decodeSchema({
      type: 'OBJECT',
      propertyOrdering: ['a', 'type'],
      properties: {
        a: { type: 'STRING', nullable: true, enum: ['x', 'y'], format: 'enum', example: 'x' },
        type: { type: 'ARRAY', items: { type: 'INTEGER', minimum: '1' }, minItems: '2', max_items: 3 },
        nullable: { any_of: [{ type: 'NUMBER' }, { type: 'BOOLEAN' }], nullable: true },
        other: { type: 'TYPE_UNSPECIFIED', format: 'date-time' },
      },
      required: ['a'],
    })
    expect(decoded).toEqual({
      type: 'object',
      properties: {
        a: { type: ['string', 'null'], enum: ['x', 'y', null] },
        type: { type: 'array', items: { type: 'integer', minimum: 1 }, minItems: 2, maxItems: 3 },
        nullable: { anyOf: [{ type: 'number' }, { type: 'boolean' }, { type: 'null' }] },
        other: { format: 'date-time' },
      },
      required: ['a'],
    })
  })

  test('keeps a plain schema and its order', () => {
    const schema = {
      $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } },
      required: ['b'],
      type: 'object',
      additionalProperties: false,
      properties: { b: { $ref: '#/$defs/node' }, c: true, d: { type: ['string', 'null'], default: null } },
    }
    expect(JSON.stringify(decodeSchema(schema))).toBe(JSON.stringify(schema))
  })
})

describe('a plain schema is reduced to the supported keywords', () => {
  const cases: readonly (readonly [string, object, object])[] = [
    [
      'unknown keywords go',
      {
        $schema: 's',
        type: 'object',
        properties: {
          a: { type: 'string', pattern: 'x', default: 'y', format: 'uri', minLength: 1, 'x-y': 1 },
        },
        patternProperties: {},
        propertyNames: {},
        additionalProperties: false,
      },
      { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false },
    ],
    ['const', { const: 'a' }, { enum: ['a'] }],
    ['const that is no text or number', { const: true }, { type: 'boolean' }],
    [
      'enum with null',
      { type: ['string', 'null'], enum: ['a', null] },
      { type: ['string', 'null'], enum: ['a'] },
    ],
    ['enum of other things', { enum: ['a', true] }, {}],
    [
      'open limits of whole numbers',
      { type: 'integer', exclusiveMinimum: 0, exclusiveMaximum: 9 },
      { type: 'integer', minimum: 1, maximum: 8 },
    ],
    ['open limits of fractions', { type: 'number', exclusiveMinimum: 0 }, { type: 'number', minimum: 0 }],
    [
      'old open limits',
      { type: 'number', minimum: 0, exclusiveMinimum: true },
      { type: 'number', minimum: 0 },
    ],
    [
      'oneOf',
      { oneOf: [{ type: 'string' }, { type: 'null' }] },
      { anyOf: [{ type: 'string' }, { type: 'null' }] },
    ],
    ['a missing type', { properties: { a: {} } }, { type: 'object', properties: { a: {} } }],
    [
      'required without a property',
      { type: 'object', properties: { a: true }, required: ['a', 'b'] },
      { type: 'object', properties: { a: {} }, required: ['a'] },
    ],
    [
      'tuples',
      { type: 'array', items: [{ type: 'string' }] },
      { type: 'array', prefixItems: [{ type: 'string' }] },
    ],
    [
      'allOf',
      {
        allOf: [
          { properties: { a: { type: 'string' } }, required: ['a'] },
          { allOf: [{ type: 'object', properties: { b: { type: 'number' } } }], required: ['b'] },
        ],
        description: 'both',
      },
      {
        description: 'both',
        type: 'object',
        properties: { a: { type: 'string' }, b: { type: 'number' } },
        required: ['a', 'b'],
      },
    ],
    [
      'definitions and what stands beside a reference',
      {
        type: 'object',
        properties: { a: { $ref: '#/definitions/x', description: 'd' } },
        definitions: { x: { type: 'string', pattern: 'p' } },
      },
      { type: 'object', properties: { a: { $ref: '#/$defs/x' } }, $defs: { x: { type: 'string' } } },
    ],
    [
      'a wrapped reference',
      {
        type: 'object',
        properties: { a: { allOf: [{ $ref: '#/$defs/x' }], description: 'd' } },
        $defs: { x: {} },
      },
      { type: 'object', properties: { a: { $ref: '#/$defs/x' } }, $defs: { x: {} } },
    ],
    [
      'references to other places are written out',
      {
        type: 'object',
        properties: {
          a: { type: 'string' },
          b: { $ref: '#/properties/a' },
          c: { $ref: 'https://x.example' },
        },
      },
      { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' }, c: {} } },
    ],
    [
      'a reference to itself ends',
      { type: 'object', properties: { a: { $ref: '#' } } },
      { type: 'object', properties: { a: { type: 'object', properties: { a: {} } } } },
    ],
    [
      'a reference at the top is written out',
      { $ref: '#/$defs/x', $defs: { x: { type: 'object', properties: { n: { $ref: '#/$defs/x' } } } } },
      {
        $defs: { x: { type: 'object', properties: { n: { $ref: '#/$defs/x' } } } },
        type: 'object',
        properties: { n: { $ref: '#/$defs/x' } },
      },
    ],
  ]
  for (const [name, schema, wanted] of cases)
    test(name, () => expect(encodeSchema(schema as Record<string, unknown>)).toEqual(wanted as never))

  test("keeps the client's key order", () => {
    const schema = { required: ['b'], type: 'object', properties: { b: {}, a: {} } }
    expect(JSON.stringify(encodeSchema(schema))).toBe(
      '{"required":["b"],"type":"object","properties":{"b":{},"a":{}}}',
    )
  })

  test('describes arguments as an object, or not at all', () => {
    expect(encodeParameters(null)).toBeNull()
    expect(encodeParameters({ type: 'object' })).toBeNull()
    expect(encodeParameters({ additionalProperties: true })).toEqual({
      type: 'object',
      additionalProperties: true,
    })
  })
})

describe('refuses endless schemas', () => {
  function refuses(schema: unknown): void {
    for (const run of [decodeSchema, encodeSchema])
      expect(() => run(schema as Record<string, unknown>)).toThrow(GatewayError)
  }

  test('too deep', () => {
    let items: object = { type: 'string' }
    for (let depth = 0; depth < 5000; depth++) items = { type: 'array', items }
    refuses(items)
    let allOf: object = { type: 'string' }
    for (let depth = 0; depth < 5000; depth++) allOf = { allOf: [allOf] }
    refuses(allOf)
  })

  test('too large', () => {
    const properties = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`p${index}`, {}]))
    refuses({ type: 'object', properties })
  })

  test('references that multiply', () => {
    const properties: Record<string, object> = { p0: { type: 'string' } }
    for (let index = 1; index < 40; index++) {
      const twice = { $ref: `#/properties/p${index - 1}` }
      properties[`p${index}`] = { type: 'object', properties: { a: twice, b: twice } }
    }
    expect(() => encodeSchema({ type: 'object', properties })).toThrow(GatewayError)
    const circle = { allOf: [{ $ref: '#/$defs/a' }, {}] }
    expect(() => encodeSchema({ ...circle, $defs: { a: circle } })).toThrow(GatewayError)
  })
})
