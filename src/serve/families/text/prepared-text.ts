import type { BodyRecorder } from '../../../manage/ports/console.ts'
import type { ClientRequest, NativeCompaction, Protocol } from '../../../protocols/protocol.ts'
import type { BackgroundStart, KeepReply, PreparedRequest } from '../../admission/prepared-request.ts'

/** A text request that is ready for admission. */
export interface PreparedText extends PreparedRequest {
  readonly protocol: Protocol
  readonly request: ClientRequest
  readonly bodyText: string
  /** What it parses to. */
  readonly body: unknown
  /** For requests that compact a conversation: how suppliers of the format do it themselves. */
  readonly compaction?: NativeCompaction | undefined
}

/** A text request whose body has been read. */
export interface ReadText {
  readonly request: ClientRequest
  /** The whole body, including the conversation that it continues. */
  readonly bodyText: string
  /** What it parses to. */
  readonly body: unknown
  readonly tokensPerCharacter: number | null
  readonly keepReply?: KeepReply | undefined
  readonly background?: BackgroundStart | undefined
  readonly bodies: BodyRecorder | null
  /** The only supplier that can read the conversation; null when every supplier can. */
  readonly supplier?: string | null
  /** For requests that compact a conversation. */
  readonly compaction?: NativeCompaction
}
