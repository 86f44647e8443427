import { isDeepStrictEqual } from 'node:util'
import { listSupply, withSupply } from '../../rules/catalog/build-snapshot.ts'
import { describeModel, describeRoute } from '../../rules/catalog/describe-supply.ts'
import { findImageTraitProblem } from '../../vocabulary/image-traits.ts'
import type { Model, Price, Route, Supplier } from '../../vocabulary/supply.ts'
import type { Operations, RouteSettings, RouteView } from '../ports/operations.ts'
import type { Change, ChangeDesk } from './change-desk.ts'
import { pageOf, positionById } from './paging.ts'
import type { OperationParts } from './parts.ts'
import { refuse, requireModel, requirePrice, requireSupplier, requireText } from './refuse.ts'

type ModelOperations = Pick<Operations, 'listModels' | 'findModel' | 'putModel' | 'putRoute' | 'listRoutes'>

interface RouteIds {
  readonly modelId: string
  readonly supplierId: string
}

export function modelOperations({ parts, makeChange }: ChangeDesk): ModelOperations {
  const { configuration } = parts
  return {
    listModels: (page) => pageOf(configuration.current().supply.models.values(), page, positionById),
    findModel: (id) => requireModel(configuration.current(), id),
    putModel: (model, actor) => makeChange(actor, (change) => putModel(change, model)),
    putRoute: (ids, settings, actor) => makeChange(actor, (change) => putRoute(change, ids, settings)),
    listRoutes: (page) => {
      const { routes } = listSupply(configuration.current().supply)
      const listing = pageOf(routes, page, (route) => `${route.modelId} ${route.supplierId}`)
      return { ...listing, data: listing.data.map((route) => viewRoute(parts, route)) }
    },
  }
}

function viewRoute(parts: OperationParts, route: Route): RouteView {
  const { credentialsBySupplier } = parts.configuration.current().supply
  const credentials = (credentialsBySupplier.get(route.supplierId) ?? []).map((credential) => {
    const remaining = parts.capacity.remaining(credential)
    const { modelId, supplierId } = route
    const standing = parts.routing.standing({ modelId, supplierId, credentialId: credential.id })
    return { credential, standing, remainingRequests: remaining.requests, remainingTokens: remaining.tokens }
  })
  return { route, credentials }
}

async function putModel(change: Change, given: Omit<Model, 'createdAtMs'>): Promise<Model> {
  checkModel(given)
  const before = change.snapshot.supply.models.get(given.id) ?? null
  const after: Model = { ...given, createdAtMs: before?.createdAtMs ?? change.nowMs }
  if (isDeepStrictEqual(before, after)) return after
  const described = { before: before && describeModel(before), after: describeModel(after) }
  const action = before ? 'model.changed' : 'model.created'
  await change.parts.storage.saveModel(after, change.audit(action, after.id, described))
  change.publish((snapshot) => {
    const others = listSupply(snapshot.supply).models.filter((each) => each.id !== after.id)
    return withSupply(snapshot, { models: [...others, after] })
  })
  return after
}

/** Refuses a model that could not be addressed or shown. */
export function checkModel(model: Omit<Model, 'createdAtMs'>): void {
  if (!/^[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,199}$/.test(model.id)) {
    refuse(
      'id',
      'A model id is 1 to 200 letters, digits and . _ : / @ + - and starts with a letter or digit.',
    )
  }
  // Its own address could not be told from that of another model's route.
  if (model.id.includes('/routes/')) refuse('id', 'A model id must not contain "/routes/".')
  if (/\/(?:\.{0,2}(?:\/|$))/.test(model.id))
    refuse('id', 'A model id must not have empty or dotted path segments.')
  if (model.kinds.length === 0) refuse('kinds', 'kinds must name at least one kind.')
  const imageProblem = findImageTraitProblem(model.capabilities)
  if (imageProblem !== null) refuse('capabilities.images', imageProblem)
}

async function putRoute(change: Change, ids: RouteIds, settings: RouteSettings): Promise<Route> {
  requireModel(change.snapshot, ids.modelId)
  checkRoute(requireSupplier(change.snapshot, ids.supplierId), settings)
  const isSameRoute = (route: Route) => route.modelId === ids.modelId && route.supplierId === ids.supplierId
  const before = change.snapshot.supply.routesByModel.get(ids.modelId)?.find(isSameRoute) ?? null
  const after: Route = { ...settings, ...ids }
  if (isDeepStrictEqual(before, after)) return after
  const described = { before: before && describeRoute(before), after: describeRoute(after) }
  const action = before ? 'route.changed' : 'route.created'
  const subject = `${ids.modelId}/routes/${ids.supplierId}`
  await change.parts.storage.saveRoute(after, change.audit(action, subject, described))
  change.publish((snapshot) => {
    const others = listSupply(snapshot.supply).routes.filter((route) => !isSameRoute(route))
    return withSupply(snapshot, { routes: [...others, after] })
  })
  return after
}

/** Refuses a route its supplier could not serve. */
export function checkRoute(supplier: Supplier, settings: RouteSettings): void {
  requireText(settings.upstreamModel, 'upstream_model')
  if (settings.price) checkPrice(settings.price)
  if (settings.formats?.length === 0) {
    refuse('formats', 'formats must name a format; null means all the supplier speaks.')
  }
  const index = settings.formats?.findIndex((format) => !supplier.formats.includes(format)) ?? -1
  if (index >= 0) {
    const spoken = supplier.formats.join(', ')
    refuse(`formats[${index}]`, `Supplier "${supplier.id}" does not speak this format; it speaks: ${spoken}.`)
  }
}

function checkPrice(price: Price): void {
  requirePrice(price.inputNanoPerMillion, 'price.input')
  requirePrice(price.outputNanoPerMillion, 'price.output')
  requirePrice(price.cacheReadNanoPerMillion, 'price.cache_read')
  requirePrice(price.cacheWriteNanoPerMillion, 'price.cache_write')
  requirePrice(price.imageNano, 'price.image')
}
