import type { ConsoleStore } from '../../gateway/ports/console.ts'
import type { ReplyStore } from '../../gateway/ports/reply-store.ts'
import type { Configuration, Storage } from '../../gateway/ports/storage.ts'
import type { Sealer } from '../../rules/access/server-secret.ts'
import { alertStorageOn } from './alert-storage.ts'
import { ChangeBook, loadConfigurationVersion } from './change-book.ts'
import { consoleStorageOn } from './console-storage.ts'
import { type Database, START_LOCK } from './database.ts'
import { identityStorageOn } from './identity-storage.ts'
import { moneyStorageOn, tierStorageOn } from './money-storage.ts'
import { nodeStorageOn } from './node-storage.ts'
import { openDatabase, type Place } from './open-database.ts'
import { BINDS_ALL, type BindingPace, type SealingTransition } from './sealing-transition.ts'
import { loadAccounts, saveAccount } from './tables/accounts/accounts.ts'
import { loadKeys, saveKey } from './tables/accounts/keys.ts'
import { readLedger, readSettlements } from './tables/money/exports.ts'
import { loadBalances, loadDailySpends } from './tables/money/ledger.ts'
import { carrySettlements, moveHorizon } from './tables/money/retention.ts'
import { listSettlements } from './tables/money/settlement-list.ts'
import { findSettlement } from './tables/money/settlements.ts'
import { listUsage } from './tables/money/usage-list.ts'
import { verifyLedger } from './tables/money/verify-ledger.ts'
import { replyStorageOn } from './tables/replies/kept-replies.ts'
import { type NextTurn, nextTurn } from './tables/replies/packed-content.ts'
import { listAuditEvents } from './tables/supply/audit-events.ts'
import { deleteCredential, loadCredentials, saveCredential } from './tables/supply/credentials.ts'
import { keepFingerprintKey } from './tables/supply/server-keys.ts'
import {
  deleteModel,
  deleteRoute,
  deleteSupplier,
  loadModels,
  loadRoutes,
  loadSuppliers,
  saveModel,
  saveRoute,
  saveSupplier,
} from './tables/supply/supply.ts'

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

    listUsage: async (question, page) => listUsage(database, question, page),
    readSettlements: async (filter, page) => readSettlements(database, filter, page),
    readLedger: async (filter, page) => readLedger(database, filter, page),
    moveHorizon: (goneBeforeMs, event) => moveHorizon(database, goneBeforeMs, event),
    carrySettlements: (atMost) => carrySettlements(database, atMost),
    verifyLedger: (journal, options) => verifyLedger(database, journal, options),

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

/** As of one moment: another node may write between two reads, and then the version would not be that of the rows. */
function loadConfiguration(database: Database, secrets: Sealer): Promise<Configuration> {
  return database.snapshot(async (moment) => ({
    version: await loadConfigurationVersion(moment),
    accounts: await loadAccounts(moment),
    keys: await loadKeys(moment),
    suppliers: await loadSuppliers(moment),
    credentials: await loadCredentials(moment, secrets),
    models: await loadModels(moment),
    routes: await loadRoutes(moment),
  }))
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
