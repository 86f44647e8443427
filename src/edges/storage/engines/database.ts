export type Parameter = string | number | bigint | null

/** What only one of all processes that share a database may hold at a time. */
export interface Lock {
  readonly name: string
  /** How long to wait for it; null: for ever. */
  readonly patienceMs: number | null
}

/** Somebody else held a lock for longer than the patience of whoever wanted it. */
export class LockedOut extends Error {}

/** What must happen once among nodes that start together. */
export const START_LOCK: Lock = { name: 'start', patienceMs: null }

/**
 * What both engines have in common. SQL is written in the part of the language both know, with `$1`, `$2`, …
 * numbered in order of first appearance. Every integer comes back as a bigint, whatever its column's size.
 * Selects name their columns: one with `*` stays prepared and breaks when a newer node adds a column.
 */
export interface Database {
  /** Whether transactions come one after the other, so that none can wait for a row that another has touched. */
  readonly hasOneWriter: boolean
  /** The database's own clock as an expression of SQL, in whole milliseconds since 1970. */
  readonly clockMs: string
  rows<Row>(sql: string, parameters: readonly Parameter[]): Promise<Row[]>
  /**
   * As `rows`, for questions that read thousands of rows for one customer and ten for another: planned for these values,
   * where `rows` may use one plan for all.
   */
  analyze<Row>(sql: string, parameters: readonly Parameter[]): Promise<Row[]>
  /**
   * One statement that writes large values, by itself and outside of any transaction. Nobody else in the process waits
   * for the disk because of it.
   */
  writeLarge(sql: string, parameters: readonly Parameter[]): Promise<void>
  /**
   * All or nothing: rolled back when `work` throws. The given database is usable only until `work` ends, and
   * `work` must use no other. A transaction inside a transaction is part of the outer one.
   */
  transaction<Result>(work: (tx: Database) => Promise<Result>): Promise<Result>
  /**
   * The same for many rows: an engine that runs in this process writes them on a thread, so that no request waits. It costs
   * more than `transaction` where there are few.
   */
  bulkTransaction<Result>(work: (tx: Database) => Promise<Result>): Promise<Result>
  /**
   * Reads as of one moment, however long it takes, while others go on writing. The given database is usable only
   * until `work` ends, and reads only.
   */
  snapshot<Result>(work: (moment: Database) => Promise<Result>): Promise<Result>
  /**
   * Runs work while no other process, nor this one, runs work under the same lock. A process that dies lets go of it.
   * Fails with LockedOut when the patience ends first.
   */
  exclusively<Result>(lock: Lock, work: () => Promise<Result>): Promise<Result>
  /** Runs work unless a process is running work of this name already; null when one is. */
  unlessRunning<Result>(name: string, work: () => Promise<Result>): Promise<Result | null>
  /** Inside a transaction: nobody else changes the schema before it ends. */
  lockSchema(): Promise<void>
  /** Inside a transaction: nobody else writes to the table before it ends. */
  lockTable(name: string): Promise<void>
  /**
   * Whether from now on a commit, and with it all before it, is on the disk when it is done. A server is set by those who
   * run it, and stays as it is.
   */
  setSurvivesPowerCut(survives: boolean): Promise<void>
  close(): Promise<void>
}

/** For what cannot be done, with the reason. */
export function refuse(reason: string): () => Promise<never> {
  return () => Promise.reject(new Error(reason))
}

/** What a transaction says to what it cannot do, on whichever engine. */
export const IN_TRANSACTION = {
  snapshot: refuse('A transaction sees its own moment already.'),
  exclusively: refuse('A transaction cannot wait for other nodes.'),
  unlessRunning: refuse('A transaction cannot look at other nodes.'),
  close: refuse('A transaction cannot close its database.'),
}
