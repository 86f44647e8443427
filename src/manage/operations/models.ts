import { isDeepStrictEqual } from 'node:util'
import { listSupply, withSupply } from '../../rules/catalog/build-snapshot.ts'
import { findPriceProblem, withoutEmptyLists } from '../../rules/catalog/check-price.ts'
import { aliasesTo } from '../../rules/catalog/names.ts'
import { isUnpriced } from '../../rules/catalog/unpriced.ts'
import { ImageRate, Price, type PriceSettings } from '../../vocabulary/price.ts'
import { findImageTraitProblem, findSpeechTraitProblem } from '../../vocabulary/runtime/traits.ts'
import { type Fields, wireName } from '../../vocabulary/shape.ts'
import {
  Model,
  type ModelSettings,
  Route,
  type RouteIds,
  type RouteSettings,
  type RouteState,
  type Supplier,
  viewCredential,
} from '../../vocabulary/supply.ts'
import { type ListTerms, listItems, pageOf, positionById } from './paging.ts'
import type { Change, Changes, LocalOperations, OperationParts } from './parts.ts'
import {
  nameSome,
  refuse,
  requireFound,
  requireModel,
  requirePrice,
  requireSupplier,
  requireText,
} from './refuse.ts'

export function modelOperations(parts: OperationParts) {
  const { configuration } = parts
  return {
    listModels: (page, query = {}) => {
      const { models } = configuration.current().supply
      const wanted = models
        .values()
        .filter(({ kinds }) => query.kind === undefined || kinds.includes(query.kind))
      return listItems(wanted, { page, query }, MODEL_TERMS)
    },
    findModel: (id) => requireModel(configuration.current(), id),
    listRoutes: (page) => {
      const { routes } = listSupply(configuration.current().supply)
      const listing = pageOf(routes, page, (route) => `${route.modelId} ${route.supplierId}`)
      return { ...listing, data: listing.data.map((route) => viewRoute(parts, route)) }
    },
  } satisfies Partial<LocalOperations>
}

const MODEL_TERMS: ListTerms<Model, 'id' | 'display_name' | 'owned_by' | 'created_at'> = {
  positionOf: positionById,
  textsOf: ({ id, displayName, ownedBy }) => [id, displayName, ownedBy],
  rankOf: {
    id: ({ id }) => id,
    display_name: ({ displayName }) => displayName,
    owned_by: ({ ownedBy }) => ownedBy,
    created_at: ({ createdAtMs }) => createdAtMs,
  },
}

export const modelChanges = {
  async putModel(change, given) {
    const before = change.snapshot.supply.models.get(given.id) ?? null
    const after: Model = { ...completeModel(given), createdAtMs: before?.createdAtMs ?? change.nowMs }
    checkModel(after)
    if (isDeepStrictEqual(before, after)) return after
    const described = { before: before && Model.show(before), after: Model.show(after) }
    const action = before ? 'model.changed' : 'model.created'
    await change.parts.storage.saveModel(after, change.audit(action, after.id, described))
    publishModels(change, after.id, [after])
    return after
  },

  async deleteModel(change, id) {
    const before = requireModel(change.snapshot, id)
    const routes = change.snapshot.supply.routesByModel.get(id) ?? []
    if (routes.length > 0) {
      const suppliers = nameSome(routes.map(({ supplierId }) => supplierId))
      refuse('id', `Model "${id}" has routes to ${suppliers}; delete these routes first.`)
    }
    const keys = [...change.snapshot.keys.values()].filter(
      ({ state, modelAllowlist }) => state !== 'revoked' && modelAllowlist?.includes(id),
    )
    if (keys.length > 0) {
      const names = nameSome(keys.map(({ name }) => name))
      refuse('id', `Model "${id}" is on the allowlist of keys: ${names}; change these keys first.`)
    }
    if (change.snapshot.markUps?.model.has(id))
      refuse('id', `Model "${id}" has a mark-up; delete that first.`)
    const aliases = aliasesTo(change.snapshot, id)
    if (aliases.length > 0)
      refuse(
        'id',
        `Model "${id}" has aliases: ${nameSome(aliases.map(({ name }) => name))}; change these first.`,
      )
    const described = { before: Model.show(before), after: null }
    await change.parts.storage.deleteModel(id, change.audit('model.deleted', id, described))
    publishModels(change, id, [])
  },

  async putRoute(change, ids, settings) {
    const model = requireModel(change.snapshot, ids.modelId)
    const supplier = requireSupplier(change.snapshot, ids.supplierId)
    const after: Route = { ...completeRoute(settings, { model, supplier }), ...ids }
    const before = findRoute(change, ids)
    if (isDeepStrictEqual(before, after)) return after
    const described = { before: before && Route.show(before), after: Route.show(after) }
    const action = before ? 'route.changed' : 'route.created'
    await change.parts.storage.saveRoute(after, change.audit(action, nameOfRoute(ids), described))
    publishRoutes(change, ids, [after])
    return after
  },

  async deleteRoute(change, ids) {
    const name = nameOfRoute(ids)
    const before = requireFound(findRoute(change, ids), 'route', name)
    const described = { before: Route.show(before), after: null }
    await change.parts.storage.deleteRoute(ids, change.audit('route.deleted', name, described))
    publishRoutes(change, ids, [])
  },
} satisfies Changes

function viewRoute(parts: OperationParts, route: Route): RouteState {
  const { modelId, supplierId } = route
  const { suppliers, credentialsBySupplier } = parts.configuration.current().supply
  const known = credentialsBySupplier.get(supplierId) ?? []
  const credentials = known.map((credential) => {
    const remaining = parts.capacity.remaining(credential)
    const standing = parts.routing.standing({ modelId, supplierId, credentialId: credential.id })
    return {
      ...viewCredential(credential),
      ...standing,
      latencyMs: standing.latencyMs && Math.round(standing.latencyMs),
      successRate: Math.round(standing.successRate * 1_000) / 1_000,
      remainingRequests: remaining.requests,
      remainingTokens: remaining.tokens,
    }
  })
  const isLacking = isUnpriced(route, suppliers.get(supplierId))
  return { ...route, ...(isLacking && { unpriced: true as const }), credentials }
}

/** A model as it is stored. */
export function completeModel(given: ModelSettings): Omit<Model, 'createdAtMs'> {
  return { ...given, displayName: given.displayName ?? given.id }
}

function publishModels(change: Change, id: string, replacement: readonly Model[]): void {
  change.publish((snapshot) => {
    const others = listSupply(snapshot.supply).models.filter((each) => each.id !== id)
    return withSupply(snapshot, { models: [...others, ...replacement] })
  })
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
  const speechProblem = findSpeechTraitProblem(model.capabilities)
  if (speechProblem !== null) refuse('capabilities.speech', speechProblem)
}

/** What the audit calls it. */
export function nameOfRoute({ modelId, supplierId }: RouteIds): string {
  return `${modelId}/routes/${supplierId}`
}

function findRoute({ snapshot }: Change, { modelId, supplierId }: RouteIds): Route | null {
  const routes = snapshot.supply.routesByModel.get(modelId)
  return routes?.find((route) => route.supplierId === supplierId) ?? null
}

function publishRoutes(change: Change, ids: RouteIds, replacement: readonly Route[]): void {
  change.publish((snapshot) => {
    const others = listSupply(snapshot.supply).routes.filter(
      ({ modelId, supplierId }) => modelId !== ids.modelId || supplierId !== ids.supplierId,
    )
    return withSupply(snapshot, { routes: [...others, ...replacement] })
  })
}

interface RouteEnds {
  readonly model: Pick<Model, 'kinds'>
  readonly supplier: Supplier
}

/** A route as it is stored; refuses one its supplier could not serve. */
export function completeRoute<Settings extends RouteSettings>(
  settings: Settings,
  { model, supplier }: RouteEnds,
): Settings & { readonly price: Price | null; readonly cost: Price | null } {
  requireText(settings.upstreamModel, 'upstream_model')
  const price = settings.price && completePrice(settings.price, model, 'price')
  const cost = settings.cost && completePrice(settings.cost, model, 'cost')
  if (settings.formats?.length === 0) {
    refuse('formats', 'formats must name a format; null means all the supplier speaks.')
  }
  const index = settings.formats?.findIndex((format) => !supplier.formats.includes(format)) ?? -1
  if (index >= 0) {
    const spoken = supplier.formats.join(', ')
    refuse(`formats[${index}]`, `Supplier "${supplier.id}" does not speak this format; it speaks: ${spoken}.`)
  }
  return { ...settings, price, cost }
}

/** Images have a price each; text is priced by the token. */
function completePrice(given: PriceSettings, { kinds }: Pick<Model, 'kinds'>, name: string): Price {
  for (const field of ['inputNanoPerMillion', 'outputNanoPerMillion'] as const) {
    const param = `${name}.${wireName(field, Price.fields[field])}`
    if (given[field] === null && kinds.includes('text')) refuse(param, `${param} is required.`)
  }
  const found = findPriceProblem(given)
  if (found !== null) refuse(`${name}.${found.param}`, `${name}.${found.param} ${found.problem}`)
  const price: Price = {
    ...withoutEmptyLists(given),
    inputNanoPerMillion: given.inputNanoPerMillion ?? 0n,
    outputNanoPerMillion: given.outputNanoPerMillion ?? 0n,
  }
  requireSaneRates(Price.fields, price, name)
  return price
}

/** Checks every amount, those of variants and of images by size included. */
function requireSaneRates(fields: Fields, value: object, param: string): void {
  for (const [name, part] of Object.entries(value)) {
    const field = fields[name]
    const path = field === undefined ? `${param}.${name}` : `${param}.${wireName(name, field)}`
    if (typeof part === 'bigint') requirePrice(part, path)
    if (!Array.isArray(part)) continue
    const inner = name === 'imageRates' ? ImageRate.fields : Price.fields
    for (const [index, item] of part.entries()) requireSaneRates(inner, item, `${path}[${index}]`)
  }
}
