import type { Storage } from '../../manage/ports/storage.ts'
import type { Sealer } from '../../rules/access/server-secret.ts'
import type { DatabaseEngine } from '../../vocabulary/system.ts'
import type { ConfigurationWriter } from './configuration-writer.ts'
import type { Database } from './engines/database.ts'

/** What every part of the storage works with. */
export interface StoreContext {
  readonly database: Database
  readonly engine: DatabaseEngine
  readonly secrets: Sealer
  readonly changes: ConfigurationWriter
  /** How far this node is in binding sealed values to their rows. */
  sealingLevel(): number
  /** Gives everything else in the process its turn. */
  nextTurn(): Promise<void>
  /** How much of stored replies an account may have; null: any amount. */
  readonly maxReplyBytesPerAccount: number | null
}

/** The storage but for what has a type parameter, which would be lost in StoreMethods. */
export type BoundStorage = Omit<Storage, 'whileChanging' | 'exclusively' | 'unlessRunning' | 'records'>

/** What the storage is asked for, done with a context. Parameters have the types that the ports give them. */
export type StoreMethods = {
  readonly [Name in keyof BoundStorage]: (
    context: StoreContext,
    ...given: Parameters<BoundStorage[Name]>
  ) => ReturnType<BoundStorage[Name]>
}

export function bindMethods(context: StoreContext, methods: StoreMethods): BoundStorage {
  const bound = Object.entries<(context: StoreContext, ...given: never[]) => unknown>(methods).map(
    ([name, method]) => [name, (...given: never[]) => method(context, ...given)],
  )
  return Object.fromEntries(bound)
}

/** A method that needs nothing but the database. */
export function onDatabase<Given extends unknown[], Result>(
  run: (database: Database, ...given: Given) => Result,
): (context: StoreContext, ...given: Given) => Result {
  return ({ database }, ...given) => run(database, ...given)
}
