import {
  type Compilable,
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  type RawBuilder,
  type SqlBool,
  sql,
} from 'kysely'
import type { Database, Parameter } from './engines/database.ts'
import type { Tables } from './tables.ts'

/**
 * Queries whose tables, columns and types the compiler checks. Both engines understand the SQL this writes: `$1`, quoted
 * names, `on conflict` and `returning`. Transactions are begun on the Database, never here. How many rows a statement
 * touched is not told: whoever wants to know asks with `returning`.
 */
export function queryOn(database: Database): Kysely<Tables> {
  return queriesOf(queries, database, (sql, parameters) => database.rows(sql, parameters))
}

/** The same, each planned for its values. For lists and sums, which are long for one customer and short for another. */
export function analysisOn(database: Database): Kysely<Tables> {
  return queriesOf(analyses, database, (sql, parameters) => database.analyze(sql, parameters))
}

const queries = new WeakMap<Database, Kysely<Tables>>()
const analyses = new WeakMap<Database, Kysely<Tables>>()

function queriesOf(made: typeof queries, database: Database, run: Database['rows']): Kysely<Tables> {
  const known = made.get(database)
  if (known !== undefined) return known
  const fresh = new Kysely<Tables>({ dialect: dialectOf(new DatabaseDriver(run)) })
  made.set(database, fresh)
  return fresh
}

/** Writes queries without running them. */
const writer = new Kysely<Tables>({ dialect: dialectOf(new DummyDriver()) })

type Comparison = '=' | '>=' | '<' | '<='

/** Those conditions whose value is given, all of which have to hold. */
export function given<Table extends keyof Tables>(
  conditions: readonly (readonly [
    column: (keyof Tables[Table] & string) | RawBuilder<unknown>,
    comparison: Comparison,
    value: string | number | undefined,
  ])[],
): RawBuilder<SqlBool>[] {
  return conditions.flatMap(([column, comparison, value]) => {
    if (value === undefined) return []
    const left = typeof column === 'string' ? sql.ref(column) : column
    const right = typeof value === 'number' ? BigInt(value) : value
    return [sql<SqlBool>`${left} ${sql.raw(comparison)} ${right}`]
  })
}

export function allOf(conditions: readonly RawBuilder<SqlBool>[]): RawBuilder<SqlBool> {
  return conditions.length === 0 ? sql`1 = 1` : sql`${sql.join(conditions, sql` and `)}`
}

/** A query whose SQL is written once, for what runs with many requests: writing it takes longer than running it. */
export interface Prepared<Given, Row> {
  all(database: Database, given: Given): Promise<Row[]>
  first(database: Database, given: Given): Promise<Row | undefined>
}

/** What is given may only be handed on to the query; its values are not known when the query is written. */
export function prepare<Given extends Readonly<Record<string | number, Parameter>>, Row>(
  write: (query: Kysely<Tables>, given: Given) => Compilable<Row>,
): Prepared<Given, Row> {
  const places = new Proxy({}, { get: (_, name) => new Place(name as string) }) as Given
  // When it is first used, which for most of them is never: writing all of them would be a part of every start.
  let written: CompiledQuery | null = null
  const all = (database: Database, given: Given) => {
    written ??= write(writer, places).compile()
    return database.rows<Row>(
      written.sql,
      written.parameters.map((value) => (value instanceof Place ? given[value.name] : value) as Parameter),
    )
  }
  return { all, first: async (database, given) => (await all(database, given))[0] }
}

/** A list of so many values, which are given with the numbers from 0 on as their names. */
export function eachOf<Value>(given: Readonly<Record<number, Value>>, count: number): readonly Value[] {
  return Array.from({ length: count }, (_, index) => given[index] as Value)
}

/** The first is repeated until there are so many, so that any number of them is asked for with one statement. */
export function padded<Value>(values: readonly Value[], size: number): readonly Value[] {
  return Array.from({ length: size }, (_, index) => values[index] ?? values[0]) as Value[]
}

/** For what takes too long, or is too much for one statement, when it is done in one go. */
export function* inPortions<Item>(items: Iterable<Item>, size: number): Generator<Item[]> {
  let portion: Item[] = []
  for (const item of items) {
    portion.push(item)
    if (portion.length < size) continue
    yield portion
    portion = []
  }
  if (portion.length > 0) yield portion
}

/** Stands for a value that is given when the query is run. */
class Place {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

/** One statement that writes large values; nobody else in the process waits for the disk because of it. */
export async function writeLarge(database: Database, query: Compilable): Promise<void> {
  const { sql, parameters } = query.compile()
  await database.writeLarge(sql, parameters as readonly Parameter[])
}

function dialectOf(driver: Driver): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => driver,
    createIntrospector: (query) => new PostgresIntrospector(query),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  }
}

/** Hands queries to a database that is open already, and leaves connections and transactions to it. */
class DatabaseDriver implements Driver {
  readonly #connection: DatabaseConnection

  constructor(run: Database['rows']) {
    this.#connection = {
      executeQuery: async <Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> => ({
        rows: await run<Row>(sql, parameters as readonly Parameter[]),
      }),
      streamQuery: () => {
        throw new Error('Long results are read page by page.')
      },
    }
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection
  }

  beginTransaction(): Promise<void> {
    throw new Error('Transactions are begun on the database.')
  }

  async commitTransaction(): Promise<void> {}
  async rollbackTransaction(): Promise<void> {}
  async releaseConnection(): Promise<void> {}
  async destroy(): Promise<void> {}
}
