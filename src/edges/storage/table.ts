import type { Insertable, Selectable } from 'kysely'
import type { RecordFields, RecordKind } from '../../vocabulary/records/record.ts'
import { columnName, type Fields, type RowIn, type Shape, type ValueIn } from '../../vocabulary/shape.ts'
import type { Database, Parameter } from './engines/database.ts'
import { inPortions, padded } from './query.ts'
import type { Tables } from './tables.ts'

type Name = keyof Tables & string
type Row = Readonly<Record<string, Parameter>>

/** Whether rows of this shape can be written to a table and read from it; a shape that does not fit is no argument. */
type Fitting<Table extends Name, F extends Fields> =
  RowIn<F> extends Insertable<Tables[Table]>
    ? Selectable<Tables[Table]> extends RowIn<F>
      ? keyof RowIn<F> extends keyof Tables[Table]
        ? unknown
        : never
      : never
    : never

interface Plan<F extends Fields> {
  readonly key: readonly (keyof RowIn<F> & string)[]
  /** What lists are ordered by; the key when left out. */
  readonly order?: readonly (keyof RowIn<F> & string)[]
  /** What is taken only from a new row: to save it again leaves these columns as they are. */
  readonly keeps?: readonly (keyof RowIn<F> & string)[]
}

/** The table that holds what has this shape, a row for each. A shape that is not that of the table does not compile. */
export function tableOf<Table extends Name, F extends Fields>(
  table: Table,
  shape: Shape<F> & Fitting<Table, F>,
  plan: Plan<F>,
): ShapeTable<F> {
  return new ShapeTable(table, shape, plan)
}

/** The table of a record, whose columns in `Tables` follow from its shape. */
export function recordTable<F extends RecordFields>({ table, shape }: RecordKind<string, F>): ShapeTable<F> {
  return new ShapeTable(table, shape, { key: ['id'] })
}

/** Columns by name; `tableOf` checks that they exist. */
interface NamedColumns {
  readonly key: readonly string[]
  readonly order?: readonly string[]
  readonly keeps?: readonly string[]
}

/** Few distinct texts, all of which stay prepared: they differ in nothing but the columns that are asked by. */
class ShapeTable<F extends Fields> {
  readonly #shape: Shape<F>
  readonly #name: string
  readonly #key: string
  readonly #select: string
  readonly #order: string
  readonly #insert: string
  readonly #replace: string

  constructor(name: string, shape: Shape<F>, { key, order = key, keeps = [] }: NamedColumns) {
    const { columns } = shape
    const rest = columns.filter((column) => !key.includes(column) && !keeps.includes(column))
    this.#shape = shape
    this.#name = name
    this.#key = key.join(', ')
    this.#select = `select ${columns.join(', ')} from ${name}`
    this.#order = `order by ${order.join(', ')}`
    const places = columns.map((_, index) => `$${index + 1}`).join(', ')
    this.#insert = `insert into ${name} (${columns.join(', ')}) values (${places})`
    this.#replace = `do update set ${rest.map((column) => `${column} = excluded.${column}`).join(', ')}`
  }

  async list(database: Database, where: Partial<ValueIn<F>> = {}): Promise<ValueIn<F>[]> {
    const wanted = this.#shape.toChangedRow(where) as Row
    const text = `${this.#select} ${conditions(wanted)} ${this.#order}`
    const rows = await database.rows<RowIn<F>>(text, Object.values(wanted))
    return rows.map((row) => this.#shape.fromRow(row))
  }

  async find(database: Database, where: Partial<ValueIn<F>>): Promise<ValueIn<F> | null> {
    const [found] = await this.list(database, where)
    return found ?? null
  }

  /** Those with one of these values, in any order. Both engines take more at once, but SQLite takes seconds to read it. */
  async listOf<Field extends keyof F & string>(
    database: Database,
    among: { readonly field: Field; readonly values: readonly string[] },
    where: Partial<ValueIn<F>> = {},
  ): Promise<ValueIn<F>[]> {
    const wanted = this.#shape.toChangedRow(where) as Row
    const before = Object.keys(wanted).length
    const found: ValueIn<F>[] = []
    for (const portion of inPortions(among.values, 1_024)) {
      // Up to a power of two, so that any number of values makes few distinct texts, all of which stay prepared.
      const values = padded(portion, 2 ** Math.ceil(Math.log2(portion.length)))
      const places = values.map((_, index) => `$${before + index + 1}`).join(', ')
      const text = `${this.#select} ${conditions(wanted) || 'where 1 = 1'} and ${columnName(among.field)} in (${places})`
      const rows = await database.rows<RowIn<F>>(text, [...Object.values(wanted), ...values])
      for (const row of rows) found.push(this.#shape.fromRow(row))
    }
    return found
  }

  /** Inserts a row, or replaces everything of it but its key. */
  async save(tx: Database, value: ValueIn<F>): Promise<void> {
    const text = `${this.#insert} on conflict (${this.#key}) ${this.#replace}`
    await tx.rows(text, this.#parameters(value))
  }

  /** False when there is one with the same values in the columns that are named. */
  async insert(
    tx: Database,
    value: ValueIn<F>,
    unlessTaken: readonly (keyof RowIn<F> & string)[] = [],
  ): Promise<boolean> {
    const otherwise = unlessTaken.length === 0 ? '' : `on conflict (${unlessTaken.join(', ')}) do nothing`
    const text = `${this.#insert} ${otherwise} returning ${this.#key}`
    return (await tx.rows(text, this.#parameters(value))).length > 0
  }

  /** Changes what is named and nothing else, and gives how many it was changed of. */
  async change(tx: Database, where: Partial<ValueIn<F>>, change: Partial<ValueIn<F>>): Promise<number> {
    const changed = this.#shape.toChangedRow(change) as Row
    const wanted = this.#shape.toChangedRow(where) as Row
    const columns = Object.keys(changed)
    if (columns.length === 0) return 0
    const set = columns.map((column, index) => `${column} = $${index + 1}`).join(', ')
    const text = `update ${this.#name} set ${set} ${conditions(wanted, columns.length)} returning ${this.#key}`
    return (await tx.rows(text, [...Object.values(changed), ...Object.values(wanted)])).length
  }

  /** Gives how many there were. */
  async remove(tx: Database, where: Partial<ValueIn<F>>): Promise<number> {
    const wanted = this.#shape.toChangedRow(where) as Row
    const text = `delete from ${this.#name} ${conditions(wanted)} returning ${this.#key}`
    return (await tx.rows(text, Object.values(wanted))).length
  }

  #parameters(value: ValueIn<F>): Parameter[] {
    return Object.values(this.#shape.toRow(value) as Row)
  }
}

/** Behind so many parameters of what comes before. */
function conditions(wanted: Row, before = 0): string {
  const each = Object.keys(wanted).map((column, index) => `${column} = $${before + index + 1}`)
  return each.length === 0 ? '' : `where ${each.join(' and ')}`
}
