import { type TSchema, Type } from 'typebox'
import { GatewayError } from '../errors/gateway-error.ts'
import { stored } from './field.ts'
import {
  type AnyField,
  type ColumnOf,
  Field,
  type InputOf,
  type ValueOf,
  type WireOf,
} from './field-codec.ts'

export type Fields = Readonly<Record<string, AnyField>>

type Snake<Text extends string, Done extends string = ''> = Text extends `${infer Head}${infer Tail}`
  ? Snake<Tail, Head extends Lowercase<Head> ? `${Done}${Head}` : `${Done}_${Lowercase<Head>}`>
  : Done

type Without<Text extends string, Ending extends string> = Text extends `${infer Rest}${Ending}` ? Rest : Text

/** `expiresAtMs` is `expires_at` in JSON, `creditLineNano` is `credit_line`, `connectMs` is `connect_seconds`. */
type WireName<Name extends string, F> = F extends {
  readonly naming: { readonly as: infer As; readonly unit: infer Unit }
}
  ? As extends string
    ? As
    : Unit extends 'amount'
      ? Without<Without<Snake<Name>, '_per_million'>, '_nano'>
      : Unit extends 'time'
        ? Without<Snake<Name>, '_ms'>
        : Unit extends 'seconds'
          ? `${Without<Snake<Name>, '_ms'>}_seconds`
          : Snake<Name>
  : never

type WithDefault<F extends Fields> = {
  [Name in keyof F]: F[Name] extends { readonly hasDefault: true } ? Name : never
}[keyof F]

type Flat<T> = { [Name in keyof T]: T[Name] }

/** Fields that may be absent. One that holds anything holds undefined as well, but is always there. */
type Absent<F extends Fields> = {
  [Name in keyof F]: unknown extends ValueOf<F[Name]>
    ? never
    : undefined extends ValueOf<F[Name]>
      ? Name
      : never
}[keyof F]

/** The fields in the program. */
export type ValueIn<F extends Fields> = {
  readonly [Name in Exclude<keyof F, Absent<F>>]: ValueOf<F[Name]>
} & { readonly [Name in Absent<F>]?: ValueOf<F[Name]> }
/** The fields as answers show them. */
export type WireIn<F extends Fields> = {
  readonly [Name in Exclude<keyof F, Absent<F>> & string as WireName<Name, F[Name]>]: WireOf<F[Name]>
} & { readonly [Name in Absent<F> & string as WireName<Name, F[Name]>]?: WireOf<F[Name]> }
/** The columns of a row. */
export type RowIn<F extends Fields> = {
  readonly [Name in keyof F & string as Snake<Name>]: ColumnOf<F[Name]>
}
type InputIn<F extends Fields> = {
  readonly [Name in keyof F & string as WireName<Name, F[Name]>]: InputOf<F[Name]>
}
type DraftInput<F extends Fields> = Flat<
  InputIn<Omit<F, WithDefault<F>>> & Partial<InputIn<Pick<F, WithDefault<F>>>>
>

export type Value<S> = S extends Shape<infer F> ? Flat<ValueIn<F>> : never
/** A resource as answers show it. */
export type Shown<S> = S extends Shape<infer F> ? Flat<WireIn<F>> : never
export type Row<S> = S extends Shape<infer F> ? Flat<RowIn<F>> : never
/** What a request may send. */
export type Sent<B> = B extends Body<infer Input, infer _V> ? Input : never

/** What a request sends, and how it is read. */
export interface Body<Input, BodyValue> {
  /** Its name in the API document. */
  readonly name: string
  readonly schema: TSchema
  readonly example: Input
  read(input: Input, param?: string): BodyValue
}

/** What a field is called in JSON. */
export function wireName(name: string, { naming }: AnyField): string {
  if (naming.as !== undefined) return naming.as
  const snake = columnName(name)
  switch (naming.unit) {
    case 'amount':
      return snake.replace(/_per_million$/, '').replace(/_nano$/, '')
    case 'time':
      return snake.replace(/_ms$/, '')
    case 'seconds':
      return `${snake.replace(/_ms$/, '')}_seconds`
    default:
      return snake
  }
}

/** What a field's column is called. */
export function columnName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

// An unknown field is a mistake in an answer, or a misspelled field in a request.
const CLOSED = { additionalProperties: false } as const

/** A field of a request, with its default. */
function inputWithDefault({ codec, defaultFrom }: AnyField): TSchema {
  return defaultFrom?.isConstant ? { ...codec.input, default: codec.show(defaultFrom({})) } : codec.input
}

interface Entry {
  readonly name: string
  /** Its name in JSON. */
  readonly wire: string
  readonly column: string
  readonly field: AnyField
}

/** Fields that belong together: a resource, a part of one, or a view of one. */
export class Shape<F extends Fields> {
  /** Its name in the API document. */
  readonly name: string
  readonly fields: F
  readonly #entries: readonly Entry[]

  constructor(name: string, fields: F) {
    this.name = name
    this.fields = fields
    this.#entries = Object.entries(fields).map(([key, field]) => ({
      name: key,
      wire: wireName(key, field),
      column: columnName(key),
      field,
    }))
  }

  /** What answers hold. */
  get schema(): TSchema {
    return Type.Object(
      Object.fromEntries(this.#entries.map(({ wire, field }) => [wire, field.codec.schema])),
      CLOSED,
    )
  }

  get example(): WireIn<F> {
    return Object.fromEntries(
      this.#entries.map(({ wire, field }) => [wire, field.codec.example]),
    ) as WireIn<F>
  }

  show(value: ValueIn<F>): WireIn<F> {
    const parts = value as Readonly<Record<string, unknown>>
    const shown: Record<string, unknown> = {}
    for (const { name, wire, field } of this.#entries) shown[wire] = field.codec.show(parts[name])
    return shown as WireIn<F>
  }

  toRow(value: ValueIn<F>): RowIn<F> {
    const parts = value as Readonly<Record<string, unknown>>
    const row: Record<string, unknown> = {}
    for (const { name, column, field } of this.#entries) row[column] = field.codec.encode(parts[name])
    return row as RowIn<F>
  }

  /** The row of a change, with only the columns that it names. */
  toChangedRow(change: Partial<ValueIn<F>>): Partial<RowIn<F>> {
    const parts = change as Readonly<Record<string, unknown>>
    const row: Record<string, unknown> = {}
    for (const { name, column, field } of this.#entries) {
      if (parts[name] !== undefined) row[column] = field.codec.encode(parts[name])
    }
    return row as Partial<RowIn<F>>
  }

  fromRow(row: RowIn<F>): ValueIn<F> {
    const columns = row as Readonly<Record<string, unknown>>
    const value: Record<string, unknown> = {}
    for (const { name, column, field } of this.#entries) value[name] = field.codec.decode(columns[column])
    return value as ValueIn<F>
  }

  /** Its columns, for a select. */
  get columns(): (keyof RowIn<F> & string)[] {
    return this.#entries.map(({ column }) => column) as (keyof RowIn<F> & string)[]
  }

  /** The same and more. */
  with<More extends Fields>(name: string, more: More): Shape<Omit<F, keyof More> & More> {
    return new Shape(name, { ...this.fields, ...more } as Omit<F, keyof More> & More)
  }

  pick<Name extends keyof F & string>(name: string, names: readonly Name[]): Shape<Pick<F, Name>> {
    return new Shape(
      name,
      Object.fromEntries(names.map((each) => [each, this.fields[each]])) as Pick<F, Name>,
    )
  }

  without<Name extends keyof F & string>(name: string, names: readonly Name[]): Shape<Omit<F, Name>> {
    const rest = Object.entries(this.fields).filter(([key]) => !names.includes(key as Name))
    return new Shape(name, Object.fromEntries(rest) as unknown as Omit<F, Name>)
  }

  /** A complete body. Omitted fields get their defaults. */
  get draft(): Body<DraftInput<F>, ValueIn<F>> {
    return this.#body((field) => field.hasDefault, this.#readDraft, inputWithDefault)
  }

  /** A body that changes only the fields that it names. */
  get patch(): Body<Partial<InputIn<F>>, Partial<ValueIn<F>>> {
    return this.#body(() => true, this.#readPatch)
  }

  #body<Input, BodyValue>(
    isOptional: (field: AnyField) => boolean,
    read: (input: Readonly<Record<string, unknown>>, param: string) => unknown,
    inputOf = ({ codec }: AnyField): TSchema => codec.input,
  ): Body<Input, BodyValue> {
    const properties = this.#entries.map(({ wire, field }) => [
      wire,
      isOptional(field) ? Type.Optional(inputOf(field)) : field.codec.input,
    ])
    const required = this.#entries.filter(({ field }) => !isOptional(field))
    const named = (required.length > 0 ? required : this.#entries).map(({ wire }) => wire)
    const takes = named.join(', ').replace(/, (?=[^,]*$)/, ' and ')
    return {
      name: this.name,
      schema: Type.Object(Object.fromEntries(properties), { ...CLOSED, takes }),
      example: this.example as Input,
      read: (input, param = '') => read(input as Readonly<Record<string, unknown>>, param) as BodyValue,
    }
  }

  readonly #readPatch = (input: Readonly<Record<string, unknown>>, param: string) => {
    const value: Record<string, unknown> = {}
    for (const { name, wire, field } of this.#entries) {
      const given = input[wire]
      if (given !== undefined) value[name] = field.codec.read(given, param === '' ? wire : `${param}.${wire}`)
    }
    return value
  }

  readonly #readDraft = (input: Readonly<Record<string, unknown>>, param: string) => {
    const given = this.#readPatch(input, param)
    const value: Record<string, unknown> = {}
    for (const { name, field } of this.#entries) {
      // null is a value; only omitted fields get their default.
      const read = Object.hasOwn(given, name) ? given[name] : field.defaultFrom?.(given)
      // An optional field that is omitted is absent, as in a stored value.
      if (read !== undefined) value[name] = read
    }
    return value
  }

  /** The shape as a field of another one, stored as JSON. */
  get field(): Field<Flat<ValueIn<F>>, Flat<WireIn<F>>, string, DraftInput<F>> {
    const { draft } = this
    return stored({
      schema: this.schema,
      input: draft.schema,
      example: this.example as Flat<WireIn<F>>,
      show: (value) => this.show(value as ValueIn<F>) as Flat<WireIn<F>>,
      read: (input, param) => draft.read(input, param) as Flat<ValueIn<F>>,
      revive: (parsed) => this.#revive(parsed as Readonly<Record<string, unknown>>) as Flat<ValueIn<F>>,
    })
  }

  #revive(parsed: Readonly<Record<string, unknown>>): Record<string, unknown> {
    const value: Record<string, unknown> = {}
    for (const { name, field } of this.#entries) {
      // Values of earlier versions lack newer fields.
      if (parsed[name] !== undefined) value[name] = field.codec.revive(parsed[name])
    }
    return value
  }
}

export function shape<const F extends Fields>(name: string, fields: F): Shape<F> {
  return new Shape(name, fields)
}

/** A selection of fields: their names in JSON, separated by commas. */
export function fieldNames<F extends Fields>({
  fields,
}: Shape<F>): Field<readonly (keyof F & string)[], string, string, string> {
  const names = new Map(Object.entries(fields).map(([name, field]) => [wireName(name, field), name]))
  const takes = `names out of ${[...names.keys()].join(', ')}, separated by commas`
  const show = (chosen: readonly string[]) =>
    chosen.map((name) => wireName(name, fields[name] as AnyField)).join(',')
  const read = (text: string, param = '') => {
    const written = text.split(',').filter((name) => name !== '')
    return written.map((word) => {
      const name = names.get(word)
      if (name !== undefined) return name
      throw new GatewayError('invalid_request', `${param} must be ${takes}.`, { param })
    })
  }
  const schema = Type.String({ takes })
  const example = names.keys().next().value ?? ''
  const codec = { schema, input: schema, example, show, read, encode: show, decode: read }
  return new Field(
    { ...codec, revive: (json) => read(json as string) },
    { as: undefined, unit: 'none' },
    { has: false, from: null },
  )
}

interface InputSchema {
  readonly type?: string
  readonly enum?: readonly string[]
  readonly minimum?: number
  readonly maximum?: number
  readonly takes?: string
}

/** The value of a query parameter or of a command's flag. */
export function readFieldText<F extends AnyField>(field: F, written: string, param: string): ValueOf<F> {
  const input = field.codec.input as InputSchema
  if (!isTaken(written, input)) {
    throw new GatewayError('invalid_request', `${param} must be ${input.takes ?? 'another value'}.`, {
      param,
    })
  }
  if (input.type === 'integer') return field.codec.read(Number(written), param)
  return field.codec.read(input.type === 'boolean' ? written === 'true' : written, param)
}

function isTaken(written: string, { type, enum: words, minimum = 0, maximum = 1e15 }: InputSchema): boolean {
  if (type === 'boolean') return written === 'true' || written === 'false'
  if (type !== 'integer') return words?.includes(written) ?? true
  return /^\d{1,15}$/.test(written) && Number(written) >= minimum && Number(written) <= maximum
}
