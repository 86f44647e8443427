import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { GatewayError } from '../../../errors/gateway-error.ts'
import { asArray, asObject } from '../../../wire/json-values.ts'
import { fitRootSchema, toSchemaDialect } from './schema-dialect.ts'

test('closes objects, moves limits into descriptions, drops unknown keywords', () => {
  expect(
    toSchemaDialect({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: {
        age: { type: 'integer', description: 'Years.', minimum: 0, exclusiveMaximum: 200 },
        mail: { type: 'string', format: 'email' },
        code: { type: 'string', format: 'regex', pattern: '^a$' },
        list: { type: 'array', items: { type: 'object', properties: {} }, minItems: 2, uniqueItems: true },
        some: { type: 'array', items: { type: 'string' }, minItems: 1 },
        either: {
          oneOf: [
            { type: 'string', maxLength: 3 },
            { type: ['object', 'null'], additionalProperties: true },
          ],
        },
        format: { const: 1, not: {}, 'x-order': 3 },
      },
      required: ['age'],
      $defs: { node: { type: 'object', patternProperties: {} } },
    }),
  ).toEqual({
    type: 'object',
    properties: {
      age: { type: 'integer', description: 'Years. (minimum: 0, exclusiveMaximum: 200)' },
      mail: { type: 'string', format: 'email' },
      code: { type: 'string', description: '(format: "regex", pattern: "^a$")' },
      list: {
        type: 'array',
        items: { type: 'object', properties: {}, additionalProperties: false },
        description: '(minItems: 2, uniqueItems: true)',
      },
      some: { type: 'array', items: { type: 'string' }, minItems: 1 },
      either: {
        anyOf: [
          { type: 'string', description: '(maxLength: 3)' },
          { type: ['object', 'null'], additionalProperties: false },
        ],
      },
      format: { const: 1 },
    },
    required: ['age'],
    $defs: { node: { type: 'object', additionalProperties: false } },
    additionalProperties: false,
  })
})

// Bounded, because a few unbounded ones would take all the time.
const schemas = fc.letrec((tie) => ({
  inner: fc.oneof({ maxDepth: 5 }, fc.constant({}), tie('node')),
  node: fc.record(
    {
      type: fc.constantFrom('object', 'string', 'array', ['object', 'null']),
      description: fc.string(),
      minimum: fc.nat(9),
      minItems: fc.nat(3),
      format: fc.constantFrom('uri', 'odd'),
      properties: fc.dictionary(fc.constantFrom('a', 'minimum', 'type'), tie('inner'), { maxKeys: 2 }),
      items: tie('inner'),
      anyOf: fc.array(tie('inner'), { maxLength: 2 }),
      oneOf: fc.constantFrom(1, 'x', null),
      required: fc.constant(['a']),
    },
    { requiredKeys: [] },
  ),
})).node

test('is idempotent', () => {
  fc.assert(
    fc.property(schemas, (schema) => {
      const once = toSchemaDialect(asObject(schema) ?? {})
      expect(toSchemaDialect(once)).toEqual(once)
    }),
    { numRuns: 300, seed: 71 },
  )
})

test('makes the root of tool input an object without alternatives', () => {
  fc.assert(
    fc.property(schemas, (schema) => {
      const root = fitRootSchema(asObject(schema) ?? {})
      expect(root.type).toBe('object')
      expect(root).not.toHaveProperty('anyOf')
      expect(asArray(root.anyOf)).toEqual([])
    }),
    { numRuns: 200, seed: 72 },
  )
})

test('refuses a schema that is nested too deeply', () => {
  let schema: Record<string, unknown> = {}
  for (let depth = 0; depth < 500; depth++) schema = { items: schema }
  expect(() => toSchemaDialect(schema)).toThrow(GatewayError)
})
