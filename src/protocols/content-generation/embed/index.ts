import {
  asVectors,
  dimensionsOf,
  type EmbeddingAnswer,
  type EmbeddingRequest,
  numbersOf,
  type Vector,
} from '../../../conversation/families/embeddings.ts'
import { addUsage, NO_USAGE, type Usage } from '../../../conversation/usage.ts'
import { asArray, asObject, type JsonObject } from '../../../wire/json-values.ts'
import { parseInSteps } from '../../../wire/parse-json.ts'
import {
  droppedUser,
  type EmbeddingClient,
  type EmbeddingSide,
  type EmbeddingSupply,
  type InputRange,
  inputTokens,
  type ReadEmbeddingRequest,
  type RelayedReply,
  textsOf,
} from '../../embedding-side.ts'
import type { RequestAddress } from '../../protocol.ts'
import { type EmbedMethod, readEmbedMethod } from '../address.ts'
import { decodeError } from '../reply/decode-error.ts'
import { readRequests, TASK_TYPES } from './read-request.ts'

export { EMBED_CONTRACTS } from './contract.ts'

/** Embeddings in the content-generation format. Suppliers are always called with a list. */
export const generationEmbeddings: EmbeddingClient & EmbeddingSide = {
  name: 'content-generation',
  decodeError,
  // Documented by the vendor.
  limits: { inputs: 100, tokens: null },
  takesTokens: false,
  read: readRequest,
  encodeRequest: (request, ranges, supply) => ({
    bodies: ranges.map((range) => encodeBody(request, range, supply)),
    dropped: droppedUser(request),
  }),
  decodeReply,
  generatedText: () => '',
  strippable: new Set(),
  dimensionsName: 'outputDimensionality',
  heartbeat: null,
}

function readRequest(body: unknown, _text: string, address: RequestAddress): ReadEmbeddingRequest {
  const { model, method } = readEmbedMethod(address)
  const { requests, ...read } = readRequests(body, model, method)
  return {
    ...read,
    relayBodies: (ranges, { upstreamModel }) =>
      ranges.map(({ from, to }) =>
        JSON.stringify({
          requests: requests.slice(from, to).map((each) => ({ ...each, model: resourceName(upstreamModel) })),
        }),
      ),
    readRelayed: (replies, ranges) => readRelayed(replies, ranges, method),
    encodeReply: ({ vectors, usage }) => encodePieces(entriesOf(vectors), usage ?? NO_USAGE, method),
    wishName: (wish) => (wish === 'purpose' ? 'taskType' : wish),
  }
}

function encodeBody(
  request: EmbeddingRequest,
  range: InputRange,
  { upstreamModel }: EmbeddingSupply,
): string {
  const { purpose, dimensions } = request
  return JSON.stringify({
    requests: textsOf(request, range).map((text) => ({
      model: resourceName(upstreamModel),
      content: { parts: [{ text }] },
      ...(purpose !== null && { taskType: TASK_TYPES[purpose] }),
      ...(dimensions !== null && { outputDimensionality: dimensions }),
    })),
  })
}

function resourceName(model: string): string {
  return /^(models|tunedModels)\//.test(model) ? model : `models/${model}`
}

function decodeReply(body: unknown): EmbeddingAnswer | null {
  const reply = asObject(body)
  if (reply === null || !Array.isArray(reply.embeddings)) return null
  const vectors = asVectors(reply.embeddings.map((entry) => asObject(entry)?.values))
  return vectors && { vectors, usage: inputTokens(asObject(reply.usageMetadata)?.promptTokenCount) }
}

function* readRelayed(
  replies: readonly string[],
  ranges: readonly InputRange[],
  method: EmbedMethod,
): Generator<undefined, RelayedReply | null> {
  const entries: unknown[] = []
  let usage: Usage | null = null
  let dimensions: number | null = null
  for (const [place, { from, to }] of ranges.entries()) {
    const reply = asObject(yield* parseInSteps(replies[place] ?? ''))
    const answer = decodeReply(reply)
    if (reply === null || answer === null || answer.vectors.length !== to - from) return null
    for (const entry of asArray(reply.embeddings)) entries.push(entry)
    dimensions ??= dimensionsOf(answer.vectors[0] ?? [])
    usage = place === 0 ? answer.usage : usage && answer.usage && addUsage(usage, answer.usage)
    yield
  }
  const isUnchanged = replies.length === 1 && method === 'batchEmbedContents'
  return { body: isUnchanged ? replies : encodePieces(entries, usage, method), usage, dimensions }
}

/** Converts each vector when it is written, because there may be thousands. */
function* entriesOf(vectors: readonly Vector[]): Generator<JsonObject> {
  for (const vector of vectors) yield { values: numbersOf(vector) }
}

function* encodePieces(
  entries: Iterable<unknown>,
  usage: Usage | null,
  method: EmbedMethod,
): Generator<string> {
  const counted: JsonObject = usage === null ? {} : { usageMetadata: { promptTokenCount: usage.input } }
  if (method === 'embedContent') {
    const [embedding] = entries
    yield JSON.stringify({ embedding, ...counted })
    return
  }
  yield '{"embeddings":['
  let comma = ''
  for (const entry of entries) {
    yield comma + JSON.stringify(entry)
    comma = ','
  }
  yield usage === null ? ']}' : `],${JSON.stringify(counted).slice(1)}`
}
