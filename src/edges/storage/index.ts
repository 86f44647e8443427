import type { ConsoleStore } from '../../gateway/ports/console.ts'
import type { AuditEvent, Storage } from '../../gateway/ports/storage.ts'
import type { Sealer } from '../../rules/access/server-secret.ts'
import { alertStorageOn } from './alert-storage.ts'
import { bookStorageOn } from './book-storage.ts'
import { loadConfiguration } from './configuration.ts'
import { consoleStorageOn } from './console-storage.ts'
import type { Database } from './database.ts'
import { identityStorageOn } from './identity-storage.ts'
import { moneyStorageOn, tierStorageOn } from './money-storage.ts'
import { openDatabase, type Place } from './open-database.ts'
import { saveAccount } from './tables/accounts.ts'
import { listAuditEvents, writeAuditEvent } from './tables/audit-events.ts'
import { deleteCredential, saveCredential } from './tables/credentials.ts'
import { deleteExpiredReplies, deleteReply, findReply, saveReply } from './tables/kept-replies.ts'
import { findReplyItems, replaceReplyItems } from './tables/kept-reply-items.ts'
import { saveKey } from './tables/keys.ts'
import { loadBalances, loadDailySpends } from './tables/ledger.ts'
import { keepFingerprintKey } from './tables/server-keys.ts'
import { listSettlements } from './tables/settlement-list.ts'
import { findSettlement, writeSettlements } from './tables/settlements.ts'
import { deleteSupplier, saveModel, saveRoute, saveSupplier } from './tables/supply.ts'

export { isRefusal } from './refusal.ts'

const PING_TIMEOUT_MS = 5000

const SESSION_NAME = 'turnpike'

export interface StorageOptions extends Place {
  readonly secrets: Sealer
}

/** The storage of one node, with what only its start asks for. */
export interface NodeStorage extends Storage {
  /** The key that API keys are fingerprinted with; `first` becomes it when there is none yet. */
  keepFingerprintKey(first: string): Promise<string>
}

export async function openStorage({ secrets, ...place }: StorageOptions): Promise<NodeStorage> {
  const database = await openDatabase(place, SESSION_NAME)
  return {
    ...storageOn(database, secrets),
    ...consoleStorageOn(database, secrets, place.databaseUrl === null ? 'sqlite' : 'postgresql'),
    keepFingerprintKey: (first) => keepFingerprintKey(database, first, secrets),
  }
}

function storageOn(database: Database, secrets: Sealer): Omit<Storage, keyof ConsoleStore> {
  const change = (event: AuditEvent, work: (tx: Database) => Promise<void>) =>
    database.transaction(async (tx) => {
      await work(tx)
      await writeAuditEvent(tx, event)
    })
  return {
    loadConfiguration: () => loadConfiguration(database, secrets),

    saveAccount: (account, event) => change(event, (tx) => saveAccount(tx, account)),
    saveKey: (key, event) => change(event, (tx) => saveKey(tx, key)),
    saveSupplier: (supplier, event) => change(event, (tx) => saveSupplier(tx, supplier)),
    saveCredential: (credential, event) => change(event, (tx) => saveCredential(tx, credential, secrets)),
    deleteCredential: (id, event) => change(event, (tx) => deleteCredential(tx, id)),
    saveModel: (model, event) => change(event, (tx) => saveModel(tx, model)),
    saveRoute: (route, event) => change(event, (tx) => saveRoute(tx, route)),
    deleteSupplier: (id, event) => change(event, (tx) => deleteSupplier(tx, id)),

    ...moneyStorageOn(database),
    ...tierStorageOn(database),
    ...alertStorageOn(database, secrets),
    ...identityStorageOn(database, secrets),
    ...bookStorageOn(database),

    writeSettlements: (settlements) => writeSettlements(database, settlements),
    loadBalances: () => loadBalances(database),
    loadDailySpends: (keyId) => loadDailySpends(database, keyId),

    listSettlements: async (filter, page) => listSettlements(database, filter, page),
    findSettlement: (requestId) => findSettlement(database, requestId),
    listAuditEvents: async (page) => listAuditEvents(database, page),

    saveReply: (reply, items) =>
      database.transaction(async (tx) => {
        await saveReply(tx, reply, secrets)
        await replaceReplyItems(tx, { reply, items }, secrets)
      }),
    findReply: (accountId, id, nowMs) => findReply(database, { accountId, id, nowMs }, secrets),
    findReplyItems: (accountId, ids, nowMs) => findReplyItems(database, { accountId, ids, nowMs }, secrets),
    deleteReply: (accountId, id) => deleteReply(database, accountId, id),
    deleteExpiredReplies: (nowMs, atMost) => deleteExpiredReplies(database, nowMs, atMost),

    exclusively: (work) => database.exclusively(work),
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
