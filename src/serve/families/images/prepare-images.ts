import type { ImageRequest } from '../../../conversation/images.ts'
import { textDensity } from '../../../conversation/token-estimate.ts'
import { GatewayError } from '../../../errors/gateway-error.ts'
import type { ImageSide } from '../../../protocols/image-side.ts'
import { checkTraits, images } from '../../../protocols/images/index.ts'
import { IMAGE_SIDES } from '../../../protocols/index.ts'
import type { EligibleRoute } from '../../../rules/routing/eligible-routes.ts'
import { imageTraitsOf } from '../../../vocabulary/runtime/traits.ts'
import type { ModelKind } from '../../../vocabulary/supply.ts'
import { availableModel, modelNotFound } from '../../admission/find-model.ts'
import type { Caller, PreparedRequest, Target } from '../../admission/prepared-request.ts'
import type { Exchange } from '../../ports/exchange.ts'

/** An image request that is ready for admission. */
export interface PreparedImageRequest extends PreparedRequest {
  readonly imageRequest: ImageRequest
}

export function prepareImages(
  imageRequest: ImageRequest,
  caller: Caller,
  exchange: Exchange,
): PreparedImageRequest {
  const target = findImageModel(caller, imageRequest)
  checkTraits(imageRequest, imageTraitsOf(target.model.capabilities))
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
        stream: false,
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

const ABILITIES = { image: 'generate images', 'image-edit': 'edit images' } as const

/** Finds the model and those of its routes that serve images. */
function findImageModel(caller: Caller, { model: id, edit }: ImageRequest): Target {
  const { model, routes } = availableModel(caller, id)
  const kind: ModelKind & keyof typeof ABILITIES = edit === null ? 'image' : 'image-edit'
  if (!model.kinds.includes(kind)) throw cannot(id, kind)
  const usable = routes.filter((route) => imageSideOf(route) !== null)
  if (usable.length === 0) throw modelNotFound(id)
  return { model, routes: usable }
}

/** The image format that the route's supplier speaks, or null. */
export function imageSideOf({ formats }: Pick<EligibleRoute, 'formats'>): ImageSide | null {
  return IMAGE_SIDES.find(({ name }) => formats.includes(name)) ?? null
}

function cannot(id: string, kind: keyof typeof ABILITIES): GatewayError {
  const hint = `Models that can have "${kind}" in gateway.kinds of GET /v1/models.`
  const message = `The model ${JSON.stringify(id.slice(0, 200))} cannot ${ABILITIES[kind]}. ${hint}`
  return new GatewayError('invalid_request', message, { param: 'model' })
}
