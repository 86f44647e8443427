import type { AdmissionRecord } from '../../../vocabulary/settlement.ts'

export const BACKGROUND_STATUSES = [
  'queued',
  'in_progress',
  'completed',
  'incomplete',
  'failed',
  'cancelled',
] as const
export type BackgroundStatus = (typeof BACKGROUND_STATUSES)[number]

/** A reply as its client gets it. */
export type ReplyObject = Readonly<Record<string, unknown>>

export interface ReplyKey {
  readonly accountId: string
  readonly id: string
}

/** A reply that a node is making. Once another one has ended it, that node can change nothing. */
export interface RunningReply extends ReplyKey {
  readonly nodeId: string
}

/** A reply that is made, or was made, in the background. Its input and result are those of the kept reply. */
export interface BackgroundReply extends ReplyKey {
  /** The node that makes it; null when it has ended. */
  readonly runningOn: string | null
  readonly status: BackgroundStatus
  /** Whether its events are stored. */
  readonly isStreamed: boolean
  /** How many events are stored. The last event of the stream is not, and has this number. */
  readonly events: number
  readonly admission: AdmissionRecord
}

/** A running reply as its node begins it. */
export interface BackgroundBeginning {
  readonly nodeId: string
  readonly isStreamed: boolean
  readonly admission: AdmissionRecord
  /** How many replies of an account may run at a time, on all nodes. */
  readonly maxRunning: number
}

/** Stored events, in order. */
export interface EventBatch {
  /** The number of the first one. */
  readonly first: number
  /** Each as it is sent to clients. */
  readonly frames: readonly string[]
}

/** How a reply ended that is not completed. */
export interface BackgroundEnding {
  readonly status: Extract<BackgroundStatus, 'failed' | 'cancelled'>
  readonly reply: ReplyObject
}

/** The account has as many replies in the background as it may. Nothing was stored. */
export class TooManyRunning extends Error {}

/** Somebody else has ended the reply, or deleted it. Nothing was stored. */
export class NoLongerRunning extends Error {}

/** Replies that are made in the background. `saveReply` begins and completes them. Another account's id finds nothing. */
export interface BackgroundStore {
  findBackground(key: ReplyKey): Promise<BackgroundReply | null>
  /** null unless it failed or was cancelled. */
  findEnding(key: ReplyKey): Promise<ReplyObject | null>
  /** The ids of all replies that this node makes. */
  listRunning(nodeId: string): Promise<readonly ReplyKey[]>
  /** Some replies whose node is none of these. */
  listLost(livingNodes: readonly string[], atMost: number): Promise<readonly BackgroundReply[]>
  /** Throws NoLongerRunning. */
  noteProgress(running: RunningReply): Promise<void>
  /** Counts as stored bytes of the account. Throws NoLongerRunning. */
  appendEvents(running: RunningReply, batch: EventBatch): Promise<void>
  /** Events after the one with this number; some of them when there are many. */
  listEvents(key: ReplyKey, after: number): Promise<readonly EventBatch[]>
  /** False when it is no longer running. */
  endBackground(running: RunningReply, ending: BackgroundEnding): Promise<boolean>
}
