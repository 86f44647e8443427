import type { EmbeddingRequest } from '../../conversation/families/embeddings.ts'
import { NO_USAGE } from '../../conversation/usage.ts'
import { editMembers } from '../../wire/edit-members.ts'
import { findTopLevelMembers, replaceMembers } from '../../wire/json-members.ts'
import {
  droppedUser,
  type EmbeddingClient,
  type EmbeddingSide,
  type EmbeddingSupply,
  type EncodedEmbeddingRequest,
  type InputRange,
  type ReadEmbeddingRequest,
} from '../embedding-side.ts'
import { decodeErrorBody } from '../error-body.ts'
import { type ReadFields, readFields } from './read-request.ts'
import { decodeReply, type Encoding, encodeUsage, encodeVectors, readRelayed } from './reply.ts'

export { EMBEDDING_CONTRACT } from './contract.ts'

/** OpenAI's embeddings, for clients and suppliers. */
export const embeddings: EmbeddingClient & EmbeddingSide = {
  name: 'embeddings',
  decodeError: decodeErrorBody,
  // Documented by the vendor.
  limits: { inputs: 2_048, tokens: 300_000 },
  takesTokens: true,
  read: readRequest,
  encodeRequest,
  decodeReply,
  generatedText: () => '',
  strippable: new Set(['user', 'encoding_format']),
  dimensionsName: 'dimensions',
  heartbeat: null,
}

function readRequest(body: unknown, text: string): ReadEmbeddingRequest {
  const read = readFields(body)
  const { request, facts, fields } = read
  // Also refuses a member that is given twice: parsers disagree on which one counts.
  const members = findTopLevelMembers(text)
  const encoding: Encoding = fields.encoding_format ?? 'float'
  return {
    request,
    facts,
    onlyRelayed: null,
    relayBodies: (ranges, supply) => {
      if (ranges.length > 1) return ranges.map((range) => partOf(read, range, supply))
      const span = members.get('model')
      const json = JSON.stringify(supply.upstreamModel)
      const named = span === undefined ? text : replaceMembers(text, [{ span, json }])
      return [supply.refused.length === 0 ? named : editMembers(named, { removed: supply.refused }).text]
    },
    readRelayed: (replies, ranges) =>
      readRelayed({ replies, counts: ranges.map(({ from, to }) => to - from), encoding }),
    encodeReply: ({ vectors, usage }) =>
      encodeVectors(vectors, {
        encoding,
        members: { model: request.model, usage: encodeUsage(usage ?? NO_USAGE) },
      }),
    wishName: (wish) => (wish === 'purpose' ? 'input_type' : wish),
  }
}

/** A part of the client's request, with everything else that it says. */
function partOf({ fields, request }: ReadFields, range: InputRange, supply: EmbeddingSupply): string {
  const { input: _input, model: _model, ...rest } = fields
  const kept = Object.entries(rest).filter(([name]) => !supply.refused.includes(name))
  return JSON.stringify({
    model: supply.upstreamModel,
    input: request.inputs.slice(range.from, range.to),
    ...Object.fromEntries(kept),
  })
}

/** For clients of other formats. */
function encodeRequest(
  request: EmbeddingRequest,
  ranges: readonly InputRange[],
  { upstreamModel, refused }: EmbeddingSupply,
): EncodedEmbeddingRequest {
  const isUserTaken = !refused.includes('user')
  const bodies = ranges.map(({ from, to }) =>
    JSON.stringify({
      model: upstreamModel,
      input: request.inputs.slice(from, to),
      // A quarter of the size of numbers in decimal. Official clients ask for the same.
      ...(!refused.includes('encoding_format') && { encoding_format: 'base64' }),
      ...(request.dimensions !== null && { dimensions: request.dimensions }),
      ...(request.user !== null && isUserTaken && { user: request.user }),
    }),
  )
  const dropped = isUserTaken ? [] : droppedUser(request)
  return { bodies, dropped: request.purpose === null ? dropped : ['purpose', ...dropped] }
}
