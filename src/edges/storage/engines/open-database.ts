import { join } from 'node:path'
import { MIGRATIONS, migrate } from '../migrations.ts'
import type { Database } from './database.ts'
import { openPostgres } from './postgres.ts'
import { openSqlite } from './sqlite.ts'

/** Where a database is. */
export interface Place {
  /** `postgres://…`; null keeps everything in a SQLite file in the data folder. */
  readonly databaseUrl: string | null
  readonly dataFolder: string
  /** Whether a power cut must not take what was committed; a server is set by those who run it. */
  readonly survivesPowerCut?: boolean
}

export function embeddedFile(dataFolder: string): string {
  return join(dataFolder, 'turnpike.db')
}

/** Opens the database, bringing its schema up to date. A server sees it under the name of the session. */
export async function openDatabase(
  { databaseUrl, dataFolder, survivesPowerCut = false }: Place,
  sessionName: string,
): Promise<Database> {
  const database =
    databaseUrl === null
      ? await openSqlite(embeddedFile(dataFolder), { survivesPowerCut })
      : openServer(databaseUrl, sessionName)
  try {
    await migrate(database, MIGRATIONS)
  } catch (error) {
    await database.close()
    throw error
  }
  return database
}

// The address may hold a password, so the message does not repeat it.
function openServer(databaseUrl: string, sessionName: string): Database {
  if (!/^postgres(ql)?:\/\//.test(databaseUrl)) {
    throw new Error('DATABASE_URL must start with postgres:// or postgresql://.')
  }
  return openPostgres(databaseUrl, sessionName)
}
