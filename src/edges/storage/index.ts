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
import { BINDS_ALL, type BindingPace, type SealingTransition } from './sealing-transition.ts'
import { saveAccount } from './tables/accounts.ts'
import { listAuditEvents } from './tables/audit-events.ts'
import { deleteCredential, saveCredential } from './tables/credentials.ts'
import { saveKey } from './tables/keys.ts'
import { loadBalances, loadDailySpends } from './tables/ledger.ts'
import { keepFingerprintKey } from './tables/server-keys.ts'
import { listSettlements } from './tables/settlement-list.ts'
import { findSettlement } from './tables/settlements.ts'
import {
  deleteModel,
  deleteRoute,
  deleteSupplier,
  saveModel,
  saveRoute,
  saveSupplier,
} from './tables/supply.ts'

export { isRefusal } from './refusal.ts'
export { type BindingPace, SealingTransition } from './sealing-transition.ts'

const PING_TIMEOUT_MS = 5000

const SESSION_NAME = 'turnpike'

export interface StorageOptions extends Place {
  readonly secrets: Sealer
  /** How much of stored replies an account may have; null, and when left out: any amount. */
  readonly maxReplyBytesPerAccount?: number | null
  /** Gives the rest of the process its turn between two steps of something large. */
  readonly nextTurn?: NextTurn
  /** Absent: every value is bound to its row already. */
  readonly sealing?: SealingTransition
}

/** The storage of one node, with what only its start asks for. */
export interface NodeStorage extends Storage {
  /** The key that API keys are fingerprinted with; `first` becomes it when there is none yet. */
  keepFingerprintKey(first: string): Promise<string>
  /** Binds sealed values of earlier versions to their rows, as far as a start can wait for it. */
  bindFewSeals(pace: BindingPace): Promise<void>
  /** The rest of them; true when nothing is left to be done. */
  bindAllSeals(pace: BindingPace): Promise<boolean>
  /** Whether from now on a change, and with it all before it, is on the disk when it is done; a server has its own rule. */
  setSurvivesPowerCut(survives: boolean): Promise<void>
}

export async function openStorage(options: StorageOptions): Promise<NodeStorage> {
  const { secrets, sealing, maxReplyBytesPerAccount = null, ...place } = options
  const database = await openDatabase(place, SESSION_NAME)
  try {
    await sealing?.load(database)
  } catch (error) {
    await database.close()
    throw error
  }
  const changes = new ChangeBook(database)
  const engine = place.databaseUrl === null ? 'sqlite' : 'postgresql'
  return {
    ...storageOn({ database, changes, sealingLevel: () => sealing?.level ?? BINDS_ALL }, secrets),
    ...consoleStorageOn({ database, changes, engine }, secrets),
    ...replyStorageOn({
      database,
      secrets,
      nextTurn: options.nextTurn ?? nextTurn,
      maxBytesPerAccount: maxReplyBytesPerAccount,
    }),
    keepFingerprintKey: (first) => keepFingerprintKey(database, first, secrets),
    bindFewSeals: async (pace) => sealing?.bindFew(database, secrets, pace),
    bindAllSeals: async (pace) => (await sealing?.bindAll(database, secrets, pace)) ?? true,
    setSurvivesPowerCut: (survives) => database.setSurvivesPowerCut(survives),
  }
}

interface StorageGround {
  readonly database: Database
  readonly changes: ChangeBook
  readonly sealingLevel: () => number
}

function storageOn(
  { database, changes, sealingLevel }: StorageGround,
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
    deleteModel: (id, event) => changes.write(event, (tx) => deleteModel(tx, id)),
    deleteRoute: (ids, event) => changes.write(event, (tx) => deleteRoute(tx, ids)),

    ...moneyStorageOn(database, changes),
    ...tierStorageOn(database, changes),
    ...nodeStorageOn(database, changes, sealingLevel),
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
