import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  type RawBuilder,
  type SqlBool,
  sql,
} from 'kysely'
import type { Database, Parameter } from './database.ts'
import type { Tables } from './tables.ts'

/**
 * Queries whose tables, columns and types the compiler checks. Both engines understand the SQL this writes: `$1`, quoted
 * names, `on conflict` and `returning`. Transactions are begun on the Database, never here.
 */
export function queryOn(database: Database): Kysely<Tables> {
  const known = queries.get(database)
  if (known !== undefined) return known
  const made = new Kysely<Tables>({ dialect: dialectOf(database) })
  queries.set(database, made)
  return made
}

const queries = new WeakMap<Database, Kysely<Tables>>()

/** Inserts a row, or replaces everything of it but its key. */
export async function upsert<Table extends keyof Tables & string>(
  tx: Database,
  { table, key }: { readonly table: Table; readonly key: readonly (keyof Tables[Table] & string)[] },
  row: Tables[Table],
): Promise<void> {
  const keys = new Set<string>(key)
  const rest = Object.keys(row).filter((column) => !keys.has(column))
  const change = Object.fromEntries(rest.map((column) => [column, sql.ref(`excluded.${column}`)]))
  // The row's type has been checked; its names are not known here.
  const query = queryOn(tx) as unknown as Kysely<Record<string, Record<string, unknown>>>
  await query
    .insertInto(table as string)
    .values(row as Record<string, unknown>)
    .onConflict((conflict) => conflict.columns([...key]).doUpdateSet(change))
    .execute()
}

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

function dialectOf(database: Database): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DatabaseDriver(database),
    createIntrospector: (query) => new PostgresIntrospector(query),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  }
}

/** Hands queries to a database that is open already, and leaves connections and transactions to it. */
class DatabaseDriver implements Driver {
  readonly #connection: DatabaseConnection

  constructor(database: Database) {
    this.#connection = {
      executeQuery: async <Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> => ({
        rows: await database.rows<Row>(sql, parameters as readonly Parameter[]),
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
