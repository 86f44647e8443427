import type {
  EncodedImageRequest,
  ImageAnswer,
  ImageLook,
  ImageRequest,
} from '../conversation/families/images.ts'
import type { EncodedRerankRequest, RerankAnswer, RerankRequest } from '../conversation/families/rerank.ts'
import type { GatewayError } from '../errors/gateway-error.ts'
import type { ImageTraits } from '../vocabulary/runtime/traits.ts'
import type { PiecedBody } from '../wire/pieced-body.ts'
import type { Protocol, StreamTap } from './protocol.ts'

/** The target of an image request. */
export interface ImageSupply {
  readonly upstreamModel: string
  readonly traits: ImageTraits
  /** Parameters this supplier has rejected before. */
  readonly refused: readonly string[]
}

/** What a stream of images needs to know of the request. */
export interface ImageTapFacts {
  /** How many images are asked for. */
  readonly count: number
  readonly look: ImageLook | null
  readonly quality: string | null
  /** The gateway's estimate. */
  readonly promptTokens: number
}

/** How to request images from suppliers of a format. */
export interface ImageSide extends Pick<Protocol, 'name' | 'decodeError'> {
  /** Throws a GatewayError when the format does not support the request. */
  encodeRequest(request: ImageRequest, supply: ImageSupply): EncodedImageRequest<string | PiecedBody>
  /** null when the body is not a reply of this format. */
  decodeReply(body: unknown): ImageAnswer | null
  /** For formats whose suppliers stream images. */
  openTap?(facts: ImageTapFacts): StreamTap
  /** Parameters that may be dropped when a supplier rejects them. */
  readonly strippable: ReadonlySet<string>
}

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
