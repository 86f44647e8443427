import { sql } from 'kysely'
import {
  SealError,
  type SealedPlace,
  type Sealer,
  type UnboundRules,
} from '../../rules/access/server-secret.ts'
import type { Database } from './engines/database.ts'
import { queryOn } from './query.ts'
import {
  columnName,
  loadBoundColumns,
  nextSealed,
  replaceSealed,
  SEALED_COLUMNS,
  type SealedColumn,
  type SealedValue,
  saveBoundColumn,
} from './tables/supply/sealed-columns.ts'

/** How far a node is: it reads bound values, or it writes them too. Nodes of earlier versions are at 0. */
const READS = 1
const WRITES = 2
/** What a node tells that knows no other values. */
export const BINDS_ALL = WRITES
const JOB = 'bind-seals'
// More than the longest lease: nodes that are silent for longer are struck off by the others.
const SILENT_MS = 60 * 60 * 1_000

/** How somebody who binds many values stays out of the way of requests. */
export interface BindingPace {
  /** Called after each value, with how long it took. */
  pause(tookMs: number): Promise<void>
  isStopping(): boolean
  /** A value that does not open is left as it is: nobody can read it anyway. */
  onUnopened(error: SealError): void
}

/**
 * The way from values that open in any row to values that are bound to theirs.
 *
 * While a node of an earlier version lives, values are written as it can read them. When none does, every node begins to
 * write bound values; when all do, what is left of the others is sealed anew, and each column in which none is left is
 * written down as bound. From then on it takes no other. A process that is killed on the way leaves each row in one form
 * or the other, and the next goes on where it was.
 */
export class SealingTransition implements UnboundRules {
  /** Whether no other process can have the same database. */
  readonly #isAlone: boolean
  #bound = new Set<string>()
  #level = READS

  constructor(isAlone: boolean) {
    this.#isAlone = isAlone
  }

  /** What other nodes are told with each heartbeat. */
  get level(): number {
    return this.#level
  }

  get isDone(): boolean {
    return Object.values(SEALED_COLUMNS).every((column) => this.#bound.has(columnName(column)))
  }

  readsUnbound(place: SealedPlace): boolean {
    return !this.#bound.has(columnName(place))
  }

  writesUnbound(place: SealedPlace): boolean {
    return this.#level < WRITES && this.readsUnbound(place)
  }

  /** Before anything is read or written. */
  async load(database: Database): Promise<void> {
    this.#bound = await loadBoundColumns(database)
    if (this.isDone || !(await this.#hasNodeBelow(database, READS))) this.#level = WRITES
  }

  /** At the start: what is few, and what is empty. The many are left for later. */
  async bindFew(database: Database, secrets: Sealer, pace: BindingPace): Promise<void> {
    await this.#bindThose(database, async (column) => {
      if (column.isExpendable === true) {
        return (await nextSealed(database, column, { after: null, atMost: 1 })).length === 0
      }
      return bindColumn({ database, secrets, column, pace })
    })
  }

  /** True when nothing is left to be done; else it is to be called again a little later. */
  async bindAll(database: Database, secrets: Sealer, pace: BindingPace): Promise<boolean> {
    await this.load(database)
    await this.#bindThose(database, (column) => bindColumn({ database, secrets, column, pace }))
    return this.isDone
  }

  /** One process at a time; the others find later what it has done. */
  async #bindThose(database: Database, bind: (column: SealedColumn) => Promise<boolean>): Promise<void> {
    // Somebody who still writes unbound values could write one behind the back of whoever looks for them.
    if (this.isDone || this.#level < WRITES || (await this.#hasNodeBelow(database, WRITES))) return
    await database.unlessRunning(JOB, async () => {
      for (const column of Object.values<SealedColumn>(SEALED_COLUMNS)) {
        if (this.#bound.has(columnName(column)) || !(await bind(column))) continue
        await saveBoundColumn(database, column)
        this.#bound.add(columnName(column))
      }
      return true
    })
  }

  /** Whether a node lives that has not come this far in reading and writing bound values. */
  async #hasNodeBelow(database: Database, level: number): Promise<boolean> {
    if (this.#isAlone) return false
    const row = await queryOn(database)
      .selectFrom('nodes')
      .select('id')
      .where('sealing', '<', BigInt(level))
      .where('heartbeat_at_ms', '>', sql<bigint>`${sql.raw(database.clockMs)} - ${sql.lit(SILENT_MS)}`)
      .limit(1)
      .executeTakeFirst()
    return row !== undefined
  }
}

interface Binding {
  readonly database: Database
  readonly secrets: Sealer
  readonly column: SealedColumn
  readonly pace: BindingPace
}

/** Every value that is not bound yet, one by one: each may be large. False when it was stopped. */
async function bindColumn(binding: Binding): Promise<boolean> {
  const { database, column, pace } = binding
  let after: readonly string[] | null = null
  for (;;) {
    const beganMs = performance.now()
    const portion = { after, atMost: 1, isUnboundOnly: true }
    const [value]: readonly SealedValue[] = await nextSealed(database, column, portion)
    if (value === undefined) return true
    if (pace.isStopping()) return false
    after = value.id
    await bindValue(binding, value)
    await pace.pause(performance.now() - beganMs)
  }
}

/** Unless somebody has changed it meanwhile: what they wrote is bound. */
async function bindValue(
  { database, secrets, column, pace }: Binding,
  { id, text }: SealedValue,
): Promise<void> {
  const place = { ...column, id }
  try {
    await replaceSealed(database, column, { id, text, by: secrets.seal(secrets.open(text, place), place) })
  } catch (error) {
    if (!(error instanceof SealError)) throw error
    pace.onUnopened(error)
  }
}
