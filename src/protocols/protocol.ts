import type { Usage } from '../conversation/usage.ts'
import type { GatewayError } from '../errors/gateway-error.ts'
import type { EnvelopeDress } from '../errors/render-error.ts'
import type { SupplierFailure } from '../errors/supplier-failure.ts'
import type { Contract } from '../vocabulary/runtime/contract.ts'
import type { Traits } from '../vocabulary/runtime/traits.ts'
import type { Format } from '../vocabulary/supply.ts'
import type { ClientSide, SupplierSide } from './translation.ts'

/** What admission and routing need to know of a request, whatever its wire format. */
export interface RequestFacts {
  readonly model: string
  readonly stream: boolean
  /** Characters of all prompt text: instructions, turns, tool definitions and tool results. */
  readonly promptCharacters: number
  /** Inline or linked pictures and other media; each counts the same whatever its size. */
  readonly mediaParts: number
  /** null when the client set no limit. */
  readonly maxOutputTokens: number | null
  /** How many answers are asked for; multiplies what the output may cost. */
  readonly choices: number
  /** How many pictures are asked for; absent when words are. */
  readonly images?: number
}

/** A well-formed client request: its facts, and what the relay lane needs to send it on. */
export interface ClientRequest {
  readonly facts: RequestFacts
  /** The client's own bytes with only the model name (and what the format needs for metering) replaced. */
  relayBody(upstreamModel: string): string
  /** A tap for the supplier's answer to exactly this request. */
  openTap(): StreamTap
  /**
   * What the turns of one conversation have in common: an id the client gives it, else how it opens. null when there is
   * neither. Made only when asked for.
   */
  conversationHint(): string | null
  /** What the translate lane needs; decoding happens only when it is asked for. */
  readonly client: ClientSide
  /**
   * False when a supplier of its format with these limits would refuse the client's own bytes or not do what they ask
   * for, so that they have to be translated to it. Absent: no such supplier is known.
   */
  fits?(limits: SupplierLimits): boolean
  /** False when the client wants the answer in a shape no supplier of its format gives. */
  readonly isRelayable?: boolean
  /** The reply it continues from, by the client's own name for it; absent or null when there is none. */
  readonly previousId?: string | null
  /** The content type of a streamed answer, when it is not that of an event stream. */
  readonly streamContentType?: string
}

/** What a supplier lacks of the format it speaks. */
export interface SupplierLimits {
  readonly traits: Partial<Traits>
  /** False when messages may not say who wrote them. */
  readonly takesMessageNames: boolean
}

/** Where a request was sent, for formats that say things in the address. */
export interface RequestAddress {
  /** What follows the endpoint's fixed path, percent-decoded; empty when nothing does. */
  readonly rest: string
  readonly query: URLSearchParams
}

/** What a whole reply says about itself. */
export interface ReplyFacts {
  /** null when the supplier reported none. */
  readonly usage: Usage | null
  /** Characters of generated text, thinking and tool arguments: what is charged when usage is missing. */
  readonly outputCharacters: number
  /** Pictures in it; absent when it is words. */
  readonly images?: number
}

/**
 * Reads a relayed stream without changing it. Synchronous: give it bytes, it gives the bytes that may go on.
 * It forwards whole events only, so that an event that must not reach the client can still be held back.
 */
export interface StreamTap {
  /** The bytes that may be forwarded now; null when none. Usually the very array that was given. */
  push(bytes: Uint8Array): Uint8Array | null
  /**
   * To be called once when the supplier has ended: what was held back and may still be forwarded, null when nothing.
   * It may change every fact below, since the last event may have lacked its blank line.
   */
  end(): Uint8Array | null
  /** True once something a client can use has been seen: the moment to commit to this supplier. */
  readonly hasContent: boolean
  /** True once the format's last event has passed: nothing that matters can follow it. */
  readonly isTerminated: boolean
  /** True once the answer is whole: its terminal event has passed, or all that the format needs before it. */
  readonly isComplete: boolean
  /** Set when the supplier sent an error event, or bytes that are not its format. Nothing more is forwarded. */
  readonly failure: SupplierFailure | null
  /** The last usage the supplier reported, null when none so far. */
  readonly usage: Usage | null
  /** Characters of generated text, thinking and tool arguments forwarded so far. */
  readonly outputCharacters: number
  /**
   * The frames that tell the client that the answer has failed, in step with what was forwarded before. After the end of
   * the answer there are none, unless that end is withheld and they take its place.
   */
  fail(error: GatewayError, isEndWithheld?: boolean): string
  /** The whole reply as its last event told it, for formats whose replies are kept. */
  readonly finalReply?: unknown
}

/** Counting a prompt's tokens without generating anything. */
export interface TokenCounting {
  readonly paths: readonly string[]
  /** Checks and reads the body of a count. */
  read(body: unknown, text: string, address: RequestAddress): CountRequest
  /** Whether suppliers of this format count too. */
  readonly asksSupplier: boolean
  /** The supplier's count; null when the body is not one. */
  decode(body: unknown): number | null
}

export interface CountRequest {
  readonly facts: Pick<RequestFacts, 'model' | 'promptCharacters' | 'mediaParts'>
  relayBody(upstreamModel: string): string
  /** The answer for a client; `tokens` is a supplier's count or our estimate. */
  encode(tokens: number): Readonly<Record<string, unknown>>
}

/** An earlier request's own input and the reply to it. */
export interface EarlierTurn {
  readonly inputItems: readonly unknown[]
  readonly reply: unknown
}

/** How a format continues from earlier replies; the gateway keeps them. */
export interface StateRules {
  /** The reply a body continues from; null when it begins anew. */
  previousId(body: unknown): string | null
  /** The body with the conversation so far put before its own input. */
  expand(body: unknown, turns: readonly EarlierTurn[]): unknown
  inputItems(body: unknown): readonly unknown[]
  /** Everything the model was given for the last of these turns. */
  wholeInput(turns: readonly EarlierTurn[]): readonly unknown[]
  wantsStore(body: unknown): boolean
  /** null when there is nothing to keep. */
  replyId(reply: unknown): string | null
  outputItems(reply: unknown): readonly unknown[]
  /** The reply as it is given back later: it says what the client asked for, whatever its supplier was told. */
  keptReply(reply: unknown, body: unknown): unknown
  /** The id by which a later request may refer to an item; null when it has none. */
  itemId(item: unknown): string | null
  /** Ids of items of earlier replies that the body only refers to. */
  referencedIds(body: unknown): readonly string[]
  /** The body with each reference replaced by the item it names. */
  resolve(body: unknown, items: ReadonlyMap<string, unknown>): unknown
}

/** What a format knows of a contract. The gateway adds who may call, and the headers of its own. */
export interface FormatContract extends Omit<Contract, 'access' | 'also' | 'body'> {
  readonly body: NonNullable<Contract['body']>
  /** True when it only counts the tokens of a prompt. */
  readonly isCount?: boolean
}

/**
 * One wire format. Everything the gateway knows of its field names is behind this interface.
 */
export interface Protocol {
  readonly name: Format
  /** Where clients of this format send their requests. */
  readonly paths: readonly string[]
  /** What can be asked at each path of it. */
  readonly contracts: Readonly<Record<string, readonly FormatContract[]>>
  /** Checks and reads a parsed body; throws a GatewayError that names the field at fault. `text` is what was parsed. */
  readRequest(body: unknown, text: string, address: RequestAddress): ClientRequest
  /** Reads a supplier's whole reply; null when it is not a reply of this format. */
  readReply(body: unknown): ReplyFacts | null
  /** Reads a supplier's error response. */
  decodeError(status: number, body: string): SupplierFailure
  /** What this format's clients look for around the error envelope. */
  readonly dressError?: EnvelopeDress
  /**
   * The text of a supplier's whole reply with what the published API has and the supplier's does not; `previousId` is
   * the reply that its request continues from.
   */
  patchReply?(text: string, reply: unknown, previousId?: string | null): string
  /** The side that faces suppliers, for clients of other formats. */
  readonly supplier: SupplierSide
  readonly tokenCounting?: TokenCounting
  /** For formats whose requests may continue from an earlier reply. */
  readonly state?: StateRules
  /** For formats that say in the address what is asked for; null when it says nothing known. */
  operationOf?(rest: string): 'generate' | 'count-tokens' | null
  /** True when clients notice a failed stream only by a broken connection. */
  readonly breaksOffAfterError?: boolean
  /** Sent into a silent stream; null when the format's clients tolerate none. */
  readonly heartbeat: string | null
}
