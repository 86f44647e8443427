import { decodeErrorBody } from '../error-body.ts'
import type { ImageSide } from '../family-sides.ts'
import type { Protocol } from '../protocol.ts'
import { decodeReply } from './decode-reply.ts'
import { encodeRequest } from './encode-request.ts'
import { ImageStreamTap } from './stream.ts'

export { checkTraits } from './check-traits.ts'
export { IMAGE_CONTRACTS } from './contract.ts'
export { encodeReply, type HandedPicture } from './encode-reply.ts'
export { readEdit, readGeneration } from './read-request.ts'
export { encodeEvents } from './stream.ts'
export { usageOfImages } from './usage.ts'

/** The image format, for clients and suppliers. */
export const images: ImageSide & Pick<Protocol, 'heartbeat' | 'generatedText'> = {
  name: 'images',
  decodeError: decodeErrorBody,
  encodeRequest,
  decodeReply,
  openTap: (facts) => new ImageStreamTap(facts),
  generatedText: () => '',
  strippable: new Set([
    'response_format',
    'style',
    'quality',
    'user',
    'background',
    'moderation',
    'output_compression',
    'output_format',
    'input_fidelity',
    'partial_images',
    'stream',
  ]),
  heartbeat: ': ka\n',
}
