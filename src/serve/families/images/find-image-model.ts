import type { ImageRequest } from '../../../conversation/images.ts'
import { GatewayError } from '../../../errors/gateway-error.ts'
import type { ImageSide } from '../../../protocols/image-side.ts'
import { IMAGE_SIDES } from '../../../protocols/index.ts'
import type { EligibleRoute } from '../../../rules/routing/eligible-routes.ts'
import type { ModelKind } from '../../../vocabulary/supply.ts'
import { availableModel, modelNotFound } from '../../admission/find-model.ts'
import type { Caller, Target } from '../../admission/prepared-request.ts'

const ABILITIES = { image: 'generate images', 'image-edit': 'edit images' } as const

/** Finds the model and those of its routes that serve images. */
export function findImageModel(caller: Caller, { model: id, edit }: ImageRequest): Target {
  const { model, routes } = availableModel(caller, id)
  const kind: ModelKind & keyof typeof ABILITIES = edit === null ? 'image' : 'image-edit'
  if (!model.kinds.includes(kind)) throw cannot(id, kind)
  const leading = routes.filter((route) => imageSideOf(route) !== null)
  if (leading.length === 0) throw modelNotFound(id)
  return { model, routes: leading }
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
