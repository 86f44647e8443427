import { formatUsdt } from '../../vocabulary/money.ts'
import type { Credential, Model, Price, Route, Supplier, SupplierTimeouts } from '../../vocabulary/supply.ts'
import { formatTime } from '../../vocabulary/time.ts'

// Of a shorter secret, four characters would be too large a part to show.
const SHORTEST_SHOWN_SECRET = 13

export function describeSupplier(supplier: Supplier) {
  return {
    id: supplier.id,
    type: supplier.type,
    base_url: supplier.baseUrl,
    formats: supplier.formats,
    source: supplier.source,
    account_id: supplier.accountId,
    enabled: supplier.enabled,
    options: supplier.options,
    timeouts: describeTimeouts(supplier.timeouts),
  }
}

function describeTimeouts({ connectMs, firstByteMs, idleMs }: SupplierTimeouts) {
  return {
    connect_seconds: describeSeconds(connectMs),
    first_byte_seconds: describeSeconds(firstByteMs),
    idle_seconds: describeSeconds(idleMs),
  }
}

function describeSeconds(ms: number | null): number | null {
  return ms === null ? null : ms / 1_000
}

export function describeCredential(credential: Credential) {
  return {
    id: credential.id,
    supplier: credential.supplierId,
    label: credential.label,
    last_four: lastFourOf(credential.secret),
    rpm: credential.rpm,
    tpm: credential.tpm,
    weight: credential.weight,
    state: credential.state,
  }
}

/** What may be shown of a secret so that people can tell two apart; null when it is too short to show any. */
export function lastFourOf(secret: string): string | null {
  return secret.length >= SHORTEST_SHOWN_SECRET ? secret.slice(-4) : null
}

export function describeModel(model: Model) {
  return {
    id: model.id,
    owned_by: model.ownedBy,
    display_name: model.displayName,
    description: model.description,
    kinds: model.kinds,
    input_token_limit: model.inputTokenLimit,
    output_token_limit: model.outputTokenLimit,
    rpm: model.rpm,
    tpm: model.tpm,
    capabilities: model.capabilities,
    created_at: formatTime(model.createdAtMs),
  }
}

export function describeRoute(route: Route) {
  return {
    model: route.modelId,
    supplier: route.supplierId,
    upstream_model: route.upstreamModel,
    formats: route.formats,
    price: route.price && describePrice(route.price),
    rpm: route.rpm,
    tpm: route.tpm,
    priority: route.priority,
    enabled: route.enabled,
  }
}

export function describePrice(price: Price) {
  return {
    input: formatUsdt(price.inputNanoPerMillion),
    output: formatUsdt(price.outputNanoPerMillion),
    cache_read: formatUsdt(price.cacheReadNanoPerMillion),
    cache_write: formatUsdt(price.cacheWriteNanoPerMillion),
    image: formatUsdt(price.imageNano),
  }
}
