import { existsSync } from 'node:fs'
import type { ReplayTarget } from '../../edges/journal/replay-journal.ts'
import { openDataFolder } from '../../edges/settings/data-folder.ts'
import { type Environment, readSettings } from '../../edges/settings/read-settings.ts'
import type { Settings } from '../../edges/settings/settings.ts'
import { explainStartFailure } from '../../edges/settings/start-failure.ts'
import type { Database } from '../../edges/storage/database.ts'
import { isRefusal } from '../../edges/storage/index.ts'
import { embeddedFile, openDatabase } from '../../edges/storage/open-database.ts'
import { findKnown } from '../../edges/storage/tables/presumed-settlements.ts'
import { writeSettlements } from '../../edges/storage/tables/settlements.ts'
import { UsageError } from '../command.ts'

/**
 * Works on the database that the environment names. One on a server may be in use by running nodes: they learn of what
 * is stored as they do from one another. One in a data folder belongs to a single gateway, which must be stopped.
 */
export async function withReplayTarget<Result>(
  environment: Environment,
  work: (target: ReplayTarget) => Promise<Result>,
): Promise<Result> {
  const settings = readSettings(environment)
  const release = holdDatabase(settings)
  try {
    const database = await openDatabase(settings, 'turnpike journal replay')
    try {
      return await work(targetOn(database))
    } finally {
      await database.close()
    }
  } catch (error) {
    // A database's own words may hold its address, and with it a password.
    const message = explainStartFailure(error, settings)
    throw message === null ? error : new Error(message, { cause: error })
  } finally {
    release()
  }
}

function holdDatabase({ databaseUrl, dataFolder }: Settings): () => void {
  if (databaseUrl !== null) return () => undefined
  // Opening what is not there would make an empty one, and storing the records there would look like success.
  if (!existsSync(embeddedFile(dataFolder))) {
    throw new UsageError(
      `there is no database in ${JSON.stringify(dataFolder)}; set TURNPIKE_DATA or DATABASE_URL`,
    )
  }
  const folder = openDataFolder(dataFolder)
  return () => folder.release()
}

function targetOn(database: Database): ReplayTarget {
  return {
    findKnown: (settlements) => findKnown(database, settlements),
    persist: (settlements) => writeSettlements(database, settlements),
    isRefusal,
  }
}
