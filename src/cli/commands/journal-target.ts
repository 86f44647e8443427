import type { ReplayTarget } from '../../edges/journal/replay-journal.ts'
import { openDataFolder } from '../../edges/settings/data-folder.ts'
import { type Environment, readSettings } from '../../edges/settings/read-settings.ts'
import type { Database } from '../../edges/storage/database.ts'
import { isRefusal } from '../../edges/storage/index.ts'
import { findStrangers } from '../../edges/storage/tables/accounts.ts'
import { findKnown, writeSettlements } from '../../edges/storage/tables/settlements.ts'
import { requireDatabase, withDatabase } from '../offline-books.ts'

/**
 * Works on the database that the environment names. One on a server may be in use by running nodes: they learn of what
 * is stored as they do from one another. One in a data folder belongs to a single gateway, which must be stopped.
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
