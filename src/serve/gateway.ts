import type { SpendWatch } from '../manage/ports/alerts.ts'
import type { BodyKeeper } from '../manage/ports/console.ts'
import type { RefusalRecorder } from '../manage/ports/refusals.ts'
import type { SecretKeeper } from '../rules/access/server-secret.ts'
import type { ModelCatalog } from '../rules/catalog/names.ts'
import type { RefusalGuard } from '../rules/limits/window.ts'
import type { LearnedParameters } from '../rules/routing/learned-parameters.ts'
import type { Router } from '../rules/routing/router.ts'
import type { Random } from '../rules/routing/routing-settings.ts'
import type { CallTools } from '../suppliers/supplier-type.ts'
import type { SteadyClock } from '../vocabulary/clock.ts'
import type { Snapshot } from '../vocabulary/runtime/snapshot.ts'
import type { LiveStreams } from './delivery/live-streams.ts'
import type { ThinkingMemory } from './families/text/translate/thinking-memory.ts'
import type { Admissions } from './ports/admissions.ts'
import type { AssetStore } from './ports/assets.ts'
import type { FetchImage } from './ports/fetch-image.ts'
import type { Journal } from './ports/journal.ts'
import type { Log } from './ports/log.ts'
import type { ChunkGaps, RequestObserver } from './ports/request-observer.ts'
import type { BackgroundStore } from './ports/state/background-store.ts'
import type { ChatStore } from './ports/state/chat-store.ts'
import type { ConversationStore } from './ports/state/conversation-store.ts'
import type { ReplyStore } from './ports/state/reply-store.ts'
import type { CallSupplier } from './ports/supplier-call.ts'
import type { BackgroundRuns } from './state/background/background-runs.ts'
import type { ConnectionReplies } from './state/connection-replies.ts'

export interface Timeouts {
  /** To open a connection to a supplier. */
  readonly connectMs: number
  /** From admission to the first usable byte, over all attempts. */
  readonly deadlineMs: number
  /** From sending the request to the supplier's first usable byte. */
  readonly firstByteMs: number
  /** Silence in the middle of an answer. */
  readonly idleMs: number
  /** After this much silence, the client gets a heartbeat. */
  readonly heartbeatMs: number
}

export interface CredentialRefusal {
  readonly supplierId: string
  readonly credentialId: string
  readonly modelId: string
  readonly evidence: 'said' | 'suspected' | 'denied'
}

/** The parts a request needs, built once in main.ts. */
export interface Gateway {
  /** The current configuration. A request takes it once and keeps it. */
  snapshot(): Snapshot
  /** What is known of models that have no record; absent where none can be reached. */
  readonly catalog?: ModelCatalog
  /** Resolves when all changes that other nodes made before this call are in the snapshot. */
  catchUp(): Promise<void>
  readonly secrets: SecretKeeper
  readonly admissions: Admissions
  /** Counts refused requests, so that a caller cannot cause them without end. */
  readonly refusals: RefusalGuard
  /** Keeps refused requests, so that customers can find out why they were refused. */
  readonly refusedRequests: RefusalRecorder
  readonly journal: Journal
  readonly alerts: SpendWatch
  readonly callSupplier: CallSupplier
  /** What supplier types need to build an address. */
  readonly callTools: CallTools
  readonly router: Router
  /** Called for every answer that may mean that a credential is refused. Verifies the credential before it is disabled. */
  onCredentialRefused(refusal: CredentialRefusal): void
  readonly streams: LiveStreams
  /** Where gaps between the pieces of streams are counted; absent when nobody counts them. */
  readonly chunkGaps?: ChunkGaps
  readonly thinking: ThinkingMemory
  /** Parameters that models have refused. */
  readonly learned: LearnedParameters
  readonly replies: ReplyStore & BackgroundStore
  /** Replies that this node makes in the background. */
  readonly background: BackgroundRuns
  /** How many an account may have under way, on all nodes. */
  readonly maxBackgroundPerAccount: number
  /** Replies that are not stored, for requests over the connection that they came over. */
  readonly connectionReplies?: ConnectionReplies
  readonly conversations: ConversationStore
  readonly chats: ChatStore
  /** How many bytes of replies an account may store; null: any number. */
  readonly maxStoredBytes: number | null
  readonly bodies: BodyKeeper
  readonly fetchImage: FetchImage
  /** Images that a client fetches by URL. */
  readonly assets: AssetStore
  /** The address at which clients reach this gateway; null: the one their requests name. */
  readonly publicUrl: string | null
  /** A fresh id: the prefix and 32 characters. */
  newId(prefix: string): string
  readonly timeouts: Timeouts
  readonly clock: SteadyClock
  readonly random: Random
  readonly log: Log
  /** Absent when requests are neither traced nor measured. */
  readonly observer?: RequestObserver | undefined
}
