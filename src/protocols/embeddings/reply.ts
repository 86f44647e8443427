import {
  asVectors,
  base64Of,
  dimensionsOf,
  type EmbeddingAnswer,
  numbersOf,
  type Vector,
} from '../../conversation/families/embeddings.ts'
import { addUsage, type Usage } from '../../conversation/usage.ts'
import { endOfValue, skipWhitespace } from '../../wire/json-members.ts'
import { asObject, type JsonObject, tryParseJson } from '../../wire/json-values.ts'
import { parseInSteps } from '../../wire/parse-json.ts'
import { inOrder, inputTokens, type RelayedReply } from '../embedding-side.ts'

/** How vectors are written. */
export type Encoding = 'float' | 'base64'

/** A supplier's reply; null when it is not one of this format. */
export function decodeReply(body: unknown): EmbeddingAnswer | null {
  const reply = asObject(body)
  const entries = inOrder(reply?.data)
  const vectors = entries && asVectors(entries.map(({ embedding }) => embedding))
  return vectors && { vectors, usage: decodeUsage(reply?.usage) }
}

export function decodeUsage(wire: unknown): Usage | null {
  const usage = asObject(wire)
  return inputTokens(usage?.prompt_tokens) ?? inputTokens(usage?.total_tokens)
}

interface Writing {
  readonly encoding: Encoding
  /** Members of the reply besides the data. */
  readonly members: JsonObject
}

/** A reply in pieces, one for each vector. */
export function* encodeVectors(
  vectors: readonly Vector[],
  { encoding, members }: Writing,
): Generator<string> {
  yield '{"object":"list","data":['
  for (const [index, vector] of vectors.entries()) {
    const value = encoding === 'base64' ? `"${base64Of(vector)}"` : JSON.stringify(numbersOf(vector))
    yield `${index === 0 ? '' : ','}{"object":"embedding","index":${index},"embedding":${value}}`
  }
  yield `],${JSON.stringify(members).slice(1)}`
}

// A smaller reply is parsed in a few milliseconds.
const LARGE_REPLY_CHARACTERS = 256 * 1024

export interface RelayedParts {
  readonly replies: readonly string[]
  /** How many vectors each of them must have. */
  readonly counts: readonly number[]
  readonly encoding: Encoding
}

/** Reads relayed replies. A single one is returned unchanged, if its vectors are written as the client wants them. */
export function* readRelayed({
  replies,
  counts,
  encoding,
}: RelayedParts): Generator<undefined, RelayedReply | null> {
  const [only = ''] = replies
  if (replies.length === 1 && only.length > LARGE_REPLY_CHARACTERS) {
    const scanned = yield* scanReply(only, counts[0] ?? 0)
    if (scanned === null) return null
    if (scanned.encoding === encoding) return { ...scanned, body: [only] }
  }
  return yield* joinReplies({ replies, counts, encoding })
}

function* joinReplies({
  replies,
  counts,
  encoding,
}: RelayedParts): Generator<undefined, RelayedReply | null> {
  const vectors: Vector[] = []
  let usage: Usage | null = null
  let first: JsonObject = {}
  for (const [place, text] of replies.entries()) {
    const reply = asObject(yield* parseInSteps(text))
    const answer = decodeReply(reply)
    if (reply === null || answer === null || answer.vectors.length !== counts[place]) return null
    for (const vector of answer.vectors) vectors.push(vector)
    if (place === 0) first = reply
    usage = place === 0 ? answer.usage : usage && answer.usage && addUsage(usage, answer.usage)
    yield
  }
  const [vector = []] = vectors
  const facts = { usage, dimensions: dimensionsOf(vector) }
  const isAsWanted = (typeof vector === 'string' ? 'base64' : 'float') === encoding
  if (replies.length === 1 && isAsWanted) return { ...facts, body: replies }
  const { object: _object, data: _data, ...said } = first
  const members = { ...said, ...(replies.length > 1 && usage !== null && { usage: encodeUsage(usage) }) }
  return { ...facts, body: encodeVectors(vectors, { encoding, members }) }
}

export function encodeUsage({ input }: Usage): JsonObject {
  return { prompt_tokens: input, total_tokens: input }
}

interface Scanned extends Omit<RelayedReply, 'body'> {
  readonly encoding: Encoding
}

// Usage stands before or after the vectors.
const SEARCHED_CHARACTERS = 4_096
const VECTORS_PER_STEP = 512

/**
 * Reads a large reply without parsing millions of numbers, which would hold up all other requests. Whether each vector
 * is well-formed is not checked.
 */
function* scanReply(text: string, count: number): Generator<undefined, Scanned | null> {
  const isWhole = text[skipWhitespace(text, 0)] === '{' && text.trimEnd().endsWith('}')
  if (!isWhole) return null
  let found = 0
  let first = -1
  for (let at = nextVector(text, 0); at !== -1; at = nextVector(text, at)) {
    if (first === -1) first = at
    found += 1
    if (found > count) return null
    if (found % VECTORS_PER_STEP === 0) yield
  }
  if (found !== count) return null
  const value = tryParseJson(text.slice(first, endOfValue(text, first)))
  const vector = asVectors([value])?.[0]
  if (vector === undefined) return null
  return {
    encoding: typeof vector === 'string' ? 'base64' : 'float',
    dimensions: dimensionsOf(vector),
    usage: scanUsage(text),
  }
}

/** Where the next value of an `embedding` member begins; -1 when there is none. */
function nextVector(text: string, from: number): number {
  for (let at = text.indexOf('"embedding"', from); at !== -1; at = text.indexOf('"embedding"', at + 1)) {
    const colon = skipWhitespace(text, at + '"embedding"'.length)
    // It is also a value, of `object`.
    if (text[colon] === ':') return skipWhitespace(text, colon + 1)
  }
  return -1
}

function scanUsage(text: string): Usage | null {
  for (const from of [Math.max(0, text.length - SEARCHED_CHARACTERS), 0]) {
    const part = text.slice(from, from + SEARCHED_CHARACTERS)
    const name = part.lastIndexOf('"usage"')
    const colon = name === -1 ? -1 : skipWhitespace(part, name + '"usage"'.length)
    if (colon === -1 || part[colon] !== ':') continue
    const start = skipWhitespace(part, colon + 1)
    return decodeUsage(tryParseJson(part.slice(start, endOfValue(part, start))))
  }
  return null
}
