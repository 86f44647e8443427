import { parseUsdt } from '../../vocabulary/money.ts'
import { type Price, type SupplierTimeouts, USUAL_TIMEOUTS } from '../../vocabulary/supply.ts'
import type { SupplyDocument, WantedModel, WantedSupplier } from '../../vocabulary/supply-document.ts'
import type {
  WrittenCredential,
  WrittenModel,
  WrittenRoute,
  WrittenSupplier,
  WrittenSupply,
} from './schema.ts'

const USUAL_PRIORITY = 1

/** A checked file as a document; what is left out has the default it has in the operator API. */
export function decodeSupply({ suppliers = [], models = [] }: WrittenSupply): SupplyDocument {
  return { suppliers: suppliers.map(decodeSupplier), models: models.map(decodeModel) }
}

function decodeSupplier(written: WrittenSupplier): WantedSupplier {
  return {
    id: written.id,
    type: written.type,
    baseUrl: written.base_url,
    formats: written.formats,
    source: written.source ?? 'shared',
    accountId: written.account_id ?? null,
    enabled: written.enabled ?? true,
    options: written.options ?? {},
    timeouts: decodeTimeouts(written.timeouts),
    credentials: (written.credentials ?? []).map(decodeCredential),
  }
}

function decodeTimeouts(written: WrittenSupplier['timeouts']): SupplierTimeouts {
  if (written === undefined) return USUAL_TIMEOUTS
  return {
    connectMs: inMs(written.connect_seconds),
    firstByteMs: inMs(written.first_byte_seconds),
    idleMs: inMs(written.idle_seconds),
  }
}

function inMs(seconds: number | null | undefined): number | null {
  return seconds === null || seconds === undefined ? null : Math.max(1, Math.round(seconds * 1_000))
}

function decodeCredential(written: WrittenCredential): WantedSupplier['credentials'][number] {
  const { label, secret, rpm = null, tpm = null, weight = 1, state = 'active' } = written
  return { label, secret, rpm, tpm, weight, state }
}

function decodeModel(written: WrittenModel): WantedModel {
  return {
    id: written.id,
    ownedBy: written.owned_by,
    displayName: written.display_name ?? written.id,
    description: written.description ?? '',
    kinds: written.kinds ?? ['text'],
    inputTokenLimit: written.input_token_limit ?? null,
    outputTokenLimit: written.output_token_limit ?? null,
    rpm: written.rpm ?? null,
    tpm: written.tpm ?? null,
    capabilities: written.capabilities ?? {},
    routes: (written.routes ?? []).map(decodeRoute),
  }
}

function decodeRoute(written: WrittenRoute): WantedModel['routes'][number] {
  return {
    supplierId: written.supplier,
    upstreamModel: written.upstream_model,
    formats: written.formats ?? null,
    price: written.price ? decodePrice(written.price) : null,
    rpm: written.rpm ?? null,
    tpm: written.tpm ?? null,
    priority: written.priority ?? USUAL_PRIORITY,
    enabled: written.enabled ?? true,
  }
}

// Cached prompt tokens without a price of their own are prompt tokens; leaving them out must not make them free.
function decodePrice(written: NonNullable<WrittenRoute['price']>): Price {
  const { input, output, cache_read = input, cache_write = input, image = '0' } = written
  return {
    inputNanoPerMillion: parseUsdt(input, 'price.input'),
    outputNanoPerMillion: parseUsdt(output, 'price.output'),
    cacheReadNanoPerMillion: parseUsdt(cache_read, 'price.cache_read'),
    cacheWriteNanoPerMillion: parseUsdt(cache_write, 'price.cache_write'),
    imageNano: parseUsdt(image, 'price.image'),
  }
}
