import type { CandidateIds, SupplyNews } from '../../rules/routing/supply-health.ts'
import type { NanoUsdt } from '../../vocabulary/money.ts'
import type { Demand, Refusal, WindowDemand } from './admissions.ts'
import type { KeyTotals, StoredBalance } from './shared-books.ts'

/**
 * What several nodes have in common: windows, holds, balances and key totals, as numbers that are quick to ask. It
 * stands in Redis, or in the parent process of several workers. Everything in it can be lost and is then told anew:
 * balances and totals by whoever reads the database, holds by the node that placed them.
 *
 * A limits store is made for one node and speaks in its name. Each call is one atomic step. A call fails with an error when
 * the limits store does not answer within its deadline, which the limits store itself keeps; what was asked may then have happened or
 * not. Calls of one node about one account are carried out in the order in which they were made. The time is the
 * limits store's own, so nodes need not agree about it.
 */
export interface SharedLimits {
  /**
   * All of it or nothing. What is looked at first decides: generation, configuration, whether the account is known,
   * whether the key is (only if it has a spending limit), then windows, spending limit, balance. Of several full
   * windows the one that frees last is named. A request that costs nothing needs no balance; its hold is kept all the
   * same. A key fits when what it spent in the period of the limits store's own day is below its limit, and with all holds on
   * it and this one is not above it; totals of an earlier period count as nothing spent.
   */
  admit(call: AdmitCall): Promise<AdmitAnswer>
  /**
   * Takes all windows of the first option that has room for it; one without windows has. The windows of one account
   * (those whose id begins with `account:` or `key:`, in the same place where `admit` finds them), or, when it is
   * null, of supply. Neither account nor generation need be known.
   */
  takeCapacity(
    accountId: string | null,
    options: readonly (readonly WindowDemand[])[],
  ): Promise<CapacityAnswer>
  /** Where windows stand, in the order given; spends nothing. The windows of one account, or of supply. */
  look(accountId: string | null, windows: readonly WindowDemand[]): Promise<readonly WindowState[]>

  /** Holds of this node become what the requests have cost; a hold that is not there is left alone. */
  settle(accountId: string, settled: readonly OpenHold[]): Promise<void>
  /**
   * Takes in what the database says, also of an account that is not loaded yet. News of another generation changes
   * nothing. A balance of an older version changes no balance, and a total that is less or of an earlier period
   * changes no total; the rest of such news counts all the same.
   */
  learn(accountId: string, news: AccountNews): Promise<void>
  /**
   * These, and no others, are the holds of this node in an account; `unsure` are requests whose admission was asked
   * for and not answered yet: theirs are left as they are.
   */
  assertHolds(accountId: string, holds: readonly OpenHold[], unsure: readonly string[]): Promise<void>
  /** Holds of this node besides those the limits store has: their requests were let in without it. */
  addHolds(accountId: string, holds: readonly OpenHold[]): Promise<void>
  /**
   * Lets go of everything a node holds that is no more, in every account. Gives how many holds there were. An account
   * in which it held something is not known any more afterwards, nor are its keys, until it is loaded again: the node
   * may have stored what its requests cost and died before it told.
   */
  releaseNode(nodeId: string): Promise<number>

  /**
   * A limits store that was emptied begins a new generation: no account is admitted to before it is loaded in this generation,
   * and none should be loaded before every living node has told its holds and joined.
   */
  generation(): Promise<string | null>
  /** Gives the one that another node began meanwhile, if there is one. */
  beginGeneration(proposed: string): Promise<string>
  joinGeneration(generation: string): Promise<void>
  /** The ids of the nodes that have joined. */
  listJoined(generation: string): Promise<readonly string[]>

  /** The newest configuration that was announced; null when none was since the limits store was emptied. */
  configurationVersion(): Promise<number | null>
  /** An older one than is known changes nothing. */
  announceConfiguration(version: number): Promise<void>

  /** Keeps a conversation together on all nodes, for `keptMs`. */
  savePin(pin: ConversationPin): Promise<void>
  /** Keeps a sealed text of an account; what is kept is never in clear. */
  saveNote(note: SharedNote): Promise<void>
  /** The texts kept under these names; null for what is not there. */
  findNotes(accountId: string, names: readonly string[]): Promise<readonly (string | null)[]>

  /** Tells the other nodes; `keptMs` also tells nodes that start within this time. */
  publish(notice: SharedNotice, keptMs?: number): Promise<void>
  /** What was published to be kept and still is, in any order; the same notice is kept once. */
  listKept(): Promise<readonly SharedNotice[]>
  /** Called for what other nodes publish, from when the connection stands. Gives what ends it. */
  onNotice(listener: (notice: SharedNotice) => void): () => void
  /**
   * Called each time the connection stands again after it was lost, the first time included: what was said meanwhile
   * is lost, and the limits store may be another one than before.
   */
  onConnected(listener: () => void): () => void

  close(): Promise<void>
}

export interface AdmitCall extends Demand {
  /** The one this node has joined. */
  readonly generation: string
}

export type AdmitAnswer =
  | {
      readonly type: 'admitted'
      /** After it was let in, in the order of the call. */
      readonly windows: readonly WindowState[]
      readonly pin: PinnedTo | null
    }
  | { readonly type: 'refused'; readonly refusal: Refusal; readonly windows: readonly WindowState[] }
  /** There is a newer configuration than the one the request was judged by. Nothing was taken. */
  | { readonly type: 'behind'; readonly version: number }
  /** The limits store does not know enough to judge. Nothing was taken. */
  | { readonly type: 'unknown'; readonly missing: 'generation' | 'account' | 'key' }

export type CapacityAnswer =
  | { readonly type: 'taken'; readonly option: number }
  /** For each option, whole seconds (at least 1) until the last of its windows that lack room is free again. */
  | { readonly type: 'refused'; readonly retryAfterSeconds: readonly number[] }

export interface WindowState {
  /** Since the window was opened; 0 when it is not open. */
  readonly spent: number
  /** 0 when it is not open. */
  readonly closesInMs: number
}

export interface OpenHold {
  readonly requestId: string
  readonly keyId: string
  readonly amountNano: NanoUsdt
}

export interface AccountNews {
  readonly generation: string
  /** Requests of this node that are stored now: their holds are gone, and are in the balance instead. */
  readonly stored: readonly string[]
  readonly balance: Omit<StoredBalance, 'accountId'> | null
  readonly keys: readonly KeyTotals[]
  /**
   * Whether this is all there is to know, so that the account, and these keys where they have a spending limit, may be
   * admitted to from now on. Other news of a key does not make it known: it may be older than the generation.
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
  | SupplyNews
  | { readonly type: 'configuration'; readonly version: number }
  | { readonly type: 'generation'; readonly generation: string }
  /** Somebody has tried to sign in, as far as it is the other nodes' business. */
  | {
      readonly type: 'attempt'
      readonly throttle: 'byEmail' | 'byAddress' | 'codes'
      readonly key: string
      readonly change: 'begun' | 'given-back' | 'forgiven'
    }
