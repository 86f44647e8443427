import type { CandidateIds, HealthChange } from '../../rules/routing/supply-health.ts'
import type { NanoUsdt } from '../../vocabulary/money.ts'
import type { MaybePromise } from '../../vocabulary/runtime/maybe-promise.ts'
import type { AdmissionRefusal, Demand, Growth, WindowDemand } from './admissions.ts'
import type { KeyTotals, StoredBalance } from './shared-storage.ts'

/**
 * The limits store: windows, holds, balances and key totals that several nodes share, kept in Redis or in memory that
 * the workers of one machine map. Everything in it can be lost. Balances and totals are then read from the database again,
 * and each node reports its own holds.
 *
 * - A client belongs to one node and acts in its name.
 * - Each call is one atomic step.
 * - A call rejects when the store does not answer within its deadline. The step may or may not have been carried out.
 * - Calls of one node for one account are carried out in the order in which they were made.
 * - Time is the store's own, so node clocks need not agree.
 *
 * This type is for code that opens and closes the store. Everything else takes the interface it needs.
 */
export interface SharedLimits
  extends AdmissionLimits,
    SharedHolds,
    LimitsGenerations,
    ConfigurationVersions,
    ConversationMemory,
    NodeNotices {
  close(): Promise<void>
}

/** The calls a request waits for. */
export interface AdmissionLimits {
  /**
   * Takes all windows and the hold, or nothing. Checks run in this order: generation, configuration version, account
   * loaded, key loaded (only for a key with a spending limit), windows, spending limit, balance. If several windows are
   * full, the refusal names the one that resets last.
   *
   * If the call names the least that must be held, less than the amount may be held: what both the balance and the
   * spending limit have room for. The same call again holds once, and has the room of its earlier hold.
   *
   * A request that costs nothing needs no balance, but its hold is kept. A key is within its limit if what it spent in
   * the current period (by the store's day) is below the limit, and adding all holds on the key and this one does not
   * exceed it. Totals of an earlier period count as zero.
   */
  admit(call: AdmitCall): MaybePromise<AdmitAnswer>
  /**
   * Raises a hold of this node to the given amount, or changes nothing. Checks run in this order: generation, account
   * loaded, key loaded, hold known, spending limit, balance. A hold that is already as large stays as it is, so the same
   * call again holds once.
   */
  grow(call: GrowCall): Promise<GrowAnswer>
  /**
   * Takes all windows of the first option that has room; an option without windows always has. `accountId` selects the
   * account's windows (ids that start with `account:` or `key:`, the same ones `admit` uses); null selects those of
   * supply. Neither the account nor a generation has to be known.
   */
  takeCapacity(
    accountId: string | null,
    options: readonly (readonly WindowDemand[])[],
  ): Promise<CapacityAnswer>
  /** Returns the state of windows in the given order without spending. `accountId` as in `takeCapacity`. */
  look(accountId: string | null, windows: readonly WindowDemand[]): Promise<readonly WindowState[]>
}

/** Holds of this node, and the balances and totals they are checked against. */
export interface SharedHolds extends GoneNodes {
  /** Replaces holds of this node by what the requests cost. Ignores holds that do not exist. */
  settle(accountId: string, settled: readonly OpenHold[]): Promise<void>
  /**
   * Applies what the database says, also to an account that is not loaded yet. An update from another generation is
   * ignored. A balance with an older version, and a total that is lower or of an earlier period, are ignored too; the
   * rest of that update still applies.
   */
  learn(accountId: string, update: AccountUpdate): Promise<void>
  /**
   * Replaces all holds of this node in an account. `unsure` lists requests whose admission is still unanswered; their
   * holds are left unchanged.
   */
  assertHolds(accountId: string, holds: readonly OpenHold[], unsure: readonly string[]): Promise<void>
  /** Adds holds for requests that this node admitted on its own. */
  addHolds(accountId: string, holds: readonly OpenHold[]): Promise<void>
}

export interface GoneNodes {
  /**
   * Releases all holds of a node that is gone and returns how many there were. Accounts in which it had holds, and their
   * keys, must be loaded again: the node may have stored costs and died before it reported them.
   */
  releaseNode(nodeId: string): Promise<number>
}

/**
 * An emptied store starts a new generation. It admits requests for an account only after the account is loaded in that
 * generation, and no account should be loaded before every live node has reported its holds and joined.
 */
export interface LimitsGenerations {
  /** null for a store that is empty. */
  generation(): Promise<string | null>
  /** Returns the generation that is current now, which another node may have begun first. */
  beginGeneration(proposed: string): Promise<string>
  joinGeneration(generation: string): Promise<void>
  /** The ids of the nodes that have joined. */
  listJoined(generation: string): Promise<readonly string[]>
  /** The ids of the nodes whose holds the current generation may lack; null when the store cannot know. */
  listAwaited(): Promise<readonly string[] | null>
}

export interface ConfigurationVersions {
  /** The newest version that was announced; null if none was since the store was emptied. */
  configurationVersion(): Promise<number | null>
  /** Ignores a version older than the known one. */
  announceConfiguration(version: number): Promise<void>
}

/** What later turns of a conversation need, on whichever node they arrive. */
export interface ConversationMemory {
  /** Keeps a conversation with one supplier on all nodes, for `keptMs`. */
  savePin(pin: ConversationPin): Promise<void>
  /** Stores a text of an account. The caller seals it. */
  saveNote(note: SharedNote): Promise<void>
  /** The texts stored under these names; null for each that is missing. */
  findNotes(accountId: string, names: readonly string[]): Promise<readonly (string | null)[]>
}

/** Messages between nodes. */
export interface NodeNotices {
  /** Notifies the other nodes. With `keptMs`, nodes that start within that time get the notice too. */
  publish(notice: SharedNotice, keptMs?: number): Promise<void>
  /** The kept notices that have not expired, in any order. Identical notices are kept once. */
  listKept(): Promise<readonly SharedNotice[]>
  /** Calls `listener` for notices of other nodes while connected. Returns a function that unsubscribes. */
  onNotice(listener: (notice: SharedNotice) => void): () => void
  /**
   * Calls `listener` on every connect and reconnect. Notices sent in between are lost, and the store may be a different
   * one than before.
   */
  onConnected(listener: () => void): () => void
}

/**
 * What workers ask of their parent. Windows, holds and balances are in memory that all of them share.
 */
export interface ParentLink
  extends GoneNodes,
    LimitsGenerations,
    ConfigurationVersions,
    ConversationMemory,
    NodeNotices {
  /** A number for this node, which no other node ever has. */
  nodeNumber(): Promise<number>
  findPin(accountId: string, conversation: string): Promise<PinnedTo | null>
  close(): Promise<void>
}

export interface AdmitCall extends Demand {
  /** The generation this node has joined. */
  readonly generation: string
}

export interface GrowCall extends Growth {
  /** The generation this node has joined. */
  readonly generation: string
}

export type GrowAnswer = 'grown' | 'refused' | Unknown<'generation' | 'account' | 'key' | 'hold'>

/** The store lacks something it needs to decide. Nothing was taken. */
export interface Unknown<Missing> {
  readonly type: 'unknown'
  readonly missing: Missing
}

export type AdmitAnswer =
  | {
      readonly type: 'admitted'
      /** What is held; null when all that was asked for is. */
      readonly heldNano: NanoUsdt | null
      /** State after admission, in the order of the call. */
      readonly windows: readonly WindowState[]
      readonly pin: PinnedTo | null
    }
  | { readonly type: 'refused'; readonly refusal: AdmissionRefusal; readonly windows: readonly WindowState[] }
  /** A newer configuration exists than the one the request was checked against. Nothing was taken. */
  | { readonly type: 'behind'; readonly version: number }
  | Unknown<'generation' | 'account' | 'key'>

export type CapacityAnswer =
  | { readonly type: 'taken'; readonly option: number }
  /** For each option, whole seconds (at least 1) until the last of its full windows resets. */
  | { readonly type: 'refused'; readonly retryAfterSeconds: readonly number[] }

export interface WindowState {
  /** Amount spent since the window opened; 0 when it is closed. */
  readonly spent: number
  /** 0 when it is closed. */
  readonly closesInMs: number
}

export interface OpenHold {
  readonly requestId: string
  readonly keyId: string
  readonly amountNano: NanoUsdt
}

export interface AccountUpdate {
  readonly generation: string
  /** Requests of this node whose cost is now in the balance. Their holds are removed. */
  readonly stored: readonly string[]
  readonly balance: Omit<StoredBalance, 'accountId'> | null
  readonly keys: readonly KeyTotals[]
  /**
   * Whether the update is complete, so that requests for the account and these keys can be admitted from now on. Other
   * updates do not make a key known, since they may be older than the generation.
   */
  readonly isLoad: boolean
}

export type PinnedTo = Omit<CandidateIds, 'modelId'>

export interface ConversationPin extends PinnedTo {
  readonly accountId: string
  readonly conversation: string
  readonly keptMs: number
}

export interface SharedNote {
  readonly accountId: string
  readonly name: string
  readonly text: string
  readonly keptMs: number
}

export type SharedNotice =
  | HealthChange
  | { readonly type: 'configuration'; readonly version: number }
  | { readonly type: 'generation'; readonly generation: string }
  /** A sign-in attempt that counts against the limits of all nodes. */
  | {
      readonly type: 'attempt'
      readonly throttle: 'byEmail' | 'byAddress' | 'codes'
      readonly key: string
      readonly change: 'begun' | 'given-back' | 'forgiven'
    }
