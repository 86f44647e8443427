import type { AccountModel, AccountStanding, AccountUsagePoint } from '../../vocabulary/account.ts'
import type { IssuedKey } from '../../vocabulary/api-key.ts'
import type { Dashboard, DashboardRange } from '../../vocabulary/observability/dashboard.ts'
import type { FoundBodies, ReadBodies } from '../../vocabulary/observability/read-bodies.ts'
import type { BodyStorage, KeptBody, SettlementView, UsageSpan } from '../../vocabulary/settlement.ts'
import type { OwnSupplier } from '../../vocabulary/supply.ts'
import type { AuditEvent, DatabaseEngine, RedisStatus, SystemStatus } from '../../vocabulary/system.ts'
import type { PlaygroundKey } from '../../vocabulary/user.ts'
import type { OwnSupplierTest } from './diagnostics.ts'
import type { Listing, Page } from './page.ts'

/** What only the console asks of the storage. */
export interface ConsoleStore {
  loadBodyStorage(): Promise<readonly BodyStorage[]>
  /** Inserts or replaces. */
  saveBodyStorage(setting: BodyStorage, event: AuditEvent): Promise<void>
  /** Sealed on the way in. */
  saveBody(body: KeptBody): Promise<void>
  /** Null also for one that is older than `sinceMs`, or another account's. */
  findBody(accountId: string, requestId: string, sinceMs: number): Promise<KeptBody | null>
  /** Newest first, opened. */
  readBodies(accountId: string, range: BodyRange, page: Page): Promise<Listing<KeptBody>>
  /** How many there are in a range, counted up to 100,000. */
  countBodies(accountId: string, range: BodyRange): Promise<number>
  /** Deletes some bodies that are older; how many. */
  deleteBodies(accountId: string, beforeMs: number, atMost: number): Promise<number>
  findPlaygroundKey(whose: Omit<PlaygroundKey, 'keyId'>): Promise<string | null>
  /** Inserts or replaces. */
  savePlaygroundKey(key: PlaygroundKey): Promise<void>
  describeDatabase(): Promise<{ readonly engine: DatabaseEngine; readonly sizeBytes: number }>
}

export interface BodyRange {
  readonly fromMs: number
  readonly toMs: number
}

export interface BodyQuestion {
  readonly text: string
  readonly fromMs?: number | undefined
  readonly toMs?: number | undefined
  /** Null for a new search. */
  readonly cursor: string | null
}

/** Takes down what is answered, as far as it has room. */
export interface BodyRecorder {
  /** `reply` is a whole answer as an object, when it was read as one anyway. */
  add(answered: string | Uint8Array, reply?: unknown): void
  /** Hands over what was taken down; it is written when there is time. */
  end(requestId: string): void
}

/** What the request path asks: null for every account that does not want its bodies kept. */
export interface BodyKeeper {
  begin(accountId: string, request: string): BodyRecorder | null
}

export interface TimeRange {
  readonly fromMs: number
  readonly toMs: number
}

export const USAGE_GROUPINGS = ['none', 'model', 'key', 'supplier'] as const
export type UsageGrouping = (typeof USAGE_GROUPINGS)[number]

export interface AccountUsageQuestion extends TimeRange {
  readonly span: UsageSpan
  readonly groupBy: UsageGrouping
  /** Of this key only. */
  readonly keyId?: string | undefined
  /** Only so many of the largest groups, and the others together; every group when it is absent. */
  readonly top?: number | undefined
  readonly cursor: string | null
}

export const EVENT_KINDS = ['settlement', 'alert', 'change'] as const
export type EventKind = (typeof EVENT_KINDS)[number]

export interface LiveEvent {
  readonly kind: EventKind
  /** Ready to be written as JSON. */
  readonly data: object
}

/** A console page that follows an account. */
export interface Follower {
  readonly accountId: string
  /** Returns false when its buffer is full; then it is removed. */
  take(event: LiveEvent): boolean
  beat(): void
  /** Whether its user may still follow. */
  hasAccess(): Promise<boolean>
  end(): void
}

export interface LiveEventFeed {
  /** Returns a function that ends it. Throws when there are too many followers. */
  follow(follower: Follower): () => void
}

/** The account operations of the console that the operator API does not have. */
export interface AccountOperations {
  readonly events: LiveEventFeed
  overview(accountId: string, range: TimeRange): Promise<AccountStanding>
  listUsage(accountId: string, question: AccountUsageQuestion): Promise<Listing<AccountUsagePoint>>
  /** The models that any key of the account can use, or that this key can. */
  listModels(accountId: string, keyId: string | null): readonly AccountModel[]
  /** Whether the account may see every detail of this supplier. */
  ownsSupplier(accountId: string, supplierId: string): boolean
  /** These return the id, or throw `not_found` when it belongs to another account. */
  ownKeyId(accountId: string, keyId: string): string
  ownSupplierId(accountId: string, supplierId: string): string
  ownCredentialId(accountId: string, credentialId: string): string
  findSettlement(accountId: string, requestId: string): Promise<SettlementView>
  listSuppliers(accountId: string): readonly OwnSupplier[]
  /** Calls an own supplier once with each of its credentials; the account gets the bill. One test at a time. */
  testSupplier(accountId: string, supplierId: string): Promise<OwnSupplierTest>
  deleteSupplier(accountId: string, supplierId: string, actor: string): Promise<void>
  issuePlaygroundKey(whose: Omit<PlaygroundKey, 'keyId'>, actor: string): Promise<IssuedKey>
  bodyStorage(accountId: string): BodyStorage
  setBodyStorage(setting: BodyStorage, actor: string): Promise<BodyStorage>
  findBody(accountId: string, requestId: string): Promise<KeptBody>
  /** The same as a conversation. */
  readBodies(accountId: string, requestId: string): Promise<ReadBodies>
  /** Throws `not_found` when the account stores no bodies. */
  searchBodies(accountId: string, question: BodyQuestion): Promise<FoundBodies>
  /** null when the receiver accepted the test; otherwise the reason. */
  testWebhook(accountId: string): Promise<string | null>
}

/** null without Redis. Never rejects, and resolves within its deadline. */
export type DescribeRedis = () => Promise<RedisStatus | null>

export type DescribeSystem = () => Promise<SystemStatus>

/** What an operator looks at first. */
export type ShowDashboard = (range: DashboardRange) => Promise<Dashboard>
