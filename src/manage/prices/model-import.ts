import { BUILT_IN_CATALOG } from '../../rules/catalog/built-in/built-in-catalog.ts'
import { markedUp } from '../../rules/ledger/charge.ts'
import type { Clock } from '../../vocabulary/clock.ts'
import { Price } from '../../vocabulary/price.ts'
import type { Snapshot } from '../../vocabulary/runtime/snapshot.ts'
import { type Supplier, WantedModel } from '../../vocabulary/supply.ts'
import { requireSupplier } from '../operations/refuse.ts'
import type { Diagnostics } from '../ports/diagnostics.ts'
import type { Operations } from '../ports/operations.ts'
import type { ModelImport, ModelsImport, PriceList } from '../ports/prices.ts'
import { findCatalogPrice } from './catalog-price.ts'

interface ImportParts {
  readonly snapshot: () => Snapshot
  readonly operations: Pick<Operations, 'planSupply' | 'applySupply'>
  readonly diagnostics: Pick<Diagnostics, 'compareModels'>
  readonly loadPriceList: () => Promise<PriceList>
  readonly clock: Clock
}

/** Takes over the models that a supplier lists, at the prices of the catalog. */
export function createModelImport(parts: ImportParts): ModelImport {
  const openPrices = async (supplier: Supplier) => {
    const sources = {
      catalog: BUILT_IN_CATALOG,
      list: await parts.loadPriceList(),
      nowMs: parts.clock.nowMs(),
    }
    return (name: string) => findCatalogPrice(supplier, name, sources)?.price ?? null
  }
  return {
    listOffers: async (supplierId) => {
      const supplier = requireSupplier(parts.snapshot(), supplierId)
      const priceOf = await openPrices(supplier)
      const { offered, configured } = await parts.diagnostics.compareModels(supplierId)
      const routed = new Set(configured)
      return offered.map((name) => ({
        name,
        displayName: BUILT_IN_CATALOG.models.get(name)?.display_name ?? null,
        isRouted: routed.has(name),
        price: priceOf(name),
      }))
    },
    importModels: async (supplierId, input, actor) => {
      const supplier = requireSupplier(parts.snapshot(), supplierId)
      const priceOf = await openPrices(supplier)
      const plans = [...new Set(input.models)].map((name) => planModel(name, priceOf(name), input))
      const document = { suppliers: [], models: plans.map((plan) => wantedModel(supplier, plan)) }
      // Models and routes that are there stay as they are.
      const options = { actor, keepExisting: true }
      const { planSupply, applySupply } = parts.operations
      const changes = input.dryRun ? planSupply(document, options) : await applySupply(document, options)
      const added = new Set(changes.filter(({ result }) => result === 'created').map(({ id }) => id))
      return {
        dryRun: input.dryRun,
        models: plans.map(({ name, price, cost }) => {
          return { model: name, isNew: added.has(`${name}/routes/${supplierId}`), price, cost }
        }),
      }
    },
  }
}

interface ModelPlan {
  readonly name: string
  readonly price: Price | null
  /** What the supplier charges; null when that is the price. */
  readonly cost: Price | null
}

function planModel(name: string, listed: Price | null, { markupBasisPoints }: ModelsImport): ModelPlan {
  if (listed === null || markupBasisPoints === 0) return { name, price: listed, cost: null }
  return { name, price: markedUp(listed, markupBasisPoints), cost: listed }
}

/** A price that follows the catalog would lose its mark-up with the next change of the catalog. */
function wantedModel(supplier: Supplier, { name, price, cost }: ModelPlan): WantedModel {
  const route = {
    supplier: supplier.id,
    upstream_model: name,
    price: price && Price.show(price),
    ...(cost === null ? { price_source: 'catalog' } : { cost: Price.show(cost) }),
  }
  return WantedModel.draft.read({ ...catalogFacts(name, supplier.id), id: name, routes: [route] } as never)
}

/** What the catalog says of a model, as the operator API takes it; absent facts have their defaults. */
export function catalogFacts(id: string, owner: string): object {
  const known = BUILT_IN_CATALOG.models.get(id)
  if (known === undefined) return { owned_by: owner }
  const { id: _, ...facts } = known
  return facts
}
