import {
  type Format,
  type Model,
  type ModelKind,
  type Route,
  type Supplier,
  type SupplierTimeouts,
  type SupplierTypeName,
  USUAL_TIMEOUTS,
} from '../../../vocabulary/supply.ts'
import { decodeInteger, decodePrice, encodeInteger, encodePrice, toStoredJson } from '../columns.ts'
import type { Database } from '../database.ts'
import { upsertRow } from '../statements.ts'

interface SupplierRow {
  readonly id: string
  readonly type: SupplierTypeName
  readonly base_url: string
  readonly formats: string
  readonly source: Supplier['source']
  readonly account_id: string | null
  readonly enabled: bigint
  readonly options: string
  readonly timeouts: string | null
}

interface ModelRow {
  readonly id: string
  readonly owned_by: string
  readonly display_name: string
  readonly description: string
  readonly kinds: string
  readonly input_token_limit: bigint | null
  readonly output_token_limit: bigint | null
  readonly rpm: bigint | null
  readonly tpm: bigint | null
  readonly capabilities: string
  readonly created_at_ms: bigint
}

interface RouteRow {
  readonly model_id: string
  readonly supplier_id: string
  readonly upstream_model: string
  readonly formats: string | null
  readonly price: string | null
  readonly rpm: bigint | null
  readonly tpm: bigint | null
  readonly priority: bigint
  readonly enabled: bigint
}

const SUPPLIERS = { name: 'suppliers', key: ['id'] }
const MODELS = { name: 'models', key: ['id'] }
const ROUTES = { name: 'routes', key: ['model_id', 'supplier_id'] }

export async function saveSupplier(tx: Database, supplier: Supplier): Promise<void> {
  await upsertRow(tx, SUPPLIERS, {
    id: supplier.id,
    type: supplier.type,
    base_url: supplier.baseUrl,
    formats: toStoredJson(supplier.formats),
    source: supplier.source,
    account_id: supplier.accountId,
    enabled: BigInt(supplier.enabled),
    options: toStoredJson(supplier.options),
    timeouts: toStoredJson(supplier.timeouts),
  })
}

/** Its routes and credentials go with it. */
export async function deleteSupplier(tx: Database, id: string): Promise<void> {
  await tx.rows('delete from routes where supplier_id = $1', [id])
  await tx.rows('delete from credentials where supplier_id = $1', [id])
  await tx.rows('delete from suppliers where id = $1', [id])
}

export async function loadSuppliers(database: Database): Promise<Supplier[]> {
  const rows = await database.rows<SupplierRow>(
    'select id, type, base_url, formats, source, account_id, enabled, options, timeouts from suppliers order by id',
    [],
  )
  return rows.map((row) => {
    const formats: Format[] = JSON.parse(row.formats)
    const options: Record<string, string> = JSON.parse(row.options)
    const timeouts: SupplierTimeouts = row.timeouts === null ? USUAL_TIMEOUTS : JSON.parse(row.timeouts)
    return {
      id: row.id,
      type: row.type,
      baseUrl: row.base_url,
      formats,
      source: row.source,
      accountId: row.account_id,
      enabled: row.enabled === 1n,
      options,
      timeouts,
    }
  })
}

export async function saveModel(tx: Database, model: Model): Promise<void> {
  await upsertRow(tx, MODELS, {
    id: model.id,
    owned_by: model.ownedBy,
    display_name: model.displayName,
    description: model.description,
    kinds: toStoredJson(model.kinds),
    input_token_limit: encodeInteger(model.inputTokenLimit),
    output_token_limit: encodeInteger(model.outputTokenLimit),
    rpm: encodeInteger(model.rpm),
    tpm: encodeInteger(model.tpm),
    capabilities: toStoredJson(model.capabilities),
    created_at_ms: BigInt(model.createdAtMs),
  })
}

export async function loadModels(database: Database): Promise<Model[]> {
  const rows = await database.rows<ModelRow>(
    `select id, owned_by, display_name, description, kinds, input_token_limit, output_token_limit, rpm, tpm,
      capabilities, created_at_ms
    from models order by id`,
    [],
  )
  return rows.map(decodeModel)
}

function decodeModel(row: ModelRow): Model {
  const kinds: ModelKind[] = JSON.parse(row.kinds)
  const capabilities: Record<string, unknown> = JSON.parse(row.capabilities)
  return {
    id: row.id,
    ownedBy: row.owned_by,
    displayName: row.display_name,
    description: row.description,
    kinds,
    inputTokenLimit: decodeInteger(row.input_token_limit),
    outputTokenLimit: decodeInteger(row.output_token_limit),
    rpm: decodeInteger(row.rpm),
    tpm: decodeInteger(row.tpm),
    capabilities,
    createdAtMs: Number(row.created_at_ms),
  }
}

export async function saveRoute(tx: Database, route: Route): Promise<void> {
  await upsertRow(tx, ROUTES, {
    model_id: route.modelId,
    supplier_id: route.supplierId,
    upstream_model: route.upstreamModel,
    formats: route.formats && toStoredJson(route.formats),
    price: encodePrice(route.price),
    rpm: encodeInteger(route.rpm),
    tpm: encodeInteger(route.tpm),
    priority: BigInt(route.priority),
    enabled: BigInt(route.enabled),
  })
}

export async function loadRoutes(database: Database): Promise<Route[]> {
  const rows = await database.rows<RouteRow>(
    `select model_id, supplier_id, upstream_model, formats, price, rpm, tpm, priority, enabled
    from routes order by model_id, priority, supplier_id`,
    [],
  )
  return rows.map(decodeRoute)
}

function decodeRoute(row: RouteRow): Route {
  const formats: Format[] | null = row.formats && JSON.parse(row.formats)
  return {
    modelId: row.model_id,
    supplierId: row.supplier_id,
    upstreamModel: row.upstream_model,
    formats,
    price: decodePrice(row.price),
    rpm: decodeInteger(row.rpm),
    tpm: decodeInteger(row.tpm),
    priority: Number(row.priority),
    enabled: row.enabled === 1n,
  }
}
