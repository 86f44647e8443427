import { type TSchema, Type } from 'typebox'

/** How a kind of value looks in JSON, in a database column, and in the program. */
export interface Codec<Value, Wire, Column, Input> {
  /** The schema in answers. */
  readonly schema: TSchema
  /** The schema in requests. Error messages add "it takes" and the schema's `takes`. */
  readonly input: TSchema
  readonly example: Wire
  show(value: Value): Wire
  /** `param` is the path of the field, for error messages. */
  read(input: Input, param: string): Value
  encode(value: Value): Column
  decode(column: Column): Value
  /** Reads JSON that the program stored, in which integers beyond 2^53 are strings. */
  revive(json: unknown): Value
}

/** The unit at the end of a field's name in the program. JSON omits it or uses seconds. */
type Unit = 'amount' | 'time' | 'seconds' | 'none'

/** The name of a field in JSON: an explicit one, or else derived from its name in the program. */
interface Naming<As extends string | undefined, U extends Unit> {
  readonly as: As
  readonly unit: U
}

/** The value of a field that a request omits, given the other fields. */
type DefaultFrom<Value> = ((others: Readonly<Record<string, unknown>>) => Value) & {
  /** Whether it is independent of the other fields, so that the API document can show it. */
  readonly isConstant?: true
}

// biome-ignore lint/suspicious/noExplicitAny: stands for every field, whatever its types are.
export type AnyField = Field<any, any, any, any, any, any, any>
type Coded<Value, Wire, Column, Input> = { readonly codec: Codec<Value, Wire, Column, Input> }
export type ValueOf<F> = F extends Coded<infer Value, infer _W, infer _C, infer _I> ? Value : never
export type WireOf<F> = F extends Coded<infer _V, infer Wire, infer _C, infer _I> ? Wire : never
export type ColumnOf<F> = F extends Coded<infer _V, infer _W, infer Column, infer _I> ? Column : never
export type InputOf<F> = F extends Coded<infer _V, infer _W, infer _C, infer Input> ? Input : never

/**
 * One field of a resource, described once: its type in the program, in JSON and in the database follow from it.
 * Immutable: every method returns a new field.
 */
export class Field<
  Value,
  Wire,
  Column,
  Input,
  As extends string | undefined = undefined,
  U extends Unit = 'none',
  HasDefault extends boolean = false,
> {
  readonly codec: Codec<Value, Wire, Column, Input>
  readonly naming: Naming<As, U>
  readonly hasDefault: HasDefault
  readonly defaultFrom: DefaultFrom<Value> | null

  constructor(
    codec: Codec<Value, Wire, Column, Input>,
    naming: Naming<As, U>,
    fallback: { has: HasDefault; from: Field<Value, Wire, Column, Input>['defaultFrom'] },
  ) {
    this.codec = codec
    this.naming = naming
    this.hasDefault = fallback.has
    this.defaultFrom = fallback.from
  }

  /** null comes last in schemas, so that error messages are about the other type. */
  nullable(): Field<Value | null, Wire | null, Column | null, Input | null, As, U, HasDefault> {
    return new Field(nullableCodec(this.codec), this.naming, {
      has: this.hasDefault,
      from: this.defaultFrom,
    })
  }

  /** Sets the name in JSON. By default it follows from the name in the program. */
  as<const Name extends string>(name: Name): Field<Value, Wire, Column, Input, Name, U, HasDefault> {
    return new Field(
      this.codec,
      { as: name, unit: this.naming.unit },
      { has: this.hasDefault, from: this.defaultFrom },
    )
  }

  /** The value when a request omits the field. */
  default(value: Value | ((others: never) => Value)): Field<Value, Wire, Column, Input, As, U, true> {
    const from: DefaultFrom<Value> =
      typeof value === 'function'
        ? (value as () => Value)
        : Object.assign(() => value, { isConstant: true as const })
    return new Field(this.codec, this.naming, { has: true, from })
  }

  /** A request may omit it, and the program then sees null. Sending null is an error. */
  omittable(): Field<Value | null, Wire | null, Column | null, Input, As, U, true> {
    const { input, read } = this.codec
    return new Field({ ...nullableCodec(this.codec), input, read }, this.naming, {
      has: true,
      from: () => null,
    })
  }

  /** The end of an error message that starts with "it takes". */
  takes(takes: string): this {
    return this.#with({ input: { ...this.codec.input, takes } as TSchema })
  }

  /** A sentence for the API document. */
  note(description: string): this {
    const { schema, input } = this.codec
    return this.#with({ schema: { ...schema, description }, input: { ...input, description } })
  }

  /** Normalizes what was read, or throws a GatewayError. */
  refine(check: (value: Value, param: string) => Value): this {
    const { read } = this.codec
    return this.#with({ read: (input, param) => check(read(input, param), param) })
  }

  example(example: Wire): this {
    return this.#with({ example })
  }

  /** The field may be absent: undefined in the program, omitted in JSON. Call this last. */
  optional(): Field<Value | undefined, Wire | undefined, Column, Input, As, U, true> {
    const { codec } = this
    const optional: Codec<Value | undefined, Wire | undefined, Column, Input> = {
      ...codec,
      schema: Type.Optional(codec.schema),
      show: (value) => (value === undefined ? undefined : codec.show(value)),
      encode: (value) => codec.encode(value as Value),
    }
    return new Field(optional, this.naming, { has: true, from: () => undefined })
  }

  #with(change: Partial<Codec<Value, Wire, Column, Input>>): this {
    return new Field({ ...this.codec, ...change }, this.naming, {
      has: this.hasDefault,
      from: this.defaultFrom,
    }) as this
  }
}

function nullableCodec<V, W, C, I>(codec: Codec<V, W, C, I>): Codec<V | null, W | null, C | null, I | null> {
  const orNull = (schema: TSchema) => {
    const { description, ...rest } = schema as TSchema & { description?: string }
    const union = Type.Union([rest, Type.Null()])
    return description === undefined ? union : { ...union, description }
  }
  return {
    schema: orNull(codec.schema),
    input: orNull(codec.input),
    example: codec.example,
    // A value that an earlier version did not store yet is shown as null.
    show: (value) => (value === null || value === undefined ? null : codec.show(value)),
    read: (input, param) => (input === null ? null : codec.read(input, param)),
    encode: (value) => (value === null ? null : codec.encode(value)),
    decode: (column) => (column === null ? null : codec.decode(column)),
    revive: (json) => (json === null || json === undefined ? null : codec.revive(json)),
  }
}
