import type { SecretKeeper } from '../../rules/access/server-secret.ts'
import type { CandidateIds } from '../../rules/routing/supply-health.ts'
import type { Money } from '../../serve/ports/admissions.ts'
import type { LiveConfiguration } from '../../serve/ports/configuration.ts'
import type { IssuedKey, KeySettings } from '../../vocabulary/api-key.ts'
import type { Clock } from '../../vocabulary/clock.ts'
import type { AlertChannel } from '../../vocabulary/observability/alert-channel.ts'
import type { Snapshot } from '../../vocabulary/runtime/snapshot.ts'
import type { Credential, Format, Standing, SupplierTypeName } from '../../vocabulary/supply.ts'
import type { AuditEvent } from '../../vocabulary/system.ts'
import type { JournalReading } from '../ports/ledger.ts'
import type { Operations } from '../ports/operations.ts'
import type { PriceList } from '../ports/prices.ts'
import type { Storage } from '../ports/storage.ts'

export interface RandomSource {
  /** A fresh API key secret: `sk-` and 48 characters of A-Z, a-z and 0-9. */
  secret(): string
  /** A fresh id, `<prefix>_…`. */
  id(prefix: string): string
}

/** What is left of a credential's own windows; null when it has no such limit. */
interface RemainingCapacity {
  readonly requests: number | null
  readonly tokens: number | null
}

export interface Capacity {
  remaining(credential: Credential): RemainingCapacity
}

/** A supplier type this version can call, and what it takes to address one. */
export interface CallableType {
  readonly name: SupplierTypeName
  readonly formats: readonly Format[]
  /** The options it understands; absent when there are none. */
  readonly options?: readonly string[]
  /** Whether its answers cost nothing. */
  readonly isSimulated?: boolean
  /** What is wrong with a secret, in one sentence without the secret; null when nothing is. */
  checkSecret?(secret: string): string | null
}

/** What routing has learned of the supply. */
interface RoutingMemory {
  standing(ids: CandidateIds): Standing
  /** Starts afresh with a credential that an operator has seen to. */
  forgetCredential(ids: Omit<CandidateIds, 'modelId'>): void
}

export interface OperationParts {
  readonly storage: Storage
  /** Resolves when everything settled so far can be read from the storage, or cannot be for now. */
  readonly catchUp: () => Promise<void>
  /** Resolves when every refusal that this node has noted can be read from the storage; absent where none is noted. */
  readonly flushRefusals?: () => Promise<void>
  /** What the journal of this node says now; absent where there is none. */
  readonly readJournal?: () => JournalReading
  readonly configuration: LiveConfiguration
  readonly money: Money
  readonly capacity: Capacity
  readonly routing: RoutingMemory
  readonly clock: Clock
  readonly secrets: Pick<SecretKeeper, 'fingerprint'>
  readonly random: RandomSource
  /** How long an earned tier is kept that is not paid for any more; null when none is ever lowered by itself. */
  readonly tierGraceMs: number | null
  /** Whether webhooks may lead to addresses that are not public; absent: they may not. */
  readonly allowsPrivateWebhooks?: boolean
  /** What people call the currency; absent: USDT. */
  readonly currencyName?: string
  /** What operators have printed on receipts; absent or null: nothing. */
  readonly receiptText?: string | null
  /** Sends a test to a channel: null when it was taken, otherwise why not. Absent where nothing is sent. */
  readonly testChannel?: (channel: AlertChannel) => Promise<string | null>
  /** Whether there are keys for buckets, so that sinks may be buckets; absent: there are none. */
  readonly hasBucketKeys?: boolean
  /** The list is large, so it is loaded when an operator asks about prices. */
  readonly loadPriceList: () => Promise<PriceList>
  readonly supplierTypes: readonly CallableType[]
  /** The formats this version speaks to suppliers. */
  readonly formats: readonly Format[]
}

export interface BeforeAndAfter {
  readonly before: object | null
  readonly after: object | null
}

/** One change while it is being made: nothing else changes until it is done. */
export interface Change {
  readonly parts: OperationParts
  readonly snapshot: Snapshot
  readonly actor: string
  readonly nowMs: number
  audit(action: string, subject: string, states: BeforeAndAfter): AuditEvent
  /** Puts what was stored in force. */
  publish(edit: (snapshot: Snapshot) => Snapshot): void
}

/** Where all changes are made, one after the other, so that none is based on a state another has left behind. */
export interface ChangeQueue {
  readonly parts: OperationParts
  makeChange<T>(actor: string, work: (change: Change) => Promise<T>): Promise<T>
}

/** Changes that wait for their turn, on this node and on others. */
export function createChangeQueue({ parts, makeChange }: ChangeQueue): ChangeQueue {
  return {
    parts,
    makeChange: (actor, work) => parts.configuration.changing(() => makeChange(actor, work)),
  }
}

/** Changes that are part of a larger one, whose caller is already `changing` the configuration. */
export function createUnqueued(parts: OperationParts): ChangeQueue {
  let changes = 0
  return { parts, makeChange: (actor, work) => work(beginChange(parts, actor, ++changes)) }
}

function beginChange(parts: OperationParts, actor: string, ordinal: number): Change {
  const nowMs = parts.clock.nowMs()
  return {
    parts,
    snapshot: parts.configuration.current(),
    actor,
    nowMs,
    audit: (action, subject, states) => ({
      // Events of one millisecond are listed by id, so the id says which came first.
      id: parts.random.id(`aud_${String(ordinal).padStart(10, '0')}`),
      atMs: nowMs,
      actor,
      action,
      subject,
      ...states,
    }),
    publish: (edit) => parts.configuration.replace(edit(parts.configuration.current())),
  }
}

export interface NewKey {
  readonly settings: KeySettings
  /** Starts with `sk-`. */
  readonly secret: string
}

/** All operations, and those only the program itself may use. */
export interface LocalOperations extends Operations {
  /** Creates a key whose secret was chosen beforehand, for a first start that is told its key. */
  issueKey(accountId: string, input: NewKey, actor: string): Promise<IssuedKey>
  /**
   * Disables a credential that a supplier has refused. Returns false when an operator has handled it since, on any node:
   * it is gone, not in use, or has another secret than the refused one.
   */
  disableRefused(refused: Credential, actor: string): Promise<boolean>
}

/** The operations that change something, each with its change in the place of who asked for it. */
export type Changes = {
  readonly [Name in keyof LocalOperations]?: ChangeOf<LocalOperations[Name]>
}

type ChangeOf<Operation> = Operation extends (...args: infer Args) => Promise<infer Result>
  ? Args extends [...infer Input, actor: string]
    ? (change: Change, ...input: Input) => Promise<Result>
    : never
  : never

/** The operations that make these changes. */
export function operationsOf<C extends Changes>({ makeChange }: ChangeQueue, changes: C) {
  const operations = Object.entries(changes as Record<string, AnyChange>).map(([name, work]) => {
    const operation = (...given: [...unknown[], string]) => {
      const actor = given.at(-1) as string
      return makeChange(actor, (change) => work(change, ...given.slice(0, -1)))
    }
    return [name, operation] as const
  })
  return Object.fromEntries(operations) as unknown as Pick<LocalOperations, keyof C & keyof LocalOperations>
}

type AnyChange = (change: Change, ...input: unknown[]) => Promise<unknown>
