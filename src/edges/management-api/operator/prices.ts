import {
  type ModelImport,
  ModelOffer,
  ModelsImport,
  ModelsImported,
  PriceDiff,
  PriceDiffFilter,
  type PriceOperations,
  PriceSchedule,
  PricesApplied,
  PricesApply,
} from '../../../manage/ports/prices.ts'
import { Route } from '../../../vocabulary/supply.ts'
import { definer, one, wholeListOf } from '../endpoint.ts'

const define = definer<PriceOperations>()
const common = { tag: 'Models and routes', access: 'operator' } as const

/** The catalog of prices comes with the gateway; these endpoints fetch nothing. */
export const priceEndpoints = [
  define({
    ...common,
    method: 'GET',
    path: '/prices/diff',
    id: 'comparePrices',
    summary: "Compare prices with the catalog's",
    description:
      'For each route its price, the price in the catalog and what the difference would have done to the bill of a month. Suppliers of accounts and simulated ones are left out.',
    query: PriceDiffFilter,
    answer: one(PriceDiff, 'The comparison.'),
    handle: (operations, { query }) => operations.comparePrices(query.month),
  }),
  define({
    ...common,
    method: 'POST',
    path: '/prices/apply',
    id: 'applyPrices',
    summary: 'Take prices from the catalog',
    description: 'Changes all of the routes or none. The cost of a route stays as it is.',
    body: PricesApply.draft,
    answer: one(PricesApplied, 'The routes whose price changed, or would change.'),
    handle: (operations, { body, actor }) => operations.applyPrices(body, actor),
  }),
  define({
    ...common,
    method: 'POST',
    path: '/prices/schedule',
    id: 'schedulePrice',
    summary: 'Schedule another price of a route',
    description:
      'Adds variants to the price that apply from that time on. Refused when another price is scheduled for later.',
    body: PriceSchedule.draft,
    answer: one(Route),
    handle: (operations, { body, actor }) => operations.schedulePrice(body, actor),
  }),
]

const defineImport = definer<ModelImport>()
const ofSupplier = { tag: 'Suppliers', access: 'operator' } as const

/** Models of a supplier at the prices of the catalog. */
export const modelImportEndpoints = [
  defineImport({
    ...ofSupplier,
    method: 'GET',
    path: '/suppliers/:id/offers',
    id: 'listModelOffers',
    summary: 'List what a supplier offers, with prices',
    description: 'Fetches the list of models from the supplier, and the prices from the catalog.',
    // The supplier is called and may fail.
    errors: [400, 401, 404, 429, 500, 502, 503, 504],
    answer: wholeListOf(ModelOffer),
    handle: (models, { params }) => models.listOffers(params.id),
  }),
  defineImport({
    ...ofSupplier,
    method: 'POST',
    path: '/suppliers/:id/import',
    id: 'importModels',
    summary: 'Add models of a supplier',
    description:
      'Adds the models that are missing and their routes, at the prices of the catalog. All or none.',
    body: ModelsImport.draft,
    answer: one(ModelsImported, 'The models, with the prices of their routes.'),
    handle: (models, { params, body, actor }) => models.importModels(params.id, body, actor),
  }),
]
