import type { Answer } from '../conversation/answer.ts'
import type { AnswerEvent } from '../conversation/answer-event.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { GatewayError } from '../errors/gateway-error.ts'
import type { SupplierFailure } from '../errors/supplier-failure.ts'
import type { Traits } from '../vocabulary/runtime/traits.ts'

/** What a supplier-side function needs to know of where the request goes. */
export interface SupplyContext {
  readonly upstreamModel: string
  /** The supplier's id: proofs made over another route are worth nothing to it. */
  readonly route: string
  readonly traits: Traits
  /** The model's own bound on output, for formats that demand a number; null when unknown. */
  readonly outputTokenLimit: number | null
}

/** What a client-side function needs to know beyond the answer itself. */
export interface ReplyContext {
  readonly requestId: string
  /** The public model id, as the client asked for it. */
  readonly model: string
  readonly createdAtMs: number
  /** Our estimate of the prompt, for formats that tell it before the supplier does. */
  readonly promptTokens: number
  /** A fresh id such as `msg_…`: the prefix and 24 or more characters of [A-Za-z0-9]. */
  newId(prefix: string): string
}

export interface EncodedRequest {
  /** The JSON body, keys in a stable order. */
  readonly body: Readonly<Record<string, unknown>>
  /** Client parameters that were left out or changed because this format or model cannot express them. */
  readonly dropped: readonly string[]
}

/** Reads a supplier's stream into events. Synchronous: give it bytes, it gives what follows from them. */
export interface StreamDecoder {
  push(bytes: Uint8Array): AnswerEvent[]
  /** The supplier has ended its response. Sets `failure` unless the answer was complete. */
  end(): AnswerEvent[]
  /** Set when the supplier sent an error, broke its format or stopped too early. No event follows. */
  readonly failure: SupplierFailure | null
}

/** Writes events as a client's stream. Synchronous: give it an event, it gives the frames that follow from it. */
export interface StreamEncoder {
  /** Frames ready to send, empty when the event has none of its own. */
  push(event: AnswerEvent): string
  /** The frames that tell the client that the answer has failed, whatever was sent before. Nothing may follow. */
  fail(error: GatewayError, isEndWithheld?: boolean): string
  /** The whole reply as the last event told it, for formats whose replies are kept. */
  readonly finalReply?: unknown
}

/** Which parameters of a request a supplier that refuses them may do without. */
export interface ParameterRules {
  /**
   * Paths of those that only tune an answer. What is asked for, how long the answer may be and what form it has are
   * never among them.
   */
  readonly strippable: ReadonlySet<string>
  /** The other name of a parameter that has two. */
  readonly respelled: Readonly<Record<string, string>>
}

/** The side of a format that faces suppliers. */
export interface SupplierSide {
  /** What a model of this format takes when nothing else is known of it. */
  readonly traits: Traits
  /** Tool names and call ids this format's suppliers accept. */
  readonly toolRules: ToolRules
  readonly parameters: ParameterRules
  /** Throws a GatewayError for what changes the contract of the answer and cannot be expressed. */
  encodeRequest(conversation: Conversation, context: SupplyContext): EncodedRequest
  /** null when the body is not a reply of this format. */
  decodeReply(body: unknown, context: SupplyContext): Answer | null
  openDecoder(context: SupplyContext): StreamDecoder
}

/** The side of one request that faces its client. */
export interface ClientSide {
  decode(): Conversation
  encodeReply(answer: Answer, context: ReplyContext): Readonly<Record<string, unknown>>
  openEncoder(context: ReplyContext): StreamEncoder
}

/** What the gateway adapts before encoding, and restores in the answer, so that formats need not know of it. */
export interface ToolRules {
  /** Every allowed name matches this; longer or other names are aliased. */
  readonly name: RegExp
  readonly callId: RegExp
  /** Whether free-text tools exist; otherwise they become functions with one string property `input`. */
  readonly hasCustomTools: boolean
  /** Whether tools can be grouped; otherwise the group becomes part of the name. */
  readonly hasNamespaces: boolean
}
