import { describeModel, describeRoute } from '../../../rules/catalog/describe-supply.ts'
import type { Model, Route } from '../../../vocabulary/supply.ts'
import type { WantedModel } from '../../../vocabulary/supply-document.ts'
import type { SupplyPath } from '../../ports/supply-application.ts'
import { checkModel, checkRoute } from '../models.ts'
import {
  collectProblem,
  differingFields,
  makeStep,
  type Planning,
  refuseDuplicates,
  type SupplyStep,
} from './supply-step.ts'

type WantedRoute = WantedModel['routes'][number]

/** The steps for a document's models and their routes. */
export function planModels(planning: Planning): SupplyStep[] {
  const { models } = planning.document
  const ids = models.map(({ id }) => id)
  refuseDuplicates(planning, ids, (index) => ['models', index, 'id'])
  return models.flatMap((wanted, index) => {
    const path = ['models', index]
    const { routes, ...model } = wanted
    collectProblem(planning, path, () => checkModel(model))
    return [planModel(planning, model), ...planRoutes(planning, wanted, path)]
  })
}

function planModel({ supply, options }: Planning, model: Omit<Model, 'createdAtMs'>): SupplyStep {
  const before = supply.models.get(model.id)
  const fields = before && !options.keepExisting ? modelFields(before, model) : []
  return makeStep({ kind: 'model', id: model.id, isNew: before === undefined, fields }, (writer, actor) =>
    writer.putModel(model, actor),
  )
}

function modelFields(before: Model, wanted: Omit<Model, 'createdAtMs'>): string[] {
  const after = { ...wanted, createdAtMs: before.createdAtMs }
  return differingFields(describeModel(before), describeModel(after))
}

function planRoutes(
  planning: Planning,
  { id: modelId, routes }: WantedModel,
  path: SupplyPath,
): SupplyStep[] {
  const place = (index: number) => [...path, 'routes', index]
  const supplierIds = routes.map(({ supplierId }) => supplierId)
  refuseDuplicates(planning, supplierIds, (index) => [...place(index), 'supplier'])
  return routes.map((route, index) => {
    checkWanted(planning, route, place(index))
    return planRoute(planning, { ...route, modelId })
  })
}

function checkWanted(planning: Planning, route: WantedRoute, path: SupplyPath): void {
  const supplier = planning.suppliers.get(route.supplierId)
  if (supplier === undefined) {
    const message = 'names a supplier that is neither in the document nor in the gateway.'
    planning.problems.push({ path: [...path, 'supplier'], message })
    return
  }
  collectProblem(planning, path, () => checkRoute(supplier, route))
}

function planRoute({ supply, options }: Planning, route: Route): SupplyStep {
  const { modelId, supplierId, ...settings } = route
  const before = supply.routesByModel.get(modelId)?.find((known) => known.supplierId === supplierId)
  const fields =
    before && !options.keepExisting ? differingFields(describeRoute(before), describeRoute(route)) : []
  return makeStep(
    { kind: 'route', id: `${modelId}/routes/${supplierId}`, isNew: before === undefined, fields },
    (writer, actor) => writer.putRoute({ modelId, supplierId }, settings, actor),
  )
}
