import type { PictureRequest } from '../../conversation/images.ts'
import { GatewayError } from '../../errors/gateway-error.ts'
import { PICTURE_SIDES } from '../../protocols/index.ts'
import type { PictureSide } from '../../protocols/pictures.ts'
import type { EligibleRoute } from '../../rules/routing/eligible-routes.ts'
import type { ModelKind } from '../../vocabulary/supply.ts'
import { availableModel, modelNotFound } from '../admission/find-model.ts'
import type { Caller, Target } from '../admission/prepared-request.ts'

const DEEDS = { image: 'make pictures', 'image-edit': 'change pictures' } as const

/** The model and the routes over which it can be asked for pictures. */
export function findImageModel(caller: Caller, { model: id, edit }: PictureRequest): Target {
  const { model, routes } = availableModel(caller, id)
  const kind: ModelKind & keyof typeof DEEDS = edit === null ? 'image' : 'image-edit'
  if (!model.kinds.includes(kind)) throw cannot(id, kind)
  const leading = routes.filter((route) => pictureSideOf(route) !== null)
  if (leading.length === 0) throw modelNotFound(id)
  return { model, routes: leading }
}

/** How a route's supplier is asked for pictures; null when it cannot be. */
export function pictureSideOf({ formats }: Pick<EligibleRoute, 'formats'>): PictureSide | null {
  return PICTURE_SIDES.find(({ name }) => formats.includes(name)) ?? null
}

function cannot(id: string, kind: keyof typeof DEEDS): GatewayError {
  const hint = `In the list of GET /v1/models, those that can have "${kind}" in gateway.kinds.`
  const message = `The model ${JSON.stringify(id.slice(0, 200))} does not ${DEEDS[kind]}. ${hint}`
  return new GatewayError('invalid_request', message, { param: 'model' })
}
