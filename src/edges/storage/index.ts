import type { ConsoleStore } from '../../gateway/ports/console.ts'
import type { ReplyStore } from '../../gateway/ports/reply-store.ts'
import type { Storage } from '../../gateway/ports/storage.ts'
import type { Sealer } from '../../rules/access/server-secret.ts'
import { alertStorageOn } from './alert-storage.ts'
import { bookStorageOn } from './book-storage.ts'
import { ChangeBook } from './change-book.ts'
import { loadConfiguration } from './configuration.ts'
import { consoleStorageOn } from './console-storage.ts'
import { type Database, START_LOCK } from './database.ts'
import { identityStorageOn } from './identity-storage.ts'
import { moneyStorageOn, tierStorageOn } from './money-storage.ts'
import { nodeStorageOn } from './node-storage.ts'
import { openDatabase, type Place } from './open-database.ts'
import { type NextTurn, nextTurn } from './packed-content.ts'
import { replyStorageOn } from './reply-storage.ts'
import { saveAccount } from './tables/accounts.ts'
import { listAuditEvents } from './tables/audit-events.ts'
import { deleteCredential, saveCredential } from './tables/credentials.ts'
import { saveKey } from './tables/keys.ts'
import { loadBalances, loadDailySpends } from './tables/ledger.ts'
import { keepFingerprintKey } from './tables/server-keys.ts'
import { listSettlements } from './tables/settlement-list.ts'
import { findSettlement } from './tables/settlements.ts'
import { deleteSupplier, saveModel, saveRoute, saveSupplier } from './tables/supply.ts'

export { isRefusal } from './refusal.ts'

const PING_TIMEOUT_MS = 5000

const SESSION_NAME = 'turnpike'

export interface StorageOptions extends Place {
  readonly secrets: Sealer
  /** How much of stored replies an account may have; null, and when left out: any amount. */
  readonly maxReplyBytesPerAccount?: number | null
  /** Gives the rest of the process its turn between two steps of something large. */
  readonly nextTurn?: NextTurn
}

/** The storage of one node, with what only its start asks for. */
export interface NodeStorage extends Storage {
  /** The key that API keys are fingerprinted with; `first` becomes it when there is none yet. */
  keepFingerprintKey(first: string): Promise<string>
}

export async function openStorage(options: StorageOptions): Promise<NodeStorage> {
  const { secrets, maxReplyBytesPerAccount = null, ...place } = options
  const database = await openDatabase(place, SESSION_NAME)
  const changes = new ChangeBook(database)
  const engine = place.databaseUrl === null ? 'sqlite' : 'postgresql'
  return {
    ...storageOn(database, changes, secrets),
    ...consoleStorageOn({ database, changes, engine }, secrets),
    ...replyStorageOn({
      database,
      secrets,
      nextTurn: options.nextTurn ?? nextTurn,
      maxBytesPerAccount: maxReplyBytesPerAccount,
    }),
    keepFingerprintKey: (first) => keepFingerprintKey(database, first, secrets),
  }
}

function storageOn(
  database: Database,
  changes: ChangeBook,
  secrets: Sealer,
): Omit<Storage, keyof ConsoleStore | keyof ReplyStore> {
  return {
    loadConfiguration: () => loadConfiguration(database, secrets),

    saveAccount: (account, event) => changes.write(event, (tx) => saveAccount(tx, account)),
    saveKey: (key, event) => changes.write(event, (tx) => saveKey(tx, key)),
    saveSupplier: (supplier, event) => changes.write(event, (tx) => saveSupplier(tx, supplier)),
    saveCredential: (credential, event) =>
      changes.write(event, (tx) => saveCredential(tx, credential, secrets)),
    deleteCredential: (id, event) => changes.write(event, (tx) => deleteCredential(tx, id)),
    saveModel: (model, event) => changes.write(event, (tx) => saveModel(tx, model)),
    saveRoute: (route, event) => changes.write(event, (tx) => saveRoute(tx, route)),
    deleteSupplier: (id, event) => changes.write(event, (tx) => deleteSupplier(tx, id)),

    ...moneyStorageOn(database, changes),
    ...tierStorageOn(database, changes),
    ...nodeStorageOn(database, changes),
    ...alertStorageOn(database, secrets),
    ...identityStorageOn(database, secrets),
    ...bookStorageOn(database),

    loadBalances: () => loadBalances(database),
    loadDailySpends: (keyId) => loadDailySpends(database, keyId),

    listSettlements: async (filter, page) => listSettlements(database, filter, page),
    findSettlement: (requestId) => findSettlement(database, requestId),
    listAuditEvents: async (page) => listAuditEvents(database, page),

    exclusively: (work) => database.exclusively(START_LOCK, work),
    ping: () => ping(database),
    close: () => database.close(),
  }
}

async function ping(database: Database): Promise<void> {
  const { promise: timeout, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error('The database does not answer.')), PING_TIMEOUT_MS)
  try {
    await Promise.race([database.rows('select 1 as alive', []), timeout])
  } finally {
    clearTimeout(timer)
  }
}
