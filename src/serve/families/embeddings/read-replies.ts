import { dimensionsOf, type EmbeddingAnswer, type Vector } from '../../../conversation/families/embeddings.ts'
import { addUsage, NO_USAGE, type Usage } from '../../../conversation/usage.ts'
import type { SupplierFailure } from '../../../errors/supplier-failure.ts'
import type { EmbeddingSide, InputRange, RelayedReply } from '../../../protocols/embedding-side.ts'
import type { MaybePromise } from '../../../vocabulary/runtime/maybe-promise.ts'
import { parseInSteps } from '../../../wire/parse-json.ts'
import type { WholeReading } from '../../delivery/call-plan.ts'
import { LARGE_BODY_CHARACTERS, yieldLoop } from '../../yield-loop.ts'
import { countTokens, type PreparedEmbedding } from './prepare-embeddings.ts'

export interface ReadingParts {
  readonly prepared: PreparedEmbedding
  readonly side: EmbeddingSide
  /** The inputs of each call. */
  readonly ranges: readonly InputRange[]
  readonly isOnlyRoute: boolean
  /** Called when the supplier has ignored the number of dimensions. */
  noteDimensions(): void
}

/** Joins the replies to all calls, in the order of the inputs. Large ones are read in steps. */
export function readReplies(replies: readonly string[], parts: ReadingParts): MaybePromise<WholeReading> {
  const steps = readSteps(replies, parts)
  const size = replies.reduce((total, { length }) => total + length, 0)
  if (size > LARGE_BODY_CHARACTERS) return takeSteps(steps)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

type Steps = Generator<undefined, WholeReading>

async function takeSteps(steps: Steps): Promise<WholeReading> {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    await yieldLoop()
  }
}

function* readSteps(replies: readonly string[], parts: ReadingParts): Steps {
  const { prepared, side, ranges } = parts
  const { embedding, client } = prepared
  const isRelayed = side.name === client.name
  const read = isRelayed ? yield* embedding.readRelayed(replies, ranges) : yield* translate(replies, parts)
  if (read === null) return null
  const failure = findWrongLength(read, parts)
  if (failure !== null) return { failure }
  const body = yield* join(read.body)
  const isCounted = read.usage === null
  const usage = read.usage ?? ownCount(prepared)
  const isLong = body.length > LONG_BODY_CHARACTERS
  return { body, facts: { usage, isCounted, outputCharacters: 0 }, isLong }
}

const LONG_BODY_CHARACTERS = 1024 * 1024

function* translate(
  replies: readonly string[],
  { prepared, side, ranges }: ReadingParts,
): Generator<undefined, RelayedReply | null> {
  const vectors: Vector[] = []
  let usage: Usage | null = NO_USAGE
  for (const [place, { from, to }] of ranges.entries()) {
    const answer: EmbeddingAnswer | null = side.decodeReply(yield* parseInSteps(replies[place] ?? ''))
    if (answer === null || answer.vectors.length !== to - from) return null
    for (const vector of answer.vectors) vectors.push(vector)
    usage = usage && answer.usage && addUsage(usage, answer.usage)
    yield
  }
  const shown = usage ?? ownCount(prepared)
  const body = prepared.embedding.encodeReply({ vectors, usage: shown })
  return { body, usage, dimensions: dimensionsOf(vectors[0] ?? []) }
}

function ownCount({ embedding }: PreparedEmbedding): Usage {
  const input = countTokens(embedding.request.inputs).reduce((total, tokens) => total + tokens, 0)
  return { ...NO_USAGE, input }
}

/** A vector of another length would break the index it is written to. */
function findWrongLength({ dimensions }: RelayedReply, parts: ReadingParts): SupplierFailure | null {
  const wanted = parts.prepared.embedding.request.dimensions
  if (wanted === null || dimensions === wanted) return null
  parts.noteDimensions()
  const message = `The supplier returned vectors of ${dimensions ?? 0} dimensions instead of ${wanted}.`
  const details = { message, param: 'dimensions', retryAfterSeconds: null }
  // Another supplier may do what was asked for. Without one, the client is told what is wrong.
  return parts.isOnlyRoute
    ? { kind: 'input', status: 400, ...details }
    : { kind: 'server', status: 200, ...details }
}

const CHARACTERS_PER_STEP = 512 * 1024

function* join(pieces: Iterable<string>): Generator<undefined, string> {
  const joined: string[] = []
  let unread = 0
  for (const piece of pieces) {
    joined.push(piece)
    unread += piece.length
    if (unread < CHARACTERS_PER_STEP) continue
    unread = 0
    yield
  }
  return joined.length === 1 ? (joined[0] ?? '') : joined.join('')
}
