import { listSupply } from '../../../rules/catalog/build-snapshot.ts'
import { isUnpriced } from '../../../rules/catalog/unpriced.ts'
import {
  type Credential,
  Model,
  Route,
  Supplier,
  type SupplyDocument,
  type WantedCredential,
  type WantedModel,
  type WantedRoute,
  type WantedSupplier,
} from '../../../vocabulary/supply.ts'
import {
  RefusedSupply,
  type SupplyChanges,
  type SupplyOptions,
  type SupplyPath,
} from '../../ports/supply-application.ts'
import { checkModel, completeModel, completeRoute, nameOfRoute } from '../models.ts'
import type { LocalOperations, OperationParts } from '../parts.ts'
import {
  checkCredentialSettings,
  checkSecret,
  checkSupplier,
  completeSupplier,
  showCredential,
} from '../supply.ts'
import { planNames } from './apply-names.ts'
import {
  collectProblem,
  differingFields,
  makeStep,
  type Planning,
  refuseDuplicates,
  type SupplyStep,
  type SupplyWriter,
} from './supply-steps.ts'

/**
 * Applications of whole documents. Each is one change, to which nothing is added in between: two of the same document
 * at once, be it on two nodes, would both find its credentials missing. The writer must not wait for its turn.
 */
export function supplyApplication(parts: OperationParts, writer: SupplyWriter) {
  return {
    planSupply: (document, options) => changesOf(planSupply(parts, document, options)),
    applySupply: (document, options) =>
      parts.configuration.changing(async () => {
        const steps = planSupply(parts, document, options)
        for (const { write } of steps) await write?.(writer, options.actor)
        return changesOf(steps)
      }),
  } satisfies Partial<LocalOperations>
}

function changesOf(steps: readonly SupplyStep[]): SupplyChanges {
  return steps.map(({ change }) => change)
}

/**
 * All that has to be written so that the supply is as the document wants it, in an order in which each step finds what
 * it needs. Everything is checked here, so that a document is refused before its first write or not at all.
 */
function planSupply(
  parts: OperationParts,
  document: SupplyDocument,
  options: SupplyOptions,
): readonly SupplyStep[] {
  const { supply } = parts.configuration.current()
  const suppliers = new Map(supply.suppliers)
  for (const wanted of document.suppliers) {
    if (!options.keepExisting || !suppliers.has(wanted.id))
      suppliers.set(wanted.id, settingsOf(parts, wanted))
  }
  const planning: Planning = { parts, supply, document, options, suppliers, problems: [] }
  const steps = [
    ...planSuppliers(planning),
    ...planModels(planning),
    ...planNames(planning),
    ...planPruning(planning),
  ]
  if (planning.problems.length > 0) throw new RefusedSupply(planning.problems, 'The supply', () => '')
  return steps
}

/** The steps for a document's suppliers and their credentials. */
function planSuppliers(planning: Planning): SupplyStep[] {
  const { suppliers } = planning.document
  const ids = suppliers.map(({ id }) => id)
  refuseDuplicates(planning, ids, (index) => ['suppliers', index, 'id'])
  return suppliers.flatMap((wanted, index) => {
    const path = ['suppliers', index]
    const supplier = planning.suppliers.get(wanted.id) ?? settingsOf(planning.parts, wanted)
    collectProblem(planning, path, () => checkSupplier(planning.parts, supplier))
    return [planSupplier(planning, supplier), ...planCredentials(planning, wanted, path)]
  })
}

/** A supplier as it would be stored. */
function settingsOf(parts: Planning['parts'], { credentials: _, ...supplier }: WantedSupplier): Supplier {
  return completeSupplier(parts, supplier)
}

function planSupplier({ supply }: Planning, supplier: Supplier): SupplyStep {
  const before = supply.suppliers.get(supplier.id)
  const fields = before ? differingFields(Supplier.show(before), Supplier.show(supplier)) : []
  return makeStep(
    { kind: 'supplier', id: supplier.id, isNew: before === undefined, fields },
    (writer, actor) => writer.putSupplier(supplier, actor),
  )
}

function planCredentials(planning: Planning, wanted: WantedSupplier, path: SupplyPath): SupplyStep[] {
  const place = (index: number) => [...path, 'credentials', index]
  const labels = wanted.credentials.map(({ label }) => label)
  refuseDuplicates(planning, labels, (index) => [...place(index), 'label'])
  const known = planning.supply.credentialsBySupplier.get(wanted.id) ?? []
  return wanted.credentials.map((credential, index) => {
    collectProblem(planning, place(index), () => {
      checkCredentialSettings(credential)
      checkSecret(planning.parts, wanted, credential.secret)
    })
    const namesakes = known.filter(({ label }) => label === credential.label)
    if (namesakes.length > 1) {
      const message = `stands for ${namesakes.length} credentials of this supplier; give each a label of its own.`
      planning.problems.push({ path: [...place(index), 'label'], message })
    }
    return planCredential(planning, wanted.id, { credential, before: namesakes[0] ?? null })
  })
}

interface CredentialPair {
  readonly credential: WantedCredential
  readonly before: Credential | null
}

function planCredential(
  { options }: Planning,
  supplierId: string,
  { credential, before }: CredentialPair,
): SupplyStep {
  const id = `${supplierId}/${credential.label}`
  if (before === null) {
    return makeStep({ kind: 'credential', id, isNew: true, fields: [] }, (writer, actor) =>
      writer.addCredential(supplierId, credential, actor),
    )
  }
  const { secret, rpm, tpm, weight, state } = credential
  // A secret is renewed because the old one was no good any more, so what was switched off for it is on again.
  const renewal = secret === before.secret ? {} : { secret, state: 'active' as const }
  const edit = options.keepExisting ? renewal : { secret, rpm, tpm, weight, state }
  const fields = credentialFields(before, { ...before, ...edit })
  return makeStep({ kind: 'credential', id, isNew: false, fields }, (writer, actor) =>
    writer.changeCredential(before.id, edit, actor),
  )
}

/** Of a secret only that it changed is told. */
function credentialFields(before: Credential, after: Credential): string[] {
  const fields = differingFields(showCredential(before), showCredential(after))
  const others = fields.filter((name) => name !== 'last_four')
  return before.secret === after.secret ? others : ['secret', ...others]
}

/** The steps for a document's models and their routes. */
function planModels(planning: Planning): SupplyStep[] {
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

function planRoute({ supply, options, suppliers }: Planning, route: Route): SupplyStep {
  const { modelId, supplierId, ...settings } = route
  const before = supply.routesByModel.get(modelId)?.find((known) => known.supplierId === supplierId)
  const fields = before && !options.keepExisting ? differingFields(Route.show(before), Route.show(route)) : []
  const id = nameOfRoute(route)
  const step = makeStep({ kind: 'route', id, isNew: before === undefined, fields }, (writer, actor) =>
    writer.putRoute({ modelId, supplierId }, settings, actor),
  )
  const applied = before && options.keepExisting ? before : route
  if (!isUnpriced(applied, suppliers.get(supplierId))) return step
  return { ...step, change: { ...step.change, warning: `${id} has no price, so it is not used.` } }
}

/**
 * The steps that take away what the document no longer names, for suppliers that asked for it. They come last, so that
 * a model never loses its old way before it has its new one.
 */
function planPruning({ supply, document, options }: Planning): SupplyStep[] {
  if (options.keepExisting) return []
  const pruned = new Set(options.pruneSuppliers)
  const rows = listSupply(supply)
  const labels = new Set(
    document.suppliers.flatMap(({ id, credentials }) => credentials.map(({ label }) => `${id}/${label}`)),
  )
  const routes = new Set(
    document.models.flatMap(({ id, routes }) =>
      routes.map(({ supplierId }) => nameOfRoute({ modelId: id, supplierId })),
    ),
  )
  const goneCredentials = rows.credentials.filter(
    ({ supplierId, label }) => pruned.has(supplierId) && !(label && labels.has(`${supplierId}/${label}`)),
  )
  const goneRoutes = rows.routes.filter(
    (route) => pruned.has(route.supplierId) && route.enabled && !routes.has(nameOfRoute(route)),
  )
  return [
    ...goneCredentials.map(({ id, supplierId, label }): SupplyStep => {
      const name = `${supplierId}/${label ?? id}`
      return {
        change: { kind: 'credential', id: name, result: 'removed', fields: [] },
        write: (writer, actor) => writer.deleteCredential(id, actor),
      }
    }),
    ...goneRoutes.map(({ modelId, supplierId, ...settings }): SupplyStep => {
      const id = nameOfRoute({ modelId, supplierId })
      return {
        change: { kind: 'route', id, result: 'changed', fields: ['enabled'] },
        // Only switched off: a line that is gone by mistake is put back without losing what an operator had set.
        write: (writer, actor) =>
          writer.putRoute({ modelId, supplierId }, { ...settings, enabled: false }, actor),
      }
    }),
  ]
}
