import { GatewayError } from '../../errors/gateway-error.ts'
import { BUILT_IN_CATALOG } from '../../rules/catalog/built-in/built-in-catalog.ts'
import type { ModelCatalog, ModelFacts } from '../../rules/catalog/names.ts'
import type { LiveConfiguration } from '../../serve/ports/configuration.ts'
import type { Clock } from '../../vocabulary/clock.ts'
import type { Price } from '../../vocabulary/price.ts'
import type { Supplier } from '../../vocabulary/supply.ts'
import type { PriceList } from '../ports/prices.ts'
import { findCatalogPrice, vendorOf } from './catalog-price.ts'

interface CatalogParts {
  readonly configuration: Pick<LiveConfiguration, 'current' | 'onReplaced'>
  readonly loadPriceList: () => Promise<PriceList>
  readonly clock: Clock
}

/** What the built-in catalog and the price list know. The list is large, so it is loaded once there are wildcards. */
export async function openModelCatalog(parts: CatalogParts): Promise<ModelCatalog> {
  const { configuration, loadPriceList, clock } = parts
  let list: PriceList | null = null
  const load = async () => {
    list ??= await loadPriceList()
  }
  configuration.onReplaced((_, { wildcards }) => {
    if (wildcards !== null && list === null) void load()
  })
  if (configuration.current().wildcards !== null) await load()
  return {
    factsOf,
    modelsAt: (supplier) =>
      vendorOf(supplier, BUILT_IN_CATALOG)?.routes.map(
        ({ model, upstream_model = model }) => upstream_model,
      ) ?? [],
    priceOf: (supplier: Supplier, upstreamModel: string): Price | null => {
      if (list === null) throw loading()
      const sources = { catalog: BUILT_IN_CATALOG, list, nowMs: clock.nowMs() }
      return findCatalogPrice(supplier, upstreamModel, sources)?.price ?? null
    },
  }
}

function factsOf(id: string): ModelFacts | null {
  const known = BUILT_IN_CATALOG.models.get(id)
  if (known === undefined) return null
  return {
    ownedBy: known.owned_by,
    displayName: known.display_name,
    description: known.description,
    kinds: known.kinds,
    inputTokenLimit: known.input_token_limit,
    outputTokenLimit: known.output_token_limit,
    capabilities: known.capabilities,
  }
}

/** Only for a moment after the first wildcard was created. */
function loading(): GatewayError {
  return new GatewayError('temporarily_unavailable', 'The prices are being loaded; try again in a moment.', {
    headers: { 'retry-after': '1' },
  })
}
