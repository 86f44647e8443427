import type { EnvelopeDress } from '../../errors/render-error.ts'
import { decodeErrorBody } from '../error-body.ts'
import type { RerankSide } from '../family-sides.ts'
import type { Protocol } from '../protocol.ts'
import { decodeReply } from './decode-reply.ts'
import { encodeRequest } from './encode-request.ts'

export { RERANK_CONTRACTS } from './contract.ts'
export { type ApiVersion, encodeArranged, encodeReply, withMeta } from './encode-reply.ts'
export { readRequest } from './read-request.ts'

/** The rerank format, for clients and suppliers. */
export const rerank: RerankSide & Pick<Protocol, 'heartbeat' | 'generatedText'> = {
  name: 'rerank',
  decodeError: decodeErrorBody,
  refusalOf: () => null,
  encodeRequest,
  decodeReply,
  generatedText: () => '',
  strippable: new Set(['max_tokens_per_doc', 'max_chunks_per_doc', 'priority', 'truncation']),
  heartbeat: null,
}

/** Clients of this format look for the message beside the envelope. */
export const dressError: EnvelopeDress = (envelope) => ({ ...envelope, message: envelope.error.message })
