import type { ImageRequest } from '../../../conversation/families/images.ts'
import { textDensity } from '../../../conversation/token-estimate.ts'
import type { ImageSide } from '../../../protocols/family-sides.ts'
import { checkTraits, images } from '../../../protocols/images/index.ts'
import { IMAGE_SIDES } from '../../../protocols/index.ts'
import type { EligibleRoute } from '../../../rules/routing/eligible-routes.ts'
import { imageTraitsOf } from '../../../vocabulary/runtime/traits.ts'
import {
  type Caller,
  fitTarget,
  type PreparedRequest,
  type Target,
} from '../../admission/prepared-request.ts'
import type { Exchange } from '../../ports/exchange.ts'
import { findModelOf, sideOf } from '../kinds.ts'

/** An image request that is ready for admission. */
export interface PreparedImageRequest extends PreparedRequest {
  readonly imageRequest: ImageRequest
}

export function prepareImages(
  imageRequest: ImageRequest,
  caller: Caller,
  exchange: Exchange,
): PreparedImageRequest {
  const target = fitTarget(findImageModel(caller, imageRequest), (step) => {
    checkTraits(imageRequest, imageTraitsOf(step.model.capabilities))
    return step
  })
  return { exchange, caller, target, imageRequest, ...describeImages(imageRequest) }
}

/** What admission and routing need to know about an image request. */
export function describeImages(
  imageRequest: ImageRequest,
): Pick<PreparedRequest, 'protocol' | 'request' | 'tokensPerCharacter'> {
  const count = imageRequest.count ?? 1
  return {
    protocol: images,
    tokensPerCharacter: textDensity(imageRequest.prompt),
    request: {
      facts: {
        model: imageRequest.model,
        stream: imageRequest.stream,
        promptCharacters: imageRequest.prompt.length,
        mediaParts: imageRequest.edit?.pictures.length ?? 0,
        maxOutputTokens: null,
        choices: count,
        images: count,
        imageSize: chosen(imageRequest.size),
        imageQuality: chosen(imageRequest.quality),
      },
      conversationHint: () => null,
    },
  }
}

function chosen(value: string | null): string | null {
  return value === 'auto' ? null : value
}

/** Finds the model and those of its routes that serve images. */
function findImageModel(caller: Caller, { model, edit }: ImageRequest): Target {
  return findModelOf(caller, { kind: edit === null ? 'image' : 'image-edit', sides: IMAGE_SIDES, model })
}

/** The image format that the route's supplier speaks, or null. */
export function imageSideOf(route: Pick<EligibleRoute, 'formats'>): ImageSide | null {
  return sideOf(route, IMAGE_SIDES)
}
