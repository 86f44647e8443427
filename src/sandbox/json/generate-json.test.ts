import { describe, expect, test } from 'bun:test'
import { Compile } from 'typebox/schema'
import { generateJson } from './generate-json.ts'

const SCHEMAS: Record<string, object> = {
  'a flat object': {
    type: 'object',
    properties: {
      city: { type: 'string' },
      days: { type: 'integer', minimum: 3 },
      detailed: { type: 'boolean' },
    },
    required: ['city', 'days', 'detailed'],
    additionalProperties: false,
  },
  'nested arrays': {
    type: 'object',
    properties: { rows: { type: 'array', minItems: 2, items: { type: 'array', items: { type: 'number' } } } },
    required: ['rows'],
  },
  'enum and const': {
    type: 'object',
    properties: { unit: { enum: ['celsius', 'kelvin'] }, kind: { const: 'weather' } },
    required: ['unit', 'kind'],
  },
  'references and definitions': {
    type: 'object',
    properties: { from: { $ref: '#/$defs/place' }, to: { $ref: '#/$defs/place' } },
    required: ['from', 'to'],
    $defs: { place: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } },
  },
  'a tree that refers to itself': {
    type: 'object',
    properties: { value: { type: 'string' }, children: { type: 'array', items: { $ref: '#' } } },
    required: ['value', 'children'],
  },
  'a list that ends in null': {
    type: 'object',
    properties: { value: { type: 'integer' }, next: { anyOf: [{ $ref: '#' }, { type: 'null' }] } },
    required: ['value', 'next'],
  },
  'all of several': {
    allOf: [
      { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
      { type: 'object', properties: { b: { type: 'integer' } }, required: ['b'] },
    ],
  },
  'one of several': { oneOf: [{ type: 'integer', minimum: 5 }, { type: 'string' }] },
  'a nullable type': { type: ['null', 'string'], minLength: 40 },
  'a bounded string': { type: 'string', minLength: 3, maxLength: 4 },
  'a narrow number': { type: 'number', exclusiveMinimum: 0.1, exclusiveMaximum: 0.2 },
  'a multiple': { type: 'integer', minimum: 10, multipleOf: 7 },
  'only an upper bound': { type: 'integer', maximum: -3 },
  'unique items': { type: 'array', minItems: 4, uniqueItems: true, items: { type: 'string' } },
  'unique numbers': { type: 'array', minItems: 3, uniqueItems: true, items: { type: 'integer', minimum: 2 } },
  'no items allowed': { type: 'array', maxItems: 0, items: { type: 'string' } },
  'a tuple': { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }], minItems: 2 },
  'a map with at least two entries': {
    type: 'object',
    minProperties: 2,
    additionalProperties: { type: 'integer' },
  },
  'a date': { type: 'string', format: 'date-time' },
}

describe('generateJson', () => {
  for (const [name, schema] of Object.entries(SCHEMAS)) {
    test(`fits ${name}`, () => {
      const value = generateJson(schema, 'anything')
      expect(Compile(schema).Check(value), JSON.stringify(value)).toBe(true)
    })
  }

  test('gives the same value every time', () => {
    const schema = SCHEMAS['a flat object']
    expect(generateJson(schema, 'x')).toEqual(generateJson(schema, 'x'))
  })

  test('fills names it knows with what they usually hold', () => {
    const schema = { type: 'object', properties: { city: { type: 'string' }, query: { type: 'string' } } }
    expect(generateJson(schema, 'rain tomorrow')).toEqual({ city: 'Paris', query: 'rain tomorrow' })
  })

  test('survives a schema that can never be satisfied', () => {
    const endless = { type: 'object', properties: { self: { $ref: '#' } }, required: ['self'] }
    expect(JSON.stringify(generateJson(endless, ''))).toContain('null')
    const doubling = {
      type: 'object',
      properties: { a: { $ref: '#' }, b: { $ref: '#' } },
      required: ['a', 'b'],
    }
    expect(JSON.stringify(generateJson(doubling, '')).length).toBeLessThan(200_000)
    expect(generateJson({ type: 'array', minItems: 1e12, items: { type: 'null' } }, '')).toHaveLength(1000)
  })

  test('takes anything that is not a schema for "any value"', () => {
    expect(generateJson(undefined, '')).toBe('sample')
    expect(generateJson({ $ref: 'https://elsewhere.example/schema' }, '')).toBe('sample')
  })
})
