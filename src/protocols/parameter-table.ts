import Type, {
  type Static,
  type TNull,
  type TObject,
  type TOptional,
  type TSchema,
  type TUnion,
} from 'typebox'
import {
  DEFAULT_PARAMETERS,
  type ParameterName,
  PUBLIC_NAMES,
  type RequestParameters,
} from '../conversation/parameters.ts'
import type { JsonObject } from '../wire/json-values.ts'

type Members = Readonly<Record<string, TSchema>>

/** What the rows of a table write to. Each format adds what its rows need to decide. */
export interface ParameterEncoding {
  /** Gets the encoded members, in the order of the table. */
  readonly body: Record<string, unknown>
  /** Public names of parameters that were left out or changed. */
  readonly dropped: Set<string>
}

/** How a wire format carries one parameter of a conversation. */
export interface ParameterRow<Value, Encoding, Wire extends Members = Members> {
  /** The members of a request that hold the parameter, and their schemas. */
  readonly members: Wire
  /** Absent when the format has no such parameter. Decoding then gives the default. */
  decode?(request: Static<TObject<Wire>>): Value
  /** False when the model refuses the parameter, which is then reported as dropped. */
  isTaken?(encoding: Encoding): boolean
  /**
   * Writes the members of a parameter that is set.
   * - `dropped`: the parameter is reported as dropped.
   * - `ignored`: nothing is lost without it.
   * - `elsewhere`: another part of the encoder writes or refuses it.
   */
  readonly encode:
    | 'dropped'
    | 'ignored'
    | 'elsewhere'
    | ((encoding: Encoding, value: NonNullable<Value>) => void)
  /** Paths that a retry may leave out when a supplier refuses them. */
  readonly strippable?: readonly string[]
}

/** Members that hold no parameter but have their place among those that do. Called for every request. */
interface PlacedRow<Encoding> {
  encode(encoding: Encoding): void
}

/** A table has a row for each parameter: a new one does not compile until every format has its row. */
type ParameterRows<Encoding> = {
  readonly [Name in ParameterName]: ParameterRow<RequestParameters[Name], Encoding>
}
type PlacedRows<Rows, Encoding> = {
  readonly [Name in Exclude<keyof Rows, ParameterName>]: PlacedRow<Encoding>
}

/** The row of a parameter that a format does not have. */
export const NO_FIELD = { members: {}, encode: 'dropped' } as const

export function optionalOrNull<Schema extends TSchema>(schema: Schema): OptionalOrNull<Schema> {
  return Type.Optional(Type.Union([schema, Type.Null()]))
}

type OptionalOrNull<Schema extends TSchema> = TOptional<TUnion<[Schema, TNull]>>

/** Makes a row. Infers the members, so that `decode` has their types. */
export function parameter<Value, Encoding, const Wire extends Members>(
  members: Wire,
  row: Omit<ParameterRow<NoInfer<Value>, NoInfer<Encoding>, Wire>, 'members'>,
): ParameterRow<Value, Encoding, Wire> {
  return { members, ...row }
}

interface CopiedOptions<Encoding> {
  isTaken?(encoding: Encoding): boolean
  /** The path of the member when a retry may leave it out. */
  readonly strippable?: string
}

/** Makes the row of a parameter that one optional member holds as it is. */
export function copied<
  Value,
  Encoding extends ParameterEncoding,
  const Name extends string,
  Schema extends TSchema,
>(
  name: Name,
  schema: Schema,
  { isTaken, strippable }: CopiedOptions<NoInfer<Encoding>> = {},
): ParameterRow<Value, Encoding, Readonly<Record<Name, OptionalOrNull<Schema>>>> {
  const members = { [name]: optionalOrNull(schema) } as Record<Name, OptionalOrNull<Schema>>
  return {
    members,
    decode: (request) => ((request as Record<string, unknown>)[name] ?? null) as Value,
    ...(isTaken && { isTaken }),
    encode: ({ body }, value) => {
      body[name] = value
    },
    ...(strippable !== undefined && { strippable: [strippable] }),
  }
}

type MembersIn<Row> = Row extends { readonly members: infer Wire } ? Wire : never
type Intersect<Union> = (Union extends unknown ? (each: Union) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never
type AllMembers<Rows> = Intersect<MembersIn<Rows[keyof Rows]>>

export interface ParameterTable<Wire, Encoding> {
  /** The schemas of all members. */
  readonly members: Wire
  readonly strippable: readonly string[]
  decode(request: JsonObject): RequestParameters
  encode(parameters: RequestParameters, encoding: Encoding): void
}

/**
 * Compiles the parameter table of a format. Schema, decoding, encoding and the list of strippable parameters follow
 * from its rows. Members are encoded in the order of the rows.
 */
export function parameterTable<Encoding extends ParameterEncoding>() {
  return <Rows extends ParameterRows<Encoding> & PlacedRows<Rows, Encoding>>(
    rows: Rows,
  ): ParameterTable<{ readonly [Name in keyof AllMembers<Rows>]: AllMembers<Rows>[Name] }, Encoding> => {
    const named: readonly NamedRow<Encoding>[] = Object.entries<AnyRow<Encoding>>(rows)
    const parameters = named.flatMap(([name, row]) => ('members' in row ? [[name, row] as const] : []))
    const decoders = parameters.flatMap(([name, { decode }]) => (decode ? [{ name, decode }] : []))
    const encoders = named.flatMap(compileEncoder)
    return {
      members: Object.assign({}, ...parameters.map(([, row]) => row.members)),
      strippable: parameters.flatMap(([, row]) => row.strippable ?? []),
      decode: (request) => {
        const decoded: Record<string, unknown> = { ...DEFAULT_PARAMETERS }
        for (const { name, decode } of decoders) decoded[name] = decode(request)
        return decoded as unknown as RequestParameters
      },
      encode: (given, encoding) => {
        for (const { name, encode } of encoders) {
          const value = name === null ? undefined : given[name]
          if (name === null || isSet(name, value)) encode(encoding, value)
        }
      },
    }
  }
}

type AnyRow<Encoding> = ParameterRow<unknown, Encoding> | PlacedRow<Encoding>
type NamedRow<Encoding> = readonly [name: string, row: AnyRow<Encoding>]

interface RowEncoder<Encoding> {
  /** The parameter; null for a placed row. */
  readonly name: ParameterName | null
  encode(encoding: Encoding, value: unknown): void
}

function compileEncoder<Encoding extends ParameterEncoding>([
  key,
  row,
]: NamedRow<Encoding>): RowEncoder<Encoding>[] {
  if (!('members' in row)) return [{ name: null, encode: row.encode }]
  const name = key as ParameterName
  const drop = ({ dropped }: Encoding) => {
    dropped.add(PUBLIC_NAMES[name])
  }
  const { isTaken } = row
  if (row.encode === 'dropped') return [{ name, encode: drop }]
  if (row.encode === 'ignored' || row.encode === 'elsewhere') return []
  // Only values that are set are encoded, so they are never null.
  const encode = row.encode as RowEncoder<Encoding>['encode']
  if (isTaken === undefined) return [{ name, encode }]
  return [{ name, encode: (to, value) => (isTaken(to) ? encode(to, value) : drop(to)) }]
}

function isSet(name: ParameterName, value: unknown): boolean {
  if (value === DEFAULT_PARAMETERS[name]) return false
  return !Array.isArray(value) || value.length > 0
}
