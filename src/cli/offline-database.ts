import { existsSync } from 'node:fs'
import type { ReplayTarget } from '../edges/journal/replay-journal.ts'
import { openDataFolder } from '../edges/settings/data-folder.ts'
import { type Environment, readSettings } from '../edges/settings/read-settings.ts'
import type { Settings } from '../edges/settings/settings.ts'
import { explainStartFailure } from '../edges/settings/start-failure.ts'
import type { Database } from '../edges/storage/engines/database.ts'
import { embeddedFile, openDatabase } from '../edges/storage/engines/open-database.ts'
import { isRefusal } from '../edges/storage/index.ts'
import { findStrangers } from '../edges/storage/tables/accounts/accounts.ts'
import { findKnown, writeSettlements } from '../edges/storage/tables/money/settlements.ts'
import { UsageError } from './command.ts'

/** The database of the environment, and the data folder of this node. */
interface OfflineDatabase {
  readonly database: Database
  readonly dataFolder: string
}

/** Works on the database while no gateway uses the data folder. */
export async function withOfflineDatabase<Result>(
  environment: Environment,
  work: (offline: OfflineDatabase) => Promise<Result>,
): Promise<Result> {
  const settings = readSettings(environment)
  requireDatabase(settings)
  const folder = openDataFolder(settings.dataFolder)
  try {
    return await withDatabase({ ...settings, dataFolder: folder.path }, 'turnpike offline', (database) =>
      work({ database, dataFolder: folder.path }),
    )
  } finally {
    folder.release()
  }
}

/** Works on the database of the settings. PostgreSQL lists the connection under the session name. */
async function withDatabase<Result>(
  settings: Settings,
  sessionName: string,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  try {
    const database = await openDatabase({ ...settings, survivesPowerCut: true }, sessionName)
    try {
      return await work(database)
    } finally {
      await database.close()
    }
  } catch (error) {
    // A database error may contain the address, and with it a password.
    const message = explainStartFailure(error, settings)
    throw message === null ? error : new Error(message, { cause: error })
  }
}

/** Opening a missing database would create an empty one, which passes every check. */
export function requireDatabase(settings: Settings): void {
  if (hasDatabase(settings)) return
  throw new UsageError(
    `there is no database in ${JSON.stringify(settings.dataFolder)}; set TURNPIKE_DATA or DATABASE_URL`,
  )
}

export function hasDatabase({ databaseUrl, dataFolder }: Settings): boolean {
  return databaseUrl !== null || existsSync(embeddedFile(dataFolder))
}

/**
 * Works on the database of the environment. PostgreSQL may be in use by running nodes, which notice the new settlements.
 * A database in a data folder belongs to one gateway, which must be stopped.
 */
export async function withReplayTarget<Result>(
  environment: Environment,
  work: (target: ReplayTarget) => Promise<Result>,
): Promise<Result> {
  const settings = readSettings(environment)
  requireDatabase(settings)
  const folder = settings.databaseUrl === null ? openDataFolder(settings.dataFolder) : null
  try {
    return await withDatabase(settings, 'turnpike journal replay', (database) => work(targetOn(database)))
  } finally {
    folder?.release()
  }
}

function targetOn(database: Database): ReplayTarget {
  return {
    findStrangers: (accountIds) => findStrangers(database, accountIds),
    findKnown: (settlements) => findKnown(database, settlements),
    persist: (settlements) => writeSettlements(database, settlements),
    isRefusal,
  }
}
