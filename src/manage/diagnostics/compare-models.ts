import { GatewayError } from '../../errors/gateway-error.ts'
import type { BuiltInCatalog } from '../../rules/catalog/built-in/built-in-catalog.ts'
import { unpricedRoutes } from '../../rules/catalog/unpriced.ts'
import type { CallSupplier } from '../../serve/ports/supplier-call.ts'
import { modelListOf, targetOf } from '../../suppliers/index.ts'
import type { CallQuery, CallTarget, CallTools, ModelList, ModelPage } from '../../suppliers/supplier-type.ts'
import type { Clock } from '../../vocabulary/clock.ts'
import type { Snapshot, Supply } from '../../vocabulary/runtime/snapshot.ts'
import type { Credential, Supplier } from '../../vocabulary/supply.ts'
import { tryParseJson } from '../../wire/json-values.ts'
import { MAX_MESSAGE_BYTES, readText } from '../../wire/read-text.ts'
import { requireSupplier } from '../operations/refuse.ts'
import type { ModelComparison } from '../ports/diagnostics.ts'

/** What calling suppliers takes, outside any request of a client. */
export interface DiagnosisParts {
  snapshot(): Snapshot
  readonly callSupplier: CallSupplier
  readonly callTools: CallTools
  readonly catalog: BuiltInCatalog
  readonly clock: Clock
  /** How long one call may take. */
  readonly patienceMs: number
}

// No vendor has as many models as this many pages hold; a list that goes on is going in circles.
const MOST_PAGES = 50

/** Compares the routes to a supplier, and the built-in catalog, with what the supplier itself says it has. */
export async function compareModels(supplierId: string, parts: DiagnosisParts): Promise<ModelComparison> {
  const snapshot = parts.snapshot()
  const supplier = requireSupplier(snapshot, supplierId)
  const list = modelListOf(supplier)
  if (list === null) {
    throw cannotAsk(`Suppliers of type "${supplier.type}" have no list of models that can be read.`)
  }
  const credential = activeCredential(snapshot.supply, supplierId)
  const offered = await fetchNames({ supplier, credential, list }, parts)
  const configured = configuredNames(snapshot.supply, supplierId, list)
  return {
    supplierId,
    offered,
    configured,
    catalog: catalogNames(parts, supplierId),
    missing: without(configured, offered),
    unpriced: unpricedNames(snapshot.supply, supplierId, list),
    unknown: without(offered, configured),
  }
}

function activeCredential({ credentialsBySupplier }: Supply, supplierId: string): Credential {
  const credentials = credentialsBySupplier.get(supplierId) ?? []
  const found = credentials.find(({ state }) => state === 'active')
  if (found === undefined) throw cannotAsk(`Supplier "${supplierId}" has no active credential to ask with.`)
  return found
}

function cannotAsk(message: string): GatewayError {
  return new GatewayError('invalid_request', message)
}

function configuredNames({ routesByModel }: Supply, supplierId: string, list: ModelList): string[] {
  const routes = [...routesByModel.values()].flat().filter((route) => route.supplierId === supplierId)
  return inOrder(routes.map(({ upstreamModel }) => list.plainName(upstreamModel)))
}

function unpricedNames(supply: Supply, supplierId: string, list: ModelList): string[] {
  const routes = unpricedRoutes(supply).filter((route) => route.supplierId === supplierId)
  return inOrder(routes.map(({ upstreamModel }) => list.plainName(upstreamModel)))
}

function catalogNames({ catalog }: DiagnosisParts, supplierId: string): string[] {
  const routes = catalog.vendors.find(({ vendor }) => vendor === supplierId)?.routes ?? []
  return inOrder(routes.map(({ model, upstream_model }) => upstream_model ?? model))
}

interface Inquiry {
  readonly supplier: Supplier
  readonly credential: Credential
  readonly list: ModelList
}

async function fetchNames(inquiry: Inquiry, parts: DiagnosisParts): Promise<string[]> {
  const names: string[] = []
  let cursor: string | null = null
  for (let pages = 0; pages < MOST_PAGES; pages++) {
    const page: ModelPage = await fetchPage(inquiry, cursor, parts)
    names.push(...page.names)
    cursor = page.cursor
    if (cursor === null) return inOrder(names)
  }
  throw noList(`its list has more than ${MOST_PAGES} pages`)
}

async function fetchPage(inquiry: Inquiry, cursor: string | null, parts: DiagnosisParts): Promise<ModelPage> {
  const { supplier, list } = inquiry
  const headers = await credentialHeaders(inquiry, parts)
  const request = new Request(list.address(supplier.baseUrl, cursor), {
    headers,
    // A credential goes only where it was sent.
    redirect: 'manual',
    signal: AbortSignal.timeout(parts.patienceMs),
  })
  const { status, text } = await fetchText(request, parts)
  if (status !== 200) throw noList(`it answered ${status}`)
  const page = list.read(tryParseJson(text))
  if (page === null) throw noList('what it answered is no list of models')
  return page
}

async function fetchText(request: Request, { callTools }: DiagnosisParts) {
  try {
    const response = await callTools.call(request)
    return { status: response.status, text: (await readText(response, MAX_MESSAGE_BYTES)) ?? '' }
  } catch (cause) {
    throw noList(request.signal.aborted ? 'it did not answer in time' : 'it cannot be reached', cause)
  }
}

/** The list is asked for with the credential as the supplier's own calls carry it. */
async function credentialHeaders(
  { supplier, credential, list }: Inquiry,
  { callTools }: DiagnosisParts,
): Promise<Headers> {
  const asked = { supplier, credential, format: list.format, upstreamModel: '', body: '' }
  const headers = new Headers((await ownCallTarget(asked, callTools)).headers)
  headers.delete('content-type')
  return headers
}

interface Asked extends Pick<CallQuery, 'format' | 'upstreamModel' | 'body'> {
  readonly supplier: Supplier
  readonly credential: Credential
}

/** Where a question of the gateway's own goes, with the credential it carries. */
export async function ownCallTarget(
  { supplier, credential, ...query }: Asked,
  callTools: CallTools,
): Promise<CallTarget> {
  const { baseUrl, options } = supplier
  const where = { baseUrl, options, secret: credential.secret, stream: false, clientHeaders: null }
  return targetOf(supplier.type, { ...query, ...where }, callTools)
}

function noList(reason: string, cause?: unknown): GatewayError {
  return new GatewayError('provider_error', `The supplier did not give its list of models: ${reason}.`, {
    ...(cause !== undefined && { cause }),
  })
}

function without(names: readonly string[], others: readonly string[]): string[] {
  const known = new Set(others)
  return names.filter((name) => !known.has(name))
}

function inOrder(names: readonly string[]): string[] {
  return [...new Set(names)].sort()
}
