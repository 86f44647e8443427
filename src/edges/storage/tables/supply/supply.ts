import { writeJson } from '../../../../vocabulary/field.ts'
import { Model, Route, type RouteIds, Supplier, USUAL_TIMEOUTS } from '../../../../vocabulary/supply.ts'
import type { Database } from '../../database.ts'
import { queryOn, upsert } from '../../query.ts'

export async function saveSupplier(tx: Database, supplier: Supplier): Promise<void> {
  await upsert(tx, { table: 'suppliers', key: ['id'] }, Supplier.toRow(supplier))
}

/** Its routes and credentials go with it. */
export async function deleteSupplier(tx: Database, id: string): Promise<void> {
  const query = queryOn(tx)
  await query.deleteFrom('routes').where('supplier_id', '=', id).execute()
  await query.deleteFrom('credentials').where('supplier_id', '=', id).execute()
  await query.deleteFrom('suppliers').where('id', '=', id).execute()
}

const NO_TIMEOUTS = writeJson(USUAL_TIMEOUTS)

export async function loadSuppliers(database: Database): Promise<Supplier[]> {
  const rows = await queryOn(database)
    .selectFrom('suppliers')
    .select(Supplier.columns)
    .orderBy('id')
    .execute()
  return rows.map(({ timeouts, ...row }) => Supplier.fromRow({ ...row, timeouts: timeouts ?? NO_TIMEOUTS }))
}

export async function saveModel(tx: Database, model: Model): Promise<void> {
  await upsert(tx, { table: 'models', key: ['id'] }, Model.toRow(model))
}

export async function deleteModel(tx: Database, id: string): Promise<void> {
  await queryOn(tx).deleteFrom('models').where('id', '=', id).execute()
}

export async function loadModels(database: Database): Promise<Model[]> {
  const rows = await queryOn(database).selectFrom('models').select(Model.columns).orderBy('id').execute()
  return rows.map((row) => Model.fromRow(row))
}

export async function saveRoute(tx: Database, route: Route): Promise<void> {
  await upsert(tx, { table: 'routes', key: ['model_id', 'supplier_id'] }, Route.toRow(route))
}

export async function deleteRoute(tx: Database, { modelId, supplierId }: RouteIds): Promise<void> {
  await queryOn(tx)
    .deleteFrom('routes')
    .where('model_id', '=', modelId)
    .where('supplier_id', '=', supplierId)
    .execute()
}

export async function loadRoutes(database: Database): Promise<Route[]> {
  const rows = await queryOn(database)
    .selectFrom('routes')
    .select(Route.columns)
    .orderBy('model_id')
    .orderBy('priority')
    .orderBy('supplier_id')
    .execute()
  return rows.map((row) => Route.fromRow(row))
}
