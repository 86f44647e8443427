import {
  PriceDiff,
  PriceDiffFilter,
  type PriceOperations,
  PriceSchedule,
  PricesApplied,
  PricesApply,
} from '../../../manage/ports/prices.ts'
import { Route } from '../../../vocabulary/supply.ts'
import { definer, one } from '../endpoint.ts'

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
