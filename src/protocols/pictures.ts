import type { EncodedImageRequest, ImageAnswer, ImageRequest } from '../conversation/images.ts'
import type { ImageTraits } from '../vocabulary/runtime/traits.ts'
import type { PiecedBody } from '../wire/pieced-body.ts'
import type { Protocol } from './protocol.ts'

/** Whom a request for pictures is written for. */
export interface PictureSupply {
  readonly upstreamModel: string
  readonly traits: ImageTraits
  /** Parameters this supplier has refused before. */
  readonly refused: readonly string[]
}

/** How suppliers of a format are asked for pictures. */
export interface PictureSide extends Pick<Protocol, 'name' | 'decodeError'> {
  /** Throws a GatewayError when what the client wants cannot be said in this format. */
  encodeRequest(request: ImageRequest, supply: PictureSupply): EncodedImageRequest<string | PiecedBody>
  /** null when the body is not a reply of this format. */
  decodeReply(body: unknown): ImageAnswer | null
  /** Parameters without which the request is still the same one. */
  readonly strippable: ReadonlySet<string>
}
