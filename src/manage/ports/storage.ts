import type { NodeStore, SharedStore } from '../../serve/ports/shared-storage.ts'
import type { BackgroundStore } from '../../serve/ports/state/background-store.ts'
import type { ChatStore } from '../../serve/ports/state/chat-store.ts'
import type { ConversationStore } from '../../serve/ports/state/conversation-store.ts'
import type { ReplyStore } from '../../serve/ports/state/reply-store.ts'
import type { Account, TierAssignment, TierName } from '../../vocabulary/account.ts'
import type { ApiKey, KeyFacts } from '../../vocabulary/api-key.ts'
import type { Adjustment, LedgerEntry, Payment, Refund } from '../../vocabulary/ledger.ts'
import type { NanoUsdt } from '../../vocabulary/money.ts'
import type { Alias } from '../../vocabulary/records/alias.ts'
import type { MarkUp } from '../../vocabulary/records/mark-up.ts'
import type { Tier } from '../../vocabulary/records/tier.ts'
import type { Wildcard } from '../../vocabulary/records/wildcard.ts'
import type { Settlement, SettlementListFilter } from '../../vocabulary/settlement.ts'
import type { Credential, Model, Route, RouteIds, Supplier } from '../../vocabulary/supply.ts'
import type { AuditEvent, AuditFilter } from '../../vocabulary/system.ts'
import type { ChannelStore } from './alert-channels.ts'
import type { AlertStore } from './alerts.ts'
import type { ConsoleStore } from './console.ts'
import type { ExploreStore } from './explore/explore.ts'
import type { IdentityStore } from './identity.ts'
import type { LedgerStore } from './ledger.ts'
import type { Listing, Page } from './page.ts'
import type { RecordStore } from './records.ts'
import type { RefusalStore } from './refusals.ts'
import type { SinkStore } from './sinks.ts'

/** All configuration rows, credentials decrypted. */
export interface Configuration {
  /** Of exactly these rows. */
  readonly version: number
  readonly accounts: readonly Account[]
  readonly keys: readonly ApiKey[]
  readonly suppliers: readonly Supplier[]
  readonly credentials: readonly Credential[]
  readonly models: readonly Model[]
  readonly routes: readonly Route[]
  /** When absent: only the built-in ones. */
  readonly tiers?: readonly Tier[]
  /** These, when absent: none. */
  readonly markUps?: readonly MarkUp[]
  readonly aliases?: readonly Alias[]
  readonly wildcards?: readonly Wildcard[]
}

/** What came of offering something that is recorded once per reference: now, or as it was recorded before. */
export interface Recorded<T> {
  readonly record: T
  readonly isNew: boolean
}

/** One step of an evaluation of tiers, said so that of several nodes that try it only one makes it. */
export type TierStep =
  | { readonly kind: 'move'; readonly accountId: string; readonly from: TierName; readonly to: TierName }
  | { readonly kind: 'doubt'; readonly accountId: string; readonly sinceMs: number }
  | { readonly kind: 'trust'; readonly accountId: string }
  | { readonly kind: 'end-assignment'; readonly accountId: string; readonly assignment: TierAssignment }

/** What a key has spent on each UTC day, the unit all usage periods are made of. */
export interface DailySpend {
  readonly keyId: string
  /** Days since 1970-01-01 UTC. */
  readonly day: number
  readonly amountNano: NanoUsdt
}

/**
 * Durable configuration, money and history. Every change is one transaction together with its audit event:
 * either both are there or neither.
 */
export interface Storage
  extends ReplyStore,
    BackgroundStore,
    ConversationStore,
    ChatStore,
    AlertStore,
    IdentityStore,
    LedgerStore,
    ConsoleStore,
    ExploreStore,
    ChannelStore,
    RefusalStore,
    SinkStore,
    RecordStore,
    SharedStore,
    NodeStore {
  loadConfiguration(): Promise<Configuration>

  /** Inserts or replaces. */
  saveAccount(account: Account, event: AuditEvent): Promise<void>
  /** Inserts or replaces the key and exactly its secrets. */
  saveKey(key: ApiKey, event: AuditEvent): Promise<void>
  /** By the ids of keys. */
  loadKeyFacts(keyIds: readonly string[]): Promise<ReadonlyMap<string, KeyFacts>>
  saveSupplier(supplier: Supplier, event: AuditEvent): Promise<void>
  /** The secret is encrypted on the way in. */
  saveCredential(credential: Credential, event: AuditEvent): Promise<void>
  deleteCredential(id: string, event: AuditEvent): Promise<void>
  /** Its routes and credentials go with it. */
  deleteSupplier(id: string, event: AuditEvent): Promise<void>
  deleteModel(id: string, event: AuditEvent): Promise<void>
  deleteRoute(ids: RouteIds, event: AuditEvent): Promise<void>
  saveModel(model: Model, event: AuditEvent): Promise<void>
  saveRoute(route: Route, event: AuditEvent): Promise<void>

  /**
   * Records a payment once per account and reference, raising balance and total paid.
   * A reference seen before changes nothing and gives the payment recorded then.
   */
  recordPayment(payment: Payment, event: AuditEvent): Promise<{ payment: Payment; isNew: boolean }>
  /**
   * Records payments all or none: when one of them has a reference that was recorded with another amount, in the
   * storage or earlier in the list, nothing is recorded and the records given back say where.
   */
  recordPayments(
    offers: readonly { readonly payment: Payment; readonly event: AuditEvent }[],
  ): Promise<readonly Recorded<Payment>[]>
  /** Moves the balance. One with a reference is recorded once per account and reference. */
  recordAdjustment(adjustment: Adjustment, event: AuditEvent): Promise<Recorded<Adjustment>>
  /** Records a refund once per account and reference, lowering the balance. */
  recordRefund(refund: Refund, event: AuditEvent): Promise<Recorded<Refund>>
  /** Newest first. */
  listPayments(accountId: string, page: Page): Promise<Listing<Payment>>
  findPayment(accountId: string, id: string): Promise<Payment | null>
  /** Newest first. */
  listLedger(accountId: string, page: Page): Promise<Listing<LedgerEntry>>

  /** All accounts as they are stored, which is more than this node knows when there are others. */
  loadAccounts(): Promise<readonly Account[]>
  /** Since when earned tiers have been in doubt, by account id. */
  loadTierDoubts(): Promise<ReadonlyMap<string, number>>
  /** False, and without an event, when the account is not as the step takes it to be: then another node was first. */
  takeTierStep(step: TierStep, event: AuditEvent): Promise<boolean>

  /** Settled balance of every account, by id: the sum of its ledger entries. */
  loadBalances(): Promise<ReadonlyMap<string, NanoUsdt>>
  loadDailySpends(keyId: string | null): Promise<readonly DailySpend[]>

  /** Newest first. */
  listSettlements(filter: SettlementListFilter, page: Page): Promise<Listing<Settlement>>
  findSettlement(requestId: string): Promise<Settlement | null>
  /** Newest first. */
  listAuditEvents(page: Page, filter?: AuditFilter): Promise<Listing<AuditEvent>>

  /** Runs work while no other node runs work this way: what a first start makes must be made once. */
  exclusively<Result>(work: () => Promise<Result>): Promise<Result>
  /** Runs work unless a node is running work of this name already; null when one is. */
  unlessRunning<Result>(name: string, work: () => Promise<Result>): Promise<Result | null>
  /** When the job of this name last ran to its end, on whichever node; null when it never did. */
  findLastRunMs(jobName: string): Promise<number | null>
  saveLastRunMs(jobName: string, atMs: number): Promise<void>
  /** Fails when the database does not answer. */
  ping(): Promise<void>
  close(): Promise<void>
}
