import type { Answer, AnswerEnding } from '../conversation/answer.ts'
import type { AnswerEvent } from '../conversation/answer-event.ts'
import type { Conversation, RequestSettings } from '../conversation/conversation.ts'
import type { GatewayError } from '../errors/gateway-error.ts'
import type { SupplierFailure } from '../errors/supplier-failure.ts'
import type { Traits } from '../vocabulary/runtime/traits.ts'

/** The target of a request, for supplier-side functions. */
export interface SupplyContext {
  readonly upstreamModel: string
  /** The supplier's id. Suppliers accept only proofs made over their own route. */
  readonly route: string
  readonly traits: Traits
  /** The model's output limit, for formats that require one; null when unknown. */
  readonly outputTokenLimit: number | null
}

/** What client-side functions need besides the answer. */
export interface ReplyContext {
  readonly requestId: string
  /** The public model id, as the client asked for it. */
  readonly model: string
  readonly createdAtMs: number
  /** For the time when an answer is complete. */
  nowMs(): number
  /** The gateway's estimate, for formats that report it before the supplier does. */
  readonly promptTokens: number
  /** A fresh id such as `msg_…`: the prefix and 24 or more characters of [A-Za-z0-9]. */
  newId(prefix: string): string
}

export interface EncodedRequest {
  /** The JSON body, keys in a stable order. */
  readonly body: Readonly<Record<string, unknown>>
  /** Client parameters that were dropped or changed because the format or model does not support them. */
  readonly dropped: readonly string[]
}

/** Decodes a supplier's stream into events. Synchronous: takes bytes, returns events. */
export interface StreamDecoder {
  push(bytes: Uint8Array): AnswerEvent[]
  /** The supplier has ended its response. Sets `failure` unless the answer was complete. */
  end(): AnswerEvent[]
  /** Set when the supplier sent an error, malformed data, or stopped too early. No event follows. */
  readonly failure: SupplierFailure | null
}

/** Encodes events as a client's stream. Synchronous: takes an event, returns frames. */
export interface StreamEncoder {
  /** Frames to send; empty when the event has none. */
  push(event: AnswerEvent): string
  /** The frames that report a failure to the client. Nothing may follow. */
  fail(error: GatewayError, isEndWithheld?: boolean): string
  /** The whole reply from the last event, for formats whose replies are stored. */
  readonly finalReply?: unknown
}

/** Which parameters may be dropped when a supplier rejects them. */
export interface ParameterRules {
  /** Paths of parameters that only tune an answer; never the prompt, the output limit or the output format. */
  readonly strippable: ReadonlySet<string>
  /** The other name of a parameter that has two. */
  readonly respelled: Readonly<Record<string, string>>
}

/** Which beta features a supplier is asked for, and which are kept from it. */
export interface BetaSplit {
  readonly sent: readonly string[]
  readonly withheld: readonly string[]
}

export interface FittedBody {
  readonly text: string
  /** Names of what the body or the header has lost. */
  readonly dropped: readonly string[]
}

/** The beta features of a format. Clients list them in a header; most have another half in the body. */
export interface BetaRules {
  readonly header: string
  /** The body without the halves of withheld betas. Throws a GatewayError when the request is about one of them. */
  withhold(body: string, split: BetaSplit): FittedBody
  /** Those of the betas that still have something to ask for when these members of the body are gone. */
  useful(betas: readonly string[], removed: readonly string[]): readonly string[]
}

/** The supplier-facing side of a format. */
export interface SupplierSide {
  /** Traits of models about which nothing else is known. */
  readonly traits: Traits
  /** Tool names and call ids this format's suppliers accept. */
  readonly toolRules: ToolRules
  readonly parameters: ParameterRules
  /** Absent for formats without beta features. */
  readonly betas?: BetaRules
  /** Throws a GatewayError for unsupported parameters that change the contract of the answer. */
  encodeRequest(conversation: Conversation, context: SupplyContext): EncodedRequest
  /** null when the body is not a reply of this format. */
  decodeReply(body: unknown, context: SupplyContext): Answer | null
  /** The same without the contents, which take longer to decode. null also when only `decodeReply` can tell. */
  readEnding?(body: unknown): AnswerEnding | null
  openDecoder(context: SupplyContext): StreamDecoder
  /** Leaves out of a whole stream most events that only add text. Absent where they cannot be told from others cheaply. */
  shortenStream?(stream: Uint8Array): Uint8Array
}

/** The client-facing side of one request. */
export interface ClientSide {
  decode(): Conversation
  /** Without the prompt, which may be long. Absent where nothing asks for it. */
  decodeSettings?(): RequestSettings
  encodeReply(answer: Answer, context: ReplyContext): Readonly<Record<string, unknown>>
  openEncoder(context: ReplyContext): StreamEncoder
}

/** What suppliers of other formats are asked, for requests with several prompts. Each is a conversation of its own. */
export interface OtherSuppliers {
  /** Decodes the first prompt, and encodes the answers to all of them in the order of the prompts. */
  readonly client: ClientSide
  readonly prompts: readonly ClientSide['decode'][]
}

/** Tool restrictions of a format. The gateway adapts tools before encoding and restores them in the answer. */
export interface ToolRules {
  /** Names that do not match are aliased. */
  readonly name: RegExp
  readonly callId: RegExp
  /** Whether free-text tools exist; otherwise they become functions with one string property `input`. */
  readonly hasCustomTools: boolean
  /** Whether tools can be grouped; otherwise the group becomes part of the name. */
  readonly hasNamespaces: boolean
}
