import type {
  EmbeddingAnswer,
  EmbeddingPurpose,
  EmbeddingRequest,
} from '../conversation/families/embeddings.ts'
import { NO_USAGE, type Usage } from '../conversation/usage.ts'
import { GatewayError } from '../errors/gateway-error.ts'
import type { EmbeddingLimits } from '../vocabulary/runtime/embedding-limits.ts'
import { asCount, asObject, type JsonObject } from '../wire/json-values.ts'
import type { Protocol, RequestAddress, RequestFacts } from './protocol.ts'

/** The target of an embedding request. */
export interface EmbeddingSupply {
  readonly upstreamModel: string
  /** Parameters this supplier has rejected before. */
  readonly refused: readonly string[]
}

/** A request in a supplier's format. */
export interface EncodedEmbeddingRequest {
  /** One for each range of inputs. */
  readonly bodies: readonly string[]
  /** What this format does not support, by the names in `EmbeddingRequest`. */
  readonly dropped: readonly EmbeddingWish[]
}

/** Parts of a request that may be left out. The number of dimensions is not: another one would break an index. */
export type EmbeddingWish = 'purpose' | 'user'

/** How to embed with suppliers of a format. */
export interface EmbeddingSide extends Pick<Protocol, 'name' | 'decodeError'> {
  /** What a supplier of this format takes in one call, if its type does not say otherwise. */
  readonly limits: EmbeddingLimits
  /** Whether inputs may be lists of tokens. */
  readonly takesTokens: boolean
  /** Throws a GatewayError when the format does not support the request. */
  encodeRequest(
    request: EmbeddingRequest,
    ranges: readonly InputRange[],
    supply: EmbeddingSupply,
  ): EncodedEmbeddingRequest
  /** null when the body is not a reply of this format. */
  decodeReply(body: unknown): EmbeddingAnswer | null
  /** Parameters that may be dropped when a supplier rejects them. */
  readonly strippable: ReadonlySet<string>
  /** What this format calls the number of dimensions. */
  readonly dimensionsName: string
}

/** A format in which clients ask for embeddings. */
export interface EmbeddingClient extends Pick<Protocol, 'name' | 'heartbeat' | 'generatedText'> {
  /** Checks and reads a parsed body; throws a GatewayError that names an invalid field. */
  read(body: unknown, text: string, address: RequestAddress): ReadEmbeddingRequest
}

/** What a reply of the client's own format says, as far as the gateway needs to know. */
export interface RelayedReply {
  /** The body for the client: the supplier's own, if nothing had to be changed. */
  readonly body: Iterable<string>
  readonly usage: Usage | null
  readonly dimensions: number | null
}

/** A valid request of a client. */
export interface ReadEmbeddingRequest {
  readonly request: EmbeddingRequest
  readonly facts: RequestFacts
  /** Why suppliers of other formats cannot serve it; null when they can. */
  readonly onlyRelayed: GatewayError | null
  /** Bodies for suppliers of the same format, one for each range. */
  relayBodies(ranges: readonly InputRange[], supply: EmbeddingSupply): readonly string[]
  /**
   * Reads the replies to them, whose inputs are those of the ranges; null when one is not of this format. The generator
   * yields between steps, so that other requests get their turn.
   */
  readRelayed(
    replies: readonly string[],
    ranges: readonly InputRange[],
  ): Generator<undefined, RelayedReply | null>
  /** The reply in pieces, in the format that the client wants. */
  encodeReply(answer: EmbeddingAnswer): Iterable<string>
  /** The client's name of what was left out. */
  wishName(wish: EmbeddingWish): string
}

/** The most inputs of a request. Documented by the vendor of the `embeddings` format; others document fewer. */
export const MAX_EMBEDDING_INPUTS = 2_048

/** Longer vectors do not exist. */
export const MAX_DIMENSIONS = 65_536

/** Throws when a list of inputs is empty or too long. */
export function checkInputCount(count: number, param: string): void {
  if (count >= 1 && count <= MAX_EMBEDDING_INPUTS) return
  const problem = count === 0 ? 'must not be empty' : `may have at most ${MAX_EMBEDDING_INPUTS} entries`
  throw new GatewayError('invalid_request', `${param} ${problem}.`, { param })
}

/** The texts of a range. Throws when they are tokens, which only some formats take. */
export function textsOf({ inputs }: EmbeddingRequest, { from, to }: InputRange): readonly string[] {
  return inputs.slice(from, to).map((input) => {
    if (typeof input === 'string') return input
    const message = 'The supplier of this model takes texts, not lists of tokens. Send input as strings.'
    throw new GatewayError('unsupported_parameter', message, { param: 'input' })
  })
}

/** The word for a purpose, and whether it says less than the client did. */
export function purposeWord<Word extends string>(
  purpose: EmbeddingPurpose | null,
  words: Readonly<Partial<Record<EmbeddingPurpose, Word>>>,
): { readonly word: Word | null; readonly dropped: readonly EmbeddingWish[] } {
  const word = purpose === null ? null : (words[purpose] ?? null)
  return { word, dropped: purpose !== null && word === null ? ['purpose'] : [] }
}

/** Wishes that a format has no place for. */
export function droppedUser({ user }: EmbeddingRequest): readonly EmbeddingWish[] {
  return user === null ? [] : ['user']
}

/** The usage of a reply that reports its tokens in one number; null when it reports none. */
export function inputTokens(tokens: unknown): Usage | null {
  const isCount = typeof tokens === 'number' && Number.isSafeInteger(tokens) && tokens >= 0
  return isCount ? { ...NO_USAGE, input: tokens } : null
}

/** Inputs that are sent together, as a half-open range of their places. */
export interface InputRange {
  readonly from: number
  readonly to: number
}

/** Splits inputs into as few calls as the limits allow, in order. An input that is too long alone has its own call. */
export function splitInputs(weights: readonly number[], limits: EmbeddingLimits): readonly InputRange[] {
  const ranges: InputRange[] = []
  let from = 0
  let tokens = 0
  for (const [place, weight] of weights.entries()) {
    const isFull = place - from >= limits.inputs
    const isHeavy = limits.tokens !== null && place > from && tokens + weight > limits.tokens
    if (isFull || isHeavy) {
      ranges.push({ from, to: place })
      from = place
      tokens = 0
    }
    tokens += weight
  }
  if (from < weights.length) ranges.push({ from, to: weights.length })
  return ranges
}

/** The objects of a list in the order of their `index`; null when one is missing, doubled or not an object. */
export function inOrder(list: unknown): readonly JsonObject[] | null {
  if (!Array.isArray(list)) return null
  const ordered: JsonObject[] = new Array(list.length)
  let found = 0
  for (const [place, value] of list.entries()) {
    const entry = asObject(value)
    if (entry === null) return null
    const index = asCount(entry.index, place)
    if (index >= list.length || ordered[index] !== undefined) return null
    ordered[index] = entry
    found += 1
  }
  return found === list.length ? ordered : null
}
