import type { Configuration, Storage } from '../../manage/ports/storage.ts'
import type { Sealer } from '../../rules/access/server-secret.ts'
import { SYSTEM_TIMERS, type Timers, withTimeout } from '../../vocabulary/clock.ts'
import { Aliases } from '../../vocabulary/records/alias.ts'
import { MarkUps } from '../../vocabulary/records/mark-up.ts'
import { Tiers } from '../../vocabulary/records/tier.ts'
import { Wildcards } from '../../vocabulary/records/wildcard.ts'
import { ConfigurationWriter, loadConfigurationVersion } from './configuration-writer.ts'
import { type Database, START_LOCK } from './engines/database.ts'
import { openDatabase, type Place } from './engines/open-database.ts'
import { BINDS_ALL, type BindingPace, type SealingTransition } from './sealing-transition.ts'
import { bindMethods, onDatabase, type StoreContext, type StoreMethods } from './store.ts'
import { recordTable } from './table.ts'
import { accountStore, loadAccounts, loadKeys } from './tables/accounts/accounts.ts'
import { alertStore } from './tables/accounts/alerts.ts'
import { channelStore } from './tables/accounts/channels.ts'
import { membershipStore, sessionStore, userStore } from './tables/accounts/identity.ts'
import { inviteStore } from './tables/accounts/invites.ts'
import { loadKeyFacts } from './tables/accounts/key-facts.ts'
import { refusalStore } from './tables/accounts/refusals.ts'
import { exploreStore } from './tables/explore/explore.ts'
import { flushMeasures, setMeasureTimers } from './tables/explore/measures.ts'
import {
  listLedger,
  loadBalances,
  loadDailySpends,
  loadKeyTotals,
  loadStoredBalances,
  readLedger,
} from './tables/money/ledger.ts'
import { paymentStore } from './tables/money/payments.ts'
import { carrySettlements, moveHorizon } from './tables/money/retention.ts'
import { listSettlements, readSettlements } from './tables/money/settlement-list.ts'
import { findSettlement, writeSettlements } from './tables/money/settlements.ts'
import { verifyLedger } from './tables/money/verify-ledger.ts'
import { backgroundStore } from './tables/replies/background-replies.ts'
import { consoleStore } from './tables/replies/console.ts'
import { conversationStore } from './tables/replies/conversations.ts'
import { replyStore } from './tables/replies/kept-replies.ts'
import { type NextTurn, nextTurn } from './tables/replies/packed-content.ts'
import { chatStore } from './tables/replies/stored-chats.ts'
import { listClientSessions } from './tables/sessions/session-list.ts'
import { listAuditEvents } from './tables/supply/audit-events.ts'
import { nodeStore } from './tables/supply/nodes.ts'
import { openRecords } from './tables/supply/records.ts'
import { sinkStore } from './tables/supply/sinks.ts'
import { keepFingerprintKey, loadSupply, supplyStore } from './tables/supply/supply.ts'
import { listUsage } from './tables/usage/list-usage.ts'

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
  readonly timers?: Timers
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
  const { secrets, sealing, maxReplyBytesPerAccount = null, nextTurn: turn = nextTurn, ...rest } = options
  const { timers = SYSTEM_TIMERS, ...place } = rest
  const database = await openDatabase(place, SESSION_NAME)
  setMeasureTimers(database, timers)
  try {
    await sealing?.load(database)
  } catch (error) {
    await database.close()
    throw error
  }
  const changes = new ConfigurationWriter(database)
  const context: StoreContext = {
    database,
    engine: place.databaseUrl === null ? 'sqlite' : 'postgresql',
    secrets,
    changes,
    sealingLevel: () => sealing?.level ?? BINDS_ALL,
    nextTurn: turn,
    maxReplyBytesPerAccount,
  }
  return {
    ...bindMethods(context, METHODS),
    records: (kind) => openRecords({ database, changes }, kind),
    whileChanging: (work) => changes.whileChanging(work),
    exclusively: (work) => database.exclusively(START_LOCK, work),
    unlessRunning: (name, work) => database.unlessRunning(name, work),
    keepFingerprintKey: (first) => keepFingerprintKey(database, first, secrets),
    bindFewSeals: async (pace) => sealing?.bindFew(database, secrets, pace),
    bindAllSeals: async (pace) => (await sealing?.bindAll(database, secrets, pace)) ?? true,
    setSurvivesPowerCut: (survives) => database.setSurvivesPowerCut(survives),
  }
}

const METHODS: StoreMethods = {
  ...accountStore,
  ...supplyStore,
  ...paymentStore,
  ...nodeStore,
  ...alertStore,
  ...channelStore,
  ...refusalStore,
  ...sinkStore,
  ...userStore,
  ...membershipStore,
  ...inviteStore,
  ...sessionStore,
  ...consoleStore,
  ...replyStore,
  ...backgroundStore,
  ...conversationStore,
  ...chatStore,
  ...exploreStore,
  loadConfiguration,
  loadConfigurationVersion: onDatabase(loadConfigurationVersion),
  raiseConfigurationVersion: ({ changes }, least) => changes.raiseVersionTo(least),

  writeSettlements: onDatabase(writeSettlements),
  listSettlements: onDatabase(listSettlements),
  findSettlement: onDatabase(findSettlement),
  loadBalances: onDatabase(loadBalances),
  loadDailySpends: onDatabase(loadDailySpends),
  loadStoredBalances: onDatabase(loadStoredBalances),
  loadKeyTotals: onDatabase(loadKeyTotals),
  loadKeyFacts: onDatabase(loadKeyFacts),
  listLedger: onDatabase(listLedger),
  listUsage: onDatabase(listUsage),
  readSettlements: onDatabase(readSettlements),
  listClientSessions: onDatabase(listClientSessions),
  readLedger: onDatabase(readLedger),
  moveHorizon: onDatabase(moveHorizon),
  carrySettlements: onDatabase(carrySettlements),
  verifyLedger: onDatabase(verifyLedger),
  listAuditEvents: onDatabase(listAuditEvents),

  ping: onDatabase(ping),
  close: async ({ database }) => {
    // A database that is away must not keep the node from stopping.
    await flushMeasures(database).catch(() => undefined)
    await database.close()
  },
}

/** As of one moment: another node may write between two reads, and then the version would not be that of the rows. */
function loadConfiguration({ database, secrets }: StoreContext): Promise<Configuration> {
  return database.snapshot(async (moment) => ({
    version: await loadConfigurationVersion(moment),
    accounts: await loadAccounts(moment),
    keys: await loadKeys(moment),
    ...(await loadSupply(moment, secrets)),
    tiers: await recordTable(Tiers).list(moment),
    markUps: await recordTable(MarkUps).list(moment),
    aliases: await recordTable(Aliases).list(moment),
    wildcards: await recordTable(Wildcards).list(moment),
  }))
}

async function ping(database: Database): Promise<void> {
  await withTimeout(PING_TIMEOUT_MS, database.rows('select 1 as alive', []), () => {
    throw new Error('The database does not answer.')
  })
}
