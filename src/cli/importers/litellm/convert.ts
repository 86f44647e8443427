import { findCatalogPrice, type PriceSources } from '../../../manage/prices/catalog-price.ts'
import { Price } from '../../../vocabulary/price.ts'
import { recordIdFrom } from '../../../vocabulary/records/record.ts'
import type { Sent } from '../../../vocabulary/shape.ts'
import type { Model, ModelKind, SupplyFile } from '../../../vocabulary/supply.ts'
import { type FoundSupplier, findSupplier, modeOf } from './find-supplier.ts'
import { Findings } from './findings.ts'
import { readAliases } from './read-aliases.ts'
import { countOf, type Deployment, type LitellmConfig, perMillion, textOf } from './read-config.ts'
import { SupplierList } from './supplier-list.ts'

export type WrittenSupply = Sent<typeof SupplyFile.draft>
export type WrittenModel = NonNullable<WrittenSupply['models']>[number]
type WrittenWildcard = NonNullable<WrittenSupply['wildcards']>[number]
type WrittenRoute = NonNullable<WrittenModel['routes']>[number]

export interface Imported {
  readonly supply: WrittenSupply
  readonly findings: Findings
  /** Variables that must be set, each with where its value stands in the imported file. */
  readonly variables: ReadonlyMap<string, string>
}

/** Makes a supply file of the configuration of a LiteLLM proxy. */
export function convert(config: LitellmConfig, sources: PriceSources): Imported {
  const findings = new Findings()
  const suppliers = new SupplierList()
  const models: Models = new Map()
  const wildcards: WrittenWildcard[] = []
  for (const deployment of config.deployments) {
    const parts = { deployment, suppliers, findings, sources }
    if (deployment.modelName.includes('*')) wildcards.push(...readWildcard(parts))
    else addRoute(models, parts)
  }
  const names = readAliases(config, { models: new Set(models.keys()), findings })
  reportSettings(config, findings)
  const supply = {
    suppliers: suppliers.all,
    models: [...models.values()],
    ...(names.length > 0 && { aliases: names }),
    ...(wildcards.length > 0 && { wildcards }),
  }
  return { supply, findings, variables: suppliers.variables }
}

interface Parts {
  readonly deployment: Deployment
  readonly suppliers: SupplierList
  readonly findings: Findings
  readonly sources: PriceSources
}

type Models = Map<string, WrittenModel & { routes: WrittenRoute[] }>

function addRoute(models: Models, parts: Parts): void {
  const { deployment, findings } = parts
  const { at, modelName, params, info } = deployment
  const mode = modeOf(deployment)
  const found = findSupplier(deployment)
  if (modelName === '') findings.leftOut(at, 'It has no model_name.')
  else if (mode === null) findings.leftOut(at, `Turnpike has no models of the mode ${info.mode}.`)
  else if (found === null) findings.leftOut(at, `The address of ${params.model} is not known; add api_base.`)
  else addKnownRoute(models, { found, kind: mode.kind }, parts)
}

function addKnownRoute(
  models: Models,
  { found, kind }: { readonly found: FoundSupplier; readonly kind: ModelKind },
  parts: Parts,
): void {
  const { deployment, suppliers, findings, sources } = parts
  const { at, modelName } = deployment
  const { upstreamModel, formats } = found
  const model = models.get(modelName) ?? {
    ...describeModel(deployment, found.name, sources),
    kinds: [kind],
    routes: [],
  }
  models.set(modelName, model)
  const taken = model.routes.map(({ supplier }) => supplier)
  const { id } = suppliers.find(found, { deployment, taken, findings })
  model.routes.push({
    supplier: id,
    upstream_model: upstreamModel,
    ...(formats !== null && { formats: [...formats] }),
    ...priceOf(parts, { ...found, id }),
    ...limitsOf(deployment),
  })
  reportRest(deployment, findings)
  findings.taken(at, `${modelName} at ${id} as ${upstreamModel}.`)
}

/** What the catalog says of the model, wherever it is served. */
function describeModel({ modelName, info }: Deployment, maker: string, { catalog }: PriceSources) {
  const known = catalog.models.get(modelName)
  const inputs = countOf(info.max_input_tokens) ?? known?.input_token_limit ?? null
  const outputs = countOf(info.max_output_tokens) ?? known?.output_token_limit ?? null
  return {
    id: modelName,
    owned_by: known?.owned_by ?? maker,
    ...(inputs !== null && { input_token_limit: inputs }),
    ...(outputs !== null && { output_token_limit: outputs }),
    ...(known !== undefined && { capabilities: known.capabilities as Model['capabilities'] }),
  }
}

const RATES = {
  input_cost_per_token: 'input',
  output_cost_per_token: 'output',
  cache_read_input_token_cost: 'cache_read',
  cache_creation_input_token_cost: 'cache_write',
} as const

/** The price that the file gives, else that of the catalog, which it then follows. */
function priceOf(
  { deployment, findings, sources }: Parts,
  supplier: FoundSupplier & { readonly id: string },
) {
  const { at, params, info } = deployment
  const rates = Object.entries(RATES).flatMap(([cost, rate]) => {
    const amount = perMillion(params[cost] ?? info[cost])
    return amount === null ? [] : [[rate, amount] as const]
  })
  if (rates.length > 0) {
    const given = Object.fromEntries(rates)
    return { price: { input: '0', output: '0', ...given }, price_source: 'manual' as const }
  }
  // A deployment at Azure has any name; the file may say which model it is.
  const [, baseModel] = /^(?:azure\/)?(.+)$/.exec(textOf(info.base_model) ?? '') ?? []
  const listed = findCatalogPrice(supplier, baseModel ?? supplier.upstreamModel, sources)
  if (listed !== null) return { price: sentPrice(listed.price), price_source: 'catalog' as const }
  findings.changed(at, 'It has no price, so it is not used until you set one.')
  return {}
}

function sentPrice(price: Price): Sent<typeof Price.draft> {
  return Price.show(price) as Sent<typeof Price.draft>
}

function limitsOf({ params }: Deployment) {
  const rpm = countOf(params.rpm)
  const tpm = countOf(params.tpm)
  const order = countOf(params.order)
  return {
    ...(rpm !== null && { rpm }),
    ...(tpm !== null && { tpm }),
    ...(order !== null && { priority: order }),
  }
}

/** `openai/*` at a vendor: every model that the vendor has. */
function readWildcard({ deployment, suppliers, findings }: Parts): WrittenWildcard[] {
  const { at, modelName } = deployment
  const found = findSupplier(deployment)
  const isPrefix = modelName.indexOf('*') === modelName.length - 1
  if (found === null || !isPrefix) {
    findings.leftOut(at, 'A wildcard is the beginning of a name followed by *, at a known supplier.')
    return []
  }
  const supplier = suppliers.find(found, { deployment, taken: [], findings })
  reportRest(deployment, findings)
  findings.taken(
    at,
    `All names that begin with ${modelName.slice(0, -1) || 'anything'} lead to ${supplier.id}.`,
  )
  const pattern = {
    id: recordIdFrom(`${supplier.id}-${recordIdFrom(modelName) || 'all'}`),
    pattern: modelName,
    supplier: supplier.id,
  }
  return [found.upstreamModel.includes('*') ? { ...pattern, upstream_model: found.upstreamModel } : pattern]
}

/** Fields of a deployment that have an effect here. */
const KNOWN = new Set([
  ...[
    'model',
    'custom_llm_provider',
    'api_base',
    'base_url',
    'api_key',
    'api_version',
    'rpm',
    'tpm',
    'order',
  ],
  ...['aws_region_name', 'aws_access_key_id', 'aws_secret_access_key', 'aws_session_token'],
  ...['vertex_project', 'vertex_location', 'vertex_credentials'],
  ...Object.keys(RATES),
])

const ADVICE: Readonly<Record<string, string>> = {
  weight: 'Routes are chosen by price, speed and health; priority says which come first.',
  timeout: 'Set timeouts of the supplier.',
  stream_timeout: 'Set timeouts of the supplier.',
  max_retries: 'Failover has rules of its own.',
  num_retries: 'Failover has rules of its own.',
}

function reportRest({ at, params }: Deployment, findings: Findings): void {
  for (const name of Object.keys(params).filter((param) => !KNOWN.has(param)))
    findings.leftOut(`${at}.litellm_params.${name}`, ADVICE[name] ?? 'Turnpike has no such setting.')
}

const SECTION_ADVICE: Readonly<Record<string, string>> = {
  'router_settings.routing_strategy': 'Set the route policy of a key.',
  'router_settings.redis_host': 'Set REDIS_URL.',
  'litellm_settings.drop_params': 'Turnpike does this unless a request has x-gateway-strict: true.',
  'litellm_settings.callbacks': 'Use OpenTelemetry, sinks or alert channels.',
  'litellm_settings.success_callback': 'Use OpenTelemetry, sinks or alert channels.',
  'litellm_settings.failure_callback': 'Use OpenTelemetry, sinks or alert channels.',
  'litellm_settings.cache': 'Turnpike does not store answers to repeat them.',
  'litellm_settings.max_budget': 'Set usage limits of keys.',
  'general_settings.master_key': 'Turnpike has an operator token of its own.',
  'general_settings.database_url': 'Set DATABASE_URL to a database of its own.',
}

const READ_ELSEWHERE = [
  'router_settings.model_group_alias',
  'router_settings.fallbacks',
  'litellm_settings.fallbacks',
]

function reportSettings({ router, settings, general, others }: LitellmConfig, findings: Findings): void {
  const sections = { router_settings: router, litellm_settings: settings, general_settings: general }
  for (const [section, fields] of Object.entries(sections)) {
    for (const name of Object.keys(fields)) {
      const at = `${section}.${name}`
      if (!READ_ELSEWHERE.includes(at))
        findings.leftOut(at, SECTION_ADVICE[at] ?? 'Turnpike has no such setting.')
    }
  }
  for (const section of others) findings.leftOut(section, 'Turnpike has no such settings.')
}
