import type { Usage, UsageDetails } from '../conversation/usage.ts'
import type { GatewayError } from '../errors/gateway-error.ts'
import type { EnvelopeDress } from '../errors/render-error.ts'
import type { SupplierFailure } from '../errors/supplier-failure.ts'
import type { Contract } from '../vocabulary/runtime/contract.ts'
import type { Traits } from '../vocabulary/runtime/traits.ts'
import type { Format } from '../vocabulary/supply.ts'
import type { LongStrings } from '../wire/json-members.ts'
import type { JsonObject } from '../wire/json-values.ts'
import type { TextPieces } from '../wire/pieced-body.ts'
import type { StateRules } from './state-rules.ts'
import type { ClientSide, OtherSuppliers, SupplierSide } from './translation.ts'

/** What admission and routing need to know about a request, in any wire format. */
export interface RequestFacts {
  readonly model: string
  readonly stream: boolean
  /** Characters of all prompt text: instructions, turns, tool definitions and tool results. */
  readonly promptCharacters: number
  /** Inline or linked images and other media. Each counts the same, whatever its size. */
  readonly mediaParts: number
  /** null when the client set no limit. */
  readonly maxOutputTokens: number | null
  /** The number of answers requested; multiplies the maximum cost of the output. */
  readonly choices: number
  /** The number of images requested; absent for text. */
  readonly images?: number
  /** The number of images that a text answer is to hold; absent when it is to hold none. */
  readonly inlineImages?: number
  /** Of the images requested; null when the supplier chooses. */
  readonly imageSize?: string | null
  readonly imageQuality?: string | null
  /** How many inputs the model reads one by one, each up to its input limit; 1 when absent. */
  readonly inputs?: number
  /** What else the request may be charged by, at most; absent when it is charged by tokens and images alone. */
  readonly units?: Units
  /** Tokens of audio that is no media part because its length is known, at most. */
  readonly audioTokens?: number
  /** What the request counts against token windows, where the estimate for money is far more than is likely. */
  readonly windowTokens?: number
  /** True when the answer cannot be shortened to what can be paid: all that it may cost must be held. */
  readonly isHeldWhole?: true
}

/** What requests are charged by besides tokens and images. */
export type Units = Pick<UsageDetails, 'searchUnits' | 'audioMs' | 'characters'>

/** A valid client request: its facts, and what the relay lane needs to forward it. */
export interface ClientRequest {
  readonly facts: RequestFacts
  /** The client's body with only the model name replaced, and what the format needs for metering. */
  relayBody(upstreamModel: string): TextPieces
  /** A tap for the supplier's answer to exactly this request. `requestId` goes into its errors if the format has a place. */
  openTap(requestId?: string): StreamTap
  /** What all turns of a conversation share: the client's id for it, else its first messages; null when there is neither. */
  conversationHint(): string | null
  /** What the translate lane needs. Decoding is lazy. */
  readonly client: ClientSide
  /** Those of the body, where reading it has found them. */
  readonly longStrings?: LongStrings | undefined
  /**
   * False when a supplier with these limits would reject or misread the client's body, so that it must be translated.
   * Absent when no such supplier is known.
   */
  fits?(limits: SupplierLimits): boolean
  /** False when suppliers of the format cannot produce the answer that the client expects. */
  readonly isRelayable?: boolean
  /** What suppliers of other formats are asked, or why they cannot be; `client` when absent. */
  readonly elsewhere?: OtherSuppliers | GatewayError
  /** What its replies say about their state, for formats with state. */
  readonly shownState?: ShownState
  /** Set when the supplier is to compact the conversation in passing. */
  readonly ownCompaction?: OwnCompaction | null
  /** The content type of a streamed answer, if not `text/event-stream`. */
  readonly streamContentType?: string
  /** Set when the client asked to store the reply, in a format whose requests do not continue from stored ones. */
  readonly storing?: StoredRequest | undefined
}

/** What is stored of a request, and of the reply to it. */
export interface StoredRequest {
  readonly model: string
  readonly messages: readonly unknown[]
  readonly metadata: Readonly<Record<string, string>>
  /** The reply as it is stored; null when it has no id. */
  completionOf(reply: unknown, requestId: string): { readonly id: string; readonly object: JsonObject } | null
}

/** What the gateway's own state says about a reply. Suppliers are not told, so their replies say something else. */
export interface ShownState {
  /** The id of the reply that the request continues from. */
  readonly previousId: string | null
  readonly isStored: boolean
  readonly isBackground: boolean
  /** The conversation that the request adds to. */
  readonly conversationId: string | null
}

/** A client's wish that the supplier itself compacts the conversation. */
export interface OwnCompaction {
  readonly param: string
  /** The size of the prompt from which on it is to. */
  readonly fromTokens: number
}

/** The parts of a format that a supplier does not support. */
export interface SupplierLimits {
  readonly traits: Partial<Traits>
  /** False when messages may not have a `name`. */
  readonly takesMessageNames: boolean
}

/** The path and query of a request, for formats with parameters in them. */
export interface RequestAddress {
  /** The rest of the path after the endpoint's prefix, percent-decoded. */
  readonly rest: string
  readonly query: URLSearchParams
}

/** The facts of a whole reply. */
export interface ReplyFacts {
  /** null when the supplier reported none. */
  readonly usage: Usage | null
  /** True when `usage` is our own count, because suppliers do not report what they charge by. */
  readonly isCounted?: boolean
  /** Our own count, which is charged when the supplier reports nothing, or what cannot be true; absent for text. */
  readonly ownCount?: Usage
  /** Characters of generated text, thinking and tool arguments. Charged when usage is missing. */
  readonly outputCharacters: number
  /** The number of images; absent for text. */
  readonly images?: number
  /** The number of images within a text answer. */
  readonly inlineImages?: number
}

/**
 * Reads a relayed stream. Synchronous: takes bytes, returns the bytes to forward.
 * It forwards only whole events, so that it can hold back an event that must not reach the client.
 */
export interface StreamTap {
  /** The bytes to forward now; null when there are none. Usually the same array that was passed in. */
  push(bytes: Uint8Array): Uint8Array | null
  /**
   * Call this once when the supplier has ended. Returns held-back bytes to forward, or null. It may change every fact
   * below, since the last event may have lacked its blank line. `isBroken`: the connection was lost, which only matters
   * to formats without a terminal event.
   */
  end(isBroken?: boolean): Uint8Array | null
  /** True once usable content has arrived: the moment to commit to this supplier. */
  readonly hasContent: boolean
  /** True once the terminal event has passed. */
  readonly isTerminated: boolean
  /** True once the answer is complete: the terminal event has passed, or everything the format requires before it. */
  readonly isComplete: boolean
  /** Set when the supplier sent an error event or malformed bytes. Nothing more is forwarded. */
  readonly failure: SupplierFailure | null
  /** The last usage the supplier reported, null when none so far. */
  readonly usage: Usage | null
  /** True when `usage` is our own count, because suppliers do not report what they charge by. */
  readonly isCounted?: boolean
  /** Our own count of the answer so far, as in `ReplyFacts`. */
  readonly ownCount?: Usage
  /** The content type of the answer, if that depends on what the supplier sends. */
  readonly contentType?: string
  /** Characters of generated text, thinking and tool arguments forwarded so far. */
  readonly outputCharacters: number
  /** The number of images forwarded so far; absent for formats without any. */
  readonly inlineImages?: number
  /** The number of images, for answers that are nothing else. */
  readonly images?: number
  /** Our own count of what a client that leaves now is charged, when that is more than what was completed. */
  readonly unfinished?: Usage | null
  /**
   * The frames that report a failure to the client, consistent with what was forwarded before. Empty after the end of
   * the answer, unless that end is withheld.
   */
  fail(error: GatewayError, isEndWithheld?: boolean): string
  /** The whole reply from the last event, for formats whose replies are stored. */
  readonly finalReply?: unknown
  /** Present when the gateway writes the stream itself, and so can hold it back and end it. */
  readonly pace?: OutputPace
}

/** Lets a stream go on only as far as there is money for it. */
export interface OutputPace {
  /** By our own count, of what was forwarded. */
  readonly outputTokens: number
  /** What must be allowed before anything more is forwarded; null when nothing is held back. */
  readonly wantedTokens: number | null
  /** Allows so many tokens altogether. Returns what was held back until now. */
  allow(outputTokens: number): Uint8Array | null
  /** The frames that end the answer as one that was cut by its length. What is held back is dropped. */
  cut(): Uint8Array
}

/** Counting a prompt's tokens without generating anything. */
export interface TokenCounting {
  readonly paths: readonly string[]
  /** Checks and reads the body of a count request. */
  read(body: unknown, text: string, address: RequestAddress): CountRequest
  /** Whether suppliers of this format have a count endpoint. */
  readonly asksSupplier: boolean
  /** The supplier's count; null when the body has none. */
  decode(body: unknown): number | null
}

export interface CountRequest {
  readonly facts: Pick<RequestFacts, 'model' | 'promptCharacters' | 'mediaParts'>
  relayBody(upstreamModel: string): TextPieces
  /** The reply for the client. `tokens` is the supplier's count or the gateway's estimate. */
  encode(tokens: number): Readonly<Record<string, unknown>>
}

/** What a compaction item stands for. The gateway seals it, so that clients can keep it but neither read nor forge it. */
export type CompactedContext =
  /** A summary by the gateway, which every supplier can read. */
  | { readonly type: 'summary'; readonly text: string }
  /** A supplier's own item, which only that supplier can read. */
  | { readonly type: 'native'; readonly supplier: string; readonly value: string }

/** Seals and opens compaction items for one account. */
export interface CompactionSealer {
  seal(context: CompactedContext): string
  /** Returns null for a supplier's own value. Throws a GatewayError for one that was altered or is another account's. */
  open(sealed: string): CompactedContext | null
}

/** A body whose compaction items are as suppliers need them. */
export interface OpenedBody {
  readonly body: unknown
  /** The only supplier that can read it; null when every supplier can. */
  readonly supplier: string | null
}

/** A request to compact a conversation. `request` has the model of any supplier write a summary. */
export interface CompactionRequest {
  readonly request: ClientRequest
  /** The body of `request` as text and as an object. */
  readonly text: string
  readonly body: unknown
  /** How to have suppliers of this format compact it themselves. */
  readonly native: NativeCompaction
}

export interface NativeCompaction {
  /** True for the endpoint that only compacts, false for a request for an answer that ends in a trigger. */
  readonly hasEndpoint: boolean
  /** Asks for a whole reply, even if the client wants a stream. */
  body(upstreamModel: string): string
  /** The supplier's reply with its item sealed; null when the supplier has not compacted anything. */
  readReply(text: string, supplier: string): string | null
  /** The client-facing side of the supplier's reply. */
  readonly client: ClientSide
}

/** How conversations of a format are replaced by something shorter. */
export interface CompactionRules {
  /** The endpoints that only compact. */
  readonly paths: readonly string[]
  /** Checks a body for these endpoints. Throws a GatewayError that names an invalid field. */
  check(body: unknown): unknown
  /** Whether a body has compaction items or asks for one. Nearly none does. */
  isConcerned(body: unknown): boolean
  /** Whether a request for an answer asks to have its conversation compacted instead. */
  isTriggered(body: unknown): boolean
  /** Replaces the sealed items of a body. Returns the same body when it has none. */
  open(body: unknown, sealer: CompactionSealer): OpenedBody
  /** Reads a request to compact. `body` is the one whose items are still sealed. */
  read(opened: unknown, body: unknown, sealer: CompactionSealer): CompactionRequest
  /** Whether a reply holds the compacted conversation. */
  isCompacted(reply: unknown): boolean
}

/** A contract without access rules and headers, which the gateway adds. */
export interface FormatContract extends Omit<Contract, 'access' | 'also' | 'body'> {
  readonly body: NonNullable<Contract['body']>
  /** True for a token count endpoint. */
  readonly isCount?: boolean
}

/** One wire format. All knowledge of its field names is behind this interface. */
export interface Protocol {
  readonly name: Format
  /** The endpoints of this format. */
  readonly paths: readonly string[]
  /** The contracts of each path. */
  readonly contracts: Readonly<Record<string, readonly FormatContract[]>>
  /** Checks and reads a parsed body; throws a GatewayError that names an invalid field. `text` is the unparsed body. */
  readRequest(body: unknown, text: string, address: RequestAddress): ClientRequest
  /** Reads a supplier's whole reply; null when it is not a reply of this format. */
  readReply(body: unknown): ReplyFacts | null
  /** The generated text in a reply or in one event of a stream, to count its tokens. */
  generatedText(value: JsonObject): string
  /** Reads a supplier's error response. */
  decodeError(status: number, body: string): SupplierFailure
  /** Adds what clients of this format expect around the error envelope. */
  readonly dressError?: EnvelopeDress
  /**
   * Adds members of the published API that are missing in a supplier's whole reply, and what the gateway's own state
   * says.
   */
  patchReply?(text: string, reply: unknown, shown?: ShownState): string
  /** Talks to suppliers of this format on behalf of clients of other formats. */
  readonly supplier: SupplierSide
  readonly tokenCounting?: TokenCounting
  /** For formats whose requests may continue from an earlier reply. */
  readonly state?: StateRules
  /** For formats whose conversations can be compacted. */
  readonly compaction?: CompactionRules
  /** The address of a request for a model, for formats with the model in the path. */
  addressOf?(model: string): RequestAddress
  /** For formats with the operation in the path; null for an unknown one. */
  operationOf?(rest: string): 'generate' | 'count-tokens' | null
  /** True when clients notice a failed stream only if the connection breaks. */
  readonly breaksOffAfterError?: boolean
  /** The capability that a model needs to be asked in this format; none when absent. */
  readonly relayCapability?: string
  /** The parameter that limits the length of an answer. */
  readonly outputLimitName: string
  /** Sent while a stream is idle; null when clients do not tolerate it. */
  readonly heartbeat: string | null
}
