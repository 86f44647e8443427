import { describe, expect, test } from 'bun:test'
import fc, { type Arbitrary } from 'fast-check'
import { Type } from 'typebox'
import { Compile } from 'typebox/schema'
import {
  amount,
  choice,
  choices,
  flag,
  id,
  integer,
  json,
  limit,
  list,
  positiveNumber,
  seconds,
  text,
  time,
  writeJson,
} from './field.ts'
import { readFieldText, shape } from './shape.ts'

type AnyField = Parameters<typeof readFieldText>[0]

const Price = shape('Price', { inputNano: amount(), rpm: limit() })

const FRUITS = ['apple', 'pear', 'plum'] as const

const printable = (max: number) =>
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: Math.floor(max / 4) })
const nano = fc.bigInt({ min: -(2n ** 63n) + 1n, max: 2n ** 63n - 1n })
// Up to the year 9999, the last that RFC 3339 can name.
const moment = fc.integer({ min: 0, max: 253_402_300_799_999 })
const count = fc.integer({ min: 0, max: 2_000_000_000 })
const limits = fc.option(fc.integer({ min: 1, max: 2_000_000_000 }))
const point = fc.record({ x: fc.integer(), y: fc.integer() })

/** A field of every kind, and the values it may have. */
const KINDS: readonly (readonly [name: string, field: AnyField, values: Arbitrary<unknown>])[] = [
  ['text', text(), printable(200)],
  ['id', id('acc'), printable(200)],
  ['choice', choice(FRUITS), fc.constantFrom(...FRUITS)],
  ['choices', choices(FRUITS), fc.subarray([...FRUITS], { minLength: 1 })],
  ['integer', integer(), count],
  ['limit', limit(), limits],
  ['positiveNumber', positiveNumber(100), fc.double({ min: 1e-9, max: 100, noNaN: true })],
  ['flag', flag(), fc.boolean()],
  ['amount', amount(), nano],
  ['time', time(), moment],
  ['seconds', seconds(), fc.integer({ min: 1, max: 3_600_000 })],
  ['list', list(integer()), fc.array(count)],
  ['list of shapes', list(Price.field), fc.array(fc.record({ inputNano: nano, rpm: limits }))],
  ['json', json(Type.Object({ x: Type.Integer(), y: Type.Integer() }), { x: 1, y: 2 }), point],
]

describe.each(KINDS)('a field of the kind %s', (kind, field, values) => {
  const law = (check: (value: unknown, asked: AnyField) => void) => {
    fc.assert(fc.property(values, (value) => check(value, field)))
    fc.assert(fc.property(fc.option(values), (value) => check(value, field.nullable())))
  }

  test('reads from its column what was stored there', () => {
    law((value, { codec }) => expect(codec.decode(codec.encode(value))).toEqual(value))
  })

  test('reads from stored JSON what was written there', () => {
    law((value, { codec }) => expect(codec.revive(JSON.parse(writeJson(value)))).toEqual(value))
  })

  test('reads what it shows', () => {
    law((value, { codec }) => expect(codec.read(codec.show(value), 'field')).toEqual(value))
  })

  test('shows what its schema describes, and takes it as a request', () => {
    const schemas = new Map(
      [field, field.nullable()].map((asked) => [
        JSON.stringify(asked.codec.schema),
        { answer: Compile(asked.codec.schema), request: Compile(asked.codec.input) },
      ]),
    )
    law((value, { codec }) => {
      const shown = codec.show(value)
      const { answer, request } = schemas.get(JSON.stringify(codec.schema)) ?? {}
      expect([answer?.Check(shown), request?.Check(shown)]).toEqual([true, true])
    })
  })

  test('has an example of that kind', () => {
    const { codec } = field
    expect(Compile(codec.schema).Check(codec.example)).toBe(true)
    expect(codec.show(codec.read(codec.example, 'field'))).toEqual(codec.example)
  })

  test('refuses null unless it is nullable', () => {
    const isNullable = kind === 'limit'
    expect(Compile(field.codec.input).Check(null)).toBe(isNullable)
    expect(Compile(field.nullable().codec.input).Check(null)).toBe(true)
  })
})

describe('a changed field', () => {
  test('does not change the original', () => {
    const plain = text()
    const noted = plain.note('A note.').example('other').default('x').as('renamed')
    expect(noted.codec.schema).toMatchObject({ description: 'A note.' })
    expect(noted.codec.input).toMatchObject({ description: 'A note.' })
    expect([noted.codec.example, noted.hasDefault, noted.naming.as]).toEqual(['other', true, 'renamed'])
    expect([plain.codec.example, plain.hasDefault, plain.naming.as]).toEqual(['text', false, undefined])
    expect(plain.codec.schema).not.toHaveProperty('description')
  })

  test('keeps note, default and name when it becomes nullable', () => {
    const field = text().note('A note.').default('x').as('renamed').nullable()
    expect(field.codec.schema).toMatchObject({ description: 'A note.' })
    expect([field.hasDefault, field.defaultFrom?.({}), field.naming.as]).toEqual([true, 'x', 'renamed'])
  })

  test('passes what it reads through its check, null excepted when nullable comes after', () => {
    const sorted = list(integer()).refine((values) => values.toSorted((a, b) => a - b))
    expect(sorted.codec.read([3, 1, 2], 'field')).toEqual([1, 2, 3])
    expect(sorted.nullable().codec.read(null, 'field')).toBeNull()
  })
})

describe('a list', () => {
  test('names the place of what it refuses', () => {
    const given = [{ input: '1' }, { input: 'much' }]
    expect(() => list(Price.field).codec.read(given, 'prices')).toThrow('prices[1].input must be')
  })
})

describe('text of a query parameter or flag', () => {
  const cases: readonly (readonly [AnyField, string, unknown])[] = [
    [integer(), '60', 60],
    [flag(), 'true', true],
    [flag(), 'false', false],
    [choice(FRUITS), 'pear', 'pear'],
    [amount(), '1.5', 1_500_000_000n],
    [time(), '1970-01-01T00:00:01Z', 1_000],
    [text(), '60', '60'],
  ]
  test.each(cases)('is read as its field says (case %#)', (field, written, value) => {
    expect(readFieldText(field, written, 'param')).toEqual(value)
  })

  test.each([
    [integer(), '1.5'],
    [integer(), '-1'],
    [flag(), 'yes'],
    [choice(FRUITS), 'cherry'],
  ] as [AnyField, string][])('is refused with what the field takes (case %#)', (field, written) => {
    const { takes } = field.codec.input as unknown as { takes: string }
    expect(() => readFieldText(field, written, 'param')).toThrow(`param must be ${takes}.`)
  })
})
