import type { ConsoleStore } from '../../gateway/ports/console.ts'
import type { Sealer } from '../../rules/access/server-secret.ts'
import type { DatabaseEngine } from '../../vocabulary/system.ts'
import type { ChangeBook } from './change-book.ts'
import type { Database } from './database.ts'
import {
  deleteBodies,
  findBody,
  loadBodyStorage,
  saveBody,
  saveBodyStorage,
} from './tables/replies/kept-bodies.ts'
import { findPlaygroundKey, savePlaygroundKey } from './tables/replies/playground-keys.ts'

interface ConsoleDatabase {
  readonly database: Database
  readonly changes: ChangeBook
  readonly engine: DatabaseEngine
}

/** What only the console asks of the storage. */
export function consoleStorageOn(
  { database, changes, engine }: ConsoleDatabase,
  secrets: Sealer,
): ConsoleStore {
  return {
    loadBodyStorage: () => loadBodyStorage(database),
    saveBodyStorage: (setting, event) => changes.write(event, (tx) => saveBodyStorage(tx, setting)),
    saveBody: (body) => saveBody(database, body, secrets),
    findBody: (accountId, requestId, sinceMs) =>
      findBody(database, { accountId, requestId, sinceMs }, secrets),
    deleteBodies: (accountId, beforeMs, atMost) => deleteBodies(database, { accountId, beforeMs }, atMost),
    findPlaygroundKey: (whose) => findPlaygroundKey(database, whose),
    savePlaygroundKey: (key) => savePlaygroundKey(database, key),
    describeDatabase: async () => ({ engine, sizeBytes: await sizeOf(database, engine) }),
  }
}

const SIZES: Readonly<Record<DatabaseEngine, string>> = {
  sqlite: 'select page_count * page_size as size_bytes from pragma_page_count(), pragma_page_size()',
  postgresql: 'select pg_database_size(current_database()) as size_bytes',
}

async function sizeOf(database: Database, engine: DatabaseEngine): Promise<number> {
  const [row] = await database.rows<{ size_bytes: bigint }>(SIZES[engine], [])
  return Number(row?.size_bytes ?? 0)
}
