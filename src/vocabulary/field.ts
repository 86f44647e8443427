import { type TSchema, Type } from 'typebox'
import { formatTime, parseTime } from './clock.ts'
import { type Codec, Field } from './field-codec.ts'
import { type FemtoUsdt, formatFemto, formatUsdt, type NanoUsdt, parseUsdt } from './money.ts'

const PLAIN = { as: undefined, unit: 'none' } as const
const NO_DEFAULT = { has: false, from: null } as const

type PlainField<Value, Column = Value> = Field<Value, Value, Column, Value>

/** A field whose value is the same in JSON and in the program. */
function plain<Value>(schema: TSchema, input: TSchema, example: Value): PlainField<Value> {
  const same = (value: Value) => value
  return new Field(
    {
      schema,
      input,
      example,
      show: same,
      read: same,
      encode: same,
      decode: same,
      revive: (json) => json as Value,
    },
    PLAIN,
    NO_DEFAULT,
  )
}

interface TextOptions {
  readonly min?: number
  readonly pattern?: string
  readonly takes?: string
}

/** Text of one to `max` characters. */
export function text(max = 200, { min = 1, pattern, takes }: TextOptions = {}): PlainField<string> {
  const length = min === 0 ? `at most ${max}` : `${min} to ${max}`
  const input = Type.String({
    ...(min > 0 && { minLength: min }),
    maxLength: max,
    ...(pattern !== undefined && { pattern }),
    takes: takes ?? `a text of ${length} characters`,
  })
  return plain<string>(Type.String(), input, 'text')
}

/** An id that the gateway or an operator has chosen. */
export function id(prefix: string): PlainField<string> {
  return text(200).example(`${prefix}_0123456789abcdef`)
}

export function choice<const Word extends string>(words: readonly Word[]): PlainField<Word> {
  const schema = Type.Enum([...words], { takes: `one of ${words.join(', ')}` })
  return plain<Word>(schema, schema, words[0] as Word)
}

interface Range {
  readonly min?: number
  readonly max?: number
}

// The range of the database column in every engine.
const LARGEST_COUNT = 2_000_000_000

/** A whole number. */
export function integer({ min = 0, max = LARGEST_COUNT }: Range = {}): PlainField<number, bigint> {
  const input = Type.Integer({
    minimum: min,
    maximum: max,
    takes: `a whole number from ${min} to ${max}`,
  })
  return storedAs(plain<number>(Type.Integer({ minimum: min }), input, Math.max(min, 60)), {
    encode: (value) => BigInt(value),
    decode: (column: bigint) => Number(column),
  })
}

/** A limit per minute or of tokens; null for none. */
export function limit() {
  return integer({ min: 1 }).nullable().default(null)
}

/** A number with a fraction, greater than zero. */
export function positiveNumber(max: number): PlainField<number, number | bigint> {
  const takes = `a number above 0 and at most ${max}`
  const input = Type.Number({ exclusiveMinimum: 0, maximum: max, takes })
  return storedAs(plain<number>(Type.Number({ exclusiveMinimum: 0 }), input, 1), {
    encode: (value): number | bigint => value,
    // SQLite gives a number without a fraction as an integer.
    decode: (column) => Number(column),
  })
}

/** A number with a fraction, zero or more. */
export function number(): PlainField<number> {
  const schema = Type.Number({ minimum: 0, takes: 'a number of 0 or more' })
  return plain<number>(schema, schema, 1)
}

export function flag(): PlainField<boolean, bigint> {
  const schema = Type.Boolean({ takes: 'true or false' })
  return storedAs(plain<boolean>(schema, schema, true), {
    encode: (value) => BigInt(value),
    decode: (column: bigint) => column === 1n,
  })
}

function storedAs<Value, Column>(
  field: PlainField<Value>,
  { encode, decode }: { encode: (value: Value) => Column; decode: (column: Column) => Value },
): PlainField<Value, Column> {
  return new Field({ ...field.codec, encode, decode }, PLAIN, NO_DEFAULT)
}

/** USDT: nano-USDT in the program and in the database, a decimal text in JSON. */
export function amount(): Field<NanoUsdt, string, bigint, string, undefined, 'amount'> {
  const takes = 'a decimal amount such as 1.25, with at most 9 decimals'
  const same = (value: bigint) => value
  return new Field(
    {
      schema: Type.String({ pattern: '^-?\\d+(\\.\\d+)?$' }),
      input: Type.String({ minLength: 1, maxLength: 30, takes }),
      example: '12.5',
      show: formatUsdt,
      read: parseUsdt,
      encode: same,
      decode: same,
      revive: (json) => BigInt(json as string),
    },
    { as: undefined, unit: 'amount' },
    NO_DEFAULT,
  )
}

/** An amount before it is rounded to nano-USDT; only shown, never sent or stored. */
export function exactAmount(): Field<FemtoUsdt, string, bigint, never> {
  const { codec } = amount()
  const read = () => {
    throw new Error('An exact amount is never read.')
  }
  return new Field({ ...codec, show: formatFemto, read }, PLAIN, NO_DEFAULT)
}

/** A percentage with at most two decimals, which may be negative: basis points in the program and in the database. */
export function percent(): Field<number, number, bigint, number> {
  const takes = 'a percentage from -100 to 1000 with at most two decimals'
  const schema = Type.Number({ minimum: -100, maximum: 1_000, multipleOf: 0.01, takes })
  return new Field(
    {
      schema,
      input: schema,
      example: 10,
      show: (basisPoints: number) => basisPoints / 100,
      // Minus zero is zero, also where values are compared.
      read: (given: number) => Math.round(given * 100) || 0,
      encode: (basisPoints: number) => BigInt(basisPoints),
      decode: (column: bigint) => Number(column),
      revive: (json) => json as number,
    },
    PLAIN,
    NO_DEFAULT,
  )
}

/** A moment: epoch milliseconds in the program and in the database, RFC 3339 in JSON. */
export function time(): Field<number, string, bigint, string, undefined, 'time'> {
  return new Field(
    {
      schema: Type.String({ format: 'date-time' }),
      input: Type.String({ maxLength: 40, takes: 'an RFC 3339 time such as "2027-01-01T00:00:00Z"' }),
      example: '2027-01-01T00:00:00Z',
      show: formatTime,
      read: parseTime,
      encode: (ms: number) => BigInt(ms),
      decode: (column: bigint) => Number(column),
      revive: (json) => json as number,
    },
    { as: undefined, unit: 'time' },
    NO_DEFAULT,
  )
}

const LONGEST_WAIT_SECONDS = 3_600

/** A duration: milliseconds in the program and in the database, seconds in JSON. */
export function seconds(): Field<number, number, bigint, number, undefined, 'seconds'> {
  const takes = `seconds, more than 0 and at most ${LONGEST_WAIT_SECONDS}`
  return new Field(
    {
      schema: Type.Number({ exclusiveMinimum: 0 }),
      input: Type.Number({ exclusiveMinimum: 0, maximum: LONGEST_WAIT_SECONDS, takes }),
      example: 30,
      show: (ms: number) => ms / 1_000,
      read: (wait: number) => Math.max(1, Math.round(wait * 1_000)),
      encode: (ms: number) => BigInt(ms),
      decode: (column: bigint) => Number(column),
      revive: (json) => json as number,
    },
    { as: undefined, unit: 'seconds' },
    NO_DEFAULT,
  )
}

/** A field that is stored as JSON text. */
export function stored<Value, Wire, Input>(
  codec: Omit<Codec<Value, Wire, string, Input>, 'encode' | 'decode'>,
): Field<Value, Wire, string, Input> {
  return new Field(
    {
      ...codec,
      encode: (value: Value) => writeJson(value),
      decode: (column: string) => codec.revive(JSON.parse(column)),
    },
    PLAIN,
    NO_DEFAULT,
  )
}

/** Any JSON value with this schema. */
export function json<Value>(
  schema: TSchema,
  example: Value,
  input = schema,
): Field<Value, Value, string, Value> {
  const same = (value: Value) => value
  return stored({
    schema,
    input,
    example,
    show: same,
    read: same,
    revive: (parsed) => parsed as Value,
  })
}

/** JSON for a text column; a bigint becomes a decimal text, which no reader can round. */
export function writeJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? part.toString() : part))
}

interface ListOptions {
  readonly min?: number
  readonly max?: number
  readonly isSet?: boolean
  readonly takes?: string
}

/** A list of values of one kind. */
export function list<Value, Wire, Column, Input>(
  item: Field<Value, Wire, Column, Input>,
  { min = 0, max, isSet = false, takes = 'a list' }: ListOptions = {},
): Field<readonly Value[], readonly Wire[], string, readonly Input[]> {
  const { codec } = item
  return stored({
    schema: Type.Array(codec.schema),
    input: Type.Array(codec.input, {
      ...(min > 0 && { minItems: min }),
      ...(max !== undefined && { maxItems: max }),
      ...(isSet && { uniqueItems: true }),
      takes,
    }),
    example: [codec.example],
    show: (values) => values.map((value) => codec.show(value)),
    read: (inputs, param) => inputs.map((input, index) => codec.read(input, `${param}[${index}]`)),
    revive: (parsed) => (parsed as unknown[]).map((value) => codec.revive(value)),
  })
}

/** Some of these words, each once. */
export function choices<const Word extends string>(words: readonly Word[]) {
  const takes = `a list of one or more of ${words.join(', ')}, each once`
  return list(choice(words), { min: 1, max: words.length, isSet: true, takes })
}
