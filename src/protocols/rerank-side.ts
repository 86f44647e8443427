import type { EncodedRerankRequest, RerankAnswer, RerankRequest } from '../conversation/rerank.ts'
import type { GatewayError } from '../errors/gateway-error.ts'
import type { Protocol } from './protocol.ts'

/** The target of a rerank request. */
export interface RerankSupply {
  readonly upstreamModel: string
  /** Parameters this supplier has rejected before. */
  readonly refused: readonly string[]
}

/** How to have documents ranked by suppliers of a format. */
export interface RerankSide extends Pick<Protocol, 'name' | 'decodeError'> {
  /** Why no supplier of this format can serve the request; null when they can. */
  refusalOf(request: RerankRequest): GatewayError | null
  encodeRequest(request: RerankRequest, supply: RerankSupply): EncodedRerankRequest
  /** null when the body is not a reply of this format. */
  decodeReply(body: unknown): RerankAnswer | null
  /** Parameters that may be dropped when a supplier rejects them. */
  readonly strippable: ReadonlySet<string>
}
