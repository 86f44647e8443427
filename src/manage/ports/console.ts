import type { AccountModel, AccountStanding, AccountUsagePoint } from '../../vocabulary/account.ts'
import type { IssuedKey } from '../../vocabulary/api-key.ts'
import type { BodyStorage, KeptBody, Settlement, UsageSpan } from '../../vocabulary/settlement.ts'
import type { OwnSupplier } from '../../vocabulary/supply.ts'
import type { AuditEvent, DatabaseEngine, RedisStatus, SystemStatus } from '../../vocabulary/system.ts'
import type { PlaygroundKey } from '../../vocabulary/user.ts'
import type { Listing } from './page.ts'

/** What only the console asks of the storage. */
export interface ConsoleStore {
  loadBodyStorage(): Promise<readonly BodyStorage[]>
  /** Inserts or replaces. */
  saveBodyStorage(setting: BodyStorage, event: AuditEvent): Promise<void>
  /** Sealed on the way in. */
  saveBody(body: KeptBody): Promise<void>
  /** Null also for one that is older than `sinceMs`, or another account's. */
  findBody(accountId: string, requestId: string, sinceMs: number): Promise<KeptBody | null>
  /** Deletes some bodies that are older; how many. */
  deleteBodies(accountId: string, beforeMs: number, atMost: number): Promise<number>
  findPlaygroundKey(whose: Omit<PlaygroundKey, 'keyId'>): Promise<string | null>
  /** Inserts or replaces. */
  savePlaygroundKey(key: PlaygroundKey): Promise<void>
  describeDatabase(): Promise<{ readonly engine: DatabaseEngine; readonly sizeBytes: number }>
}

/** Takes down what is answered, as far as it has room. */
export interface BodyRecorder {
  add(answered: string | Uint8Array): void
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
  readonly cursor: string | null
}

export const EVENT_KINDS = ['settlement', 'alert', 'change'] as const
export type EventKind = (typeof EVENT_KINDS)[number]

export interface LiveEvent {
  readonly kind: EventKind
  /** Ready to be written as JSON. */
  readonly data: object
}

/** Somebody who follows an account. */
export interface Follower {
  readonly accountId: string
  /** False when there is no room for more: such a follower is let go. */
  take(event: LiveEvent): boolean
  beat(): void
  /** Whether whoever it is may still follow. */
  hasAccess(): Promise<boolean>
  end(): void
}

export interface LiveEventFeed {
  /** Gives a function that ends it. Refuses when too many follow already. */
  follow(follower: Follower): () => void
}

/** What people do with an account in the console, beyond what an operator does with it in the same words. */
export interface AccountOperations {
  readonly events: LiveEventFeed
  overview(accountId: string, range: TimeRange): Promise<AccountStanding>
  listUsage(accountId: string, question: AccountUsageQuestion): Promise<Listing<AccountUsagePoint>>
  /** As any key of the account could use them, or as this one can. */
  listModels(accountId: string, keyId: string | null): readonly AccountModel[]
  /** Whether the account may be told everything about this supplier. */
  ownsSupplier(accountId: string, supplierId: string): boolean
  /** These give the id back, and refuse what is not the account's own as not found. */
  ownKeyId(accountId: string, keyId: string): string
  ownSupplierId(accountId: string, supplierId: string): string
  ownCredentialId(accountId: string, credentialId: string): string
  findSettlement(accountId: string, requestId: string): Promise<Settlement>
  listSuppliers(accountId: string): readonly OwnSupplier[]
  deleteSupplier(accountId: string, supplierId: string, actor: string): Promise<void>
  issuePlaygroundKey(whose: Omit<PlaygroundKey, 'keyId'>, actor: string): Promise<IssuedKey>
  bodyStorage(accountId: string): BodyStorage
  setBodyStorage(setting: BodyStorage, actor: string): Promise<BodyStorage>
  findBody(accountId: string, requestId: string): Promise<KeptBody>
  /** Null when the receiver took the test; otherwise why not. */
  testWebhook(accountId: string): Promise<string | null>
}

/** Null when there is no Redis. Never fails, and answers within its deadline. */
export type DescribeRedis = () => Promise<RedisStatus | null>

export type DescribeSystem = () => Promise<SystemStatus>
