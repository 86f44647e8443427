import { join } from 'node:path'
import type { AuditEvent, Storage } from '../../gateway/ports/storage.ts'
import type { SecretKeeper } from '../../rules/access/server-secret.ts'
import { loadConfiguration } from './configuration.ts'
import type { Database } from './database.ts'
import { MIGRATIONS, migrate } from './migrations.ts'
import { openPostgres } from './postgres.ts'
import { openSqlite } from './sqlite.ts'
import { saveAccount } from './tables/accounts.ts'
import { listAuditEvents, writeAuditEvent } from './tables/audit-events.ts'
import { deleteCredential, saveCredential } from './tables/credentials.ts'
import { deleteExpiredReplies, deleteReply, findReply, saveReply } from './tables/kept-replies.ts'
import { findReplyItems, replaceReplyItems } from './tables/kept-reply-items.ts'
import { saveKey } from './tables/keys.ts'
import { findLedgerDifference, loadBalances, loadDailySpends } from './tables/ledger.ts'
import { recordAdjustment, recordPayment } from './tables/payments.ts'
import { findSettlement, listSettlements, writeSettlements } from './tables/settlements.ts'
import { saveModel, saveRoute, saveSupplier } from './tables/supply.ts'

const PING_TIMEOUT_MS = 5000

export interface StorageOptions {
  /** `postgres://…`; null keeps everything in a SQLite file in the data folder. */
  readonly databaseUrl: string | null
  readonly dataFolder: string
  readonly secrets: SecretKeeper
}

/** Opens the database, bringing its schema up to date. */
export async function openStorage({ databaseUrl, dataFolder, secrets }: StorageOptions): Promise<Storage> {
  const database =
    databaseUrl === null ? await openSqlite(join(dataFolder, 'turnpike.db')) : openServer(databaseUrl)
  try {
    await migrate(database, MIGRATIONS)
  } catch (error) {
    await database.close()
    throw error
  }
  return storageOn(database, secrets)
}

// The address may hold a password, so the message does not repeat it.
function openServer(databaseUrl: string): Database {
  if (!/^postgres(ql)?:\/\//.test(databaseUrl)) {
    throw new Error('DATABASE_URL must start with postgres:// or postgresql://.')
  }
  return openPostgres(databaseUrl)
}

function storageOn(database: Database, secrets: SecretKeeper): Storage {
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

    recordPayment: (payment, event) =>
      database.transaction(async (tx) => {
        const earlier = await recordPayment(tx, payment)
        if (earlier !== null) return { payment: earlier, isNew: false }
        await writeAuditEvent(tx, event)
        return { payment, isNew: true }
      }),
    recordAdjustment: (adjustment, event) => change(event, (tx) => recordAdjustment(tx, adjustment)),

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

    findLedgerDifference: () => findLedgerDifference(database),
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
