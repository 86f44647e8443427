import type { BodyRecorder } from '../../manage/ports/console.ts'
import type { ClientRequest, Protocol } from '../../protocols/protocol.ts'
import type { KeyHolder } from '../../rules/access/api-keys.ts'
import type { EligibleRoute } from '../../rules/routing/eligible-routes.ts'
import type { RateLimits } from '../../vocabulary/account.ts'
import type { Snapshot } from '../../vocabulary/runtime/snapshot.ts'
import type { Model } from '../../vocabulary/supply.ts'
import type { Exchange } from '../ports/exchange.ts'

/** An authenticated client, and the configuration its request lives in from here on. */
export interface Caller extends KeyHolder {
  readonly limits: RateLimits
  readonly snapshot: Snapshot
}

/** The model a request names and the routes that can carry the request to it. */
export interface Target {
  readonly model: Model
  readonly routes: readonly EligibleRoute[]
}

/** Keeps a whole reply for later requests, before its last byte leaves. Never fails. */
export type KeepReply = (reply: unknown) => Promise<void>

/** A request to a model, with what text and image requests have in common. */
export interface PreparedRequest {
  readonly exchange: Exchange
  readonly protocol: Pick<Protocol, 'name' | 'heartbeat' | 'breaksOffAfterError'>
  readonly caller: Caller
  readonly request: Pick<ClientRequest, 'facts' | 'conversationHint' | 'streamContentType'>
  readonly target: Target
  /** For formats whose replies are kept. */
  readonly keepReply?: KeepReply | undefined
  /** For accounts that keep request and response bodies. */
  readonly bodies?: BodyRecorder | null
}

export interface PreparedText extends PreparedRequest {
  readonly protocol: Protocol
  readonly request: ClientRequest
  /** The length of the body: work on a large one yields to other requests. */
  readonly bodyCharacters: number
}
