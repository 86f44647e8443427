import { Model, Route, type WantedModel, type WantedRoute } from '../../../vocabulary/supply.ts'
import type { SupplyPath } from '../../ports/supply-application.ts'
import { checkModel, completeModel, completeRoute, nameOfRoute } from '../models.ts'
import {
  collectProblem,
  differingFields,
  makeStep,
  type Planning,
  refuseDuplicates,
  type SupplyStep,
} from './supply-step.ts'

/** The steps for a document's models and their routes. */
export function planModels(planning: Planning): SupplyStep[] {
  const { models } = planning.document
  const ids = models.map(({ id }) => id)
  refuseDuplicates(planning, ids, (index) => ['models', index, 'id'])
  return models.flatMap((wanted, index) => {
    const path = ['models', index]
    const { routes: _, ...settings } = wanted
    const model = completeModel(settings)
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
  return differingFields(Model.show(before), Model.show(after))
}

function planRoutes(planning: Planning, model: WantedModel, path: SupplyPath): SupplyStep[] {
  const { id: modelId, routes } = model
  const place = (index: number) => [...path, 'routes', index]
  const supplierIds = routes.map(({ supplierId }) => supplierId)
  refuseDuplicates(planning, supplierIds, (index) => [...place(index), 'supplier'])
  return routes.flatMap((wanted, index) => {
    const route = completeWanted(planning, { model, wanted }, place(index))
    return route === null ? [] : [planRoute(planning, { ...route, modelId })]
  })
}

/** Null where it is refused. */
function completeWanted(
  planning: Planning,
  { model, wanted: route }: { model: WantedModel; wanted: WantedRoute },
  path: SupplyPath,
): Omit<Route, 'modelId'> | null {
  const supplier = planning.suppliers.get(route.supplierId)
  if (supplier === undefined) {
    const message = 'names a supplier that is neither in the document nor in the gateway.'
    planning.problems.push({ path: [...path, 'supplier'], message })
    return null
  }
  return collectProblem(planning, path, () => completeRoute(route, { model, supplier }))
}

function planRoute({ supply, options }: Planning, route: Route): SupplyStep {
  const { modelId, supplierId, ...settings } = route
  const before = supply.routesByModel.get(modelId)?.find((known) => known.supplierId === supplierId)
  const fields = before && !options.keepExisting ? differingFields(Route.show(before), Route.show(route)) : []
  return makeStep(
    { kind: 'route', id: nameOfRoute(route), isNew: before === undefined, fields },
    (writer, actor) => writer.putRoute({ modelId, supplierId }, settings, actor),
  )
}
