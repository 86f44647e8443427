import { GatewayError } from '../../errors/gateway-error.ts'
import { amount, choice, flag, integer, list, percent, text, time } from '../../vocabulary/field.ts'
import { Price, PricePut } from '../../vocabulary/price.ts'
import { shape, type Value } from '../../vocabulary/shape.ts'
import { Route, type Supplier } from '../../vocabulary/supply.ts'

/** What the catalog says a model costs at a supplier. */
export const ListedPrice = shape('ListedPrice', {
  price: Price.field,
  source: choice(['built-in', 'genai-prices']).note(
    '`built-in`: the vendor files of the gateway. `genai-prices`: the npm package of that name.',
  ),
  listedAs: text().note('The model in that source.').example('openai:gpt-5'),
  leftOut: list(text())
    .note('What the source prices and a route cannot, such as file searches or hours of audio.')
    .example([]),
})
export type ListedPrice = Value<typeof ListedPrice>

/** A list of prices that comes with the gateway and knows more models than the built-in catalog. */
export interface PriceList {
  /** Which edition of the list it is. */
  readonly version: string
  /** The price from this time on; null when the list does not know the supplier or the model. */
  find(query: PriceQuery): ListedPrice | null
}

export interface PriceQuery {
  readonly supplier: Pick<Supplier, 'type' | 'baseUrl'>
  readonly upstreamModel: string
  readonly nowMs: number
}

/** What a change of price does to the bill of a month. */
const PriceEffect = shape('PriceEffect', {
  requests: integer().example(1_200),
  basis: choice(['settlements', 'totals', 'both']).note(
    '`settlements`: each request was priced again. `totals`: their details are gone or too many, so the sums of each day were priced, at the rates for short prompts on the standard tier.',
  ),
  chargedNano: amount().note('What accounts paid.'),
  presentAmountNano: amount().note('What they would pay at the present price.'),
  catalogAmountNano: amount().note("What they would pay at the catalog's price."),
  presentCostNano: amount().note('What the supplier would charge at the present cost.'),
  catalogCostNano: amount().note(
    "The same at the catalog's price, or at the cost of the route where it has one.",
  ),
})
export type PriceEffect = Value<typeof PriceEffect>

const PriceDifference = Route.pick('PriceDifference', ['modelId', 'supplierId', 'upstreamModel']).with(
  'PriceDifference',
  {
    state: choice(['changed', 'unpriced', 'missing', 'new', 'same']).note(
      '`changed`: the catalog has another price. `unpriced`: the route has none. `missing`: the catalog does not know the model. `new`: the built-in catalog offers it at this supplier, and there is no route.',
    ),
    priceSource: Route.fields.priceSource.nullable().note('null when there is no route.'),
    presentPrice: Price.field.nullable(),
    catalog: ListedPrice.field.nullable(),
    bill: PriceEffect.field
      .nullable()
      .note('The month at both prices; null when one is missing or there were no requests.'),
  },
)
export type PriceDifference = Value<typeof PriceDifference>

export const PriceDiff = shape('PriceDiff', {
  listVersion: text().note('The edition of genai-prices.').example('0.1.8'),
  fromMs: time().note('The first moment of the month in `bill`.'),
  toMs: time().note('The first moment after it.'),
  data: list(PriceDifference.field),
})
export type PriceDiff = Value<typeof PriceDiff>

export const PriceDiffFilter = {
  month: text(7)
    .refine((month, param) => {
      if (/^\d{4}-(0[1-9]|1[0-2])$/.test(month)) return month
      throw new GatewayError('invalid_request', `${param} is a month such as 2026-10.`, { param })
    })
    .note('The month of the bill (UTC); the last whole month by default.')
    .example('2026-10'),
}

const RouteName = Route.pick('RouteName', ['modelId', 'supplierId'])

export const PricesApply = shape('PricesApply', {
  routes: list(RouteName.field, { max: 1_000, takes: 'a list of routes with model and supplier' })
    .nullable()
    .default(null)
    .note('Only these, whatever their price source; null for all whose price source is `catalog`.'),
  follow: flag()
    .default(false)
    .note('Also set the price source of the named routes to `catalog`.')
    .example(false),
  dryRun: flag().default(false).note('Only show what would change.'),
})
export type PricesApply = Value<typeof PricesApply>

const PriceChange = RouteName.with('PriceChange', {
  before: Price.field.nullable(),
  after: Price.field,
  source: ListedPrice.fields.source,
  listedAs: ListedPrice.fields.listedAs,
})

export const PricesApplied = shape('PricesApplied', { dryRun: flag(), changes: list(PriceChange.field) })
export type PricesApplied = Value<typeof PricesApplied>

export const PriceSchedule = RouteName.with('PriceSchedule', {
  fromMs: time().note('The price applies to requests that start at this time or later.'),
  price: PricePut.field
    .takes('a price with input and output')
    .nullable()
    .default(null)
    .note("The whole new price; null for the catalog's."),
})
export type PriceSchedule = Value<typeof PriceSchedule>

/** Compares prices with the catalog, and takes them from it. */
export interface PriceOperations {
  /** `month` is such as `2026-10`; the last whole month when absent. */
  comparePrices(month?: string): Promise<PriceDiff>
  /** All or none. */
  applyPrices(input: PricesApply, actor: string): Promise<PricesApplied>
  /** Refused when another price is to apply later than that, or when that time is past. */
  schedulePrice(input: PriceSchedule, actor: string): Promise<Route>
}

/** A model that a supplier lists. */
export const ModelOffer = shape('ModelOffer', {
  name: text().note('The name at the supplier, and of the model once it is imported.').example('gpt-5'),
  displayName: text().nullable().note('null when the catalog does not know the model.').example('GPT-5'),
  isRouted: flag().as('routed').note('Whether a route asks for it already.').example(false),
  price: Price.field.nullable().note('Of the catalog; null when it does not know the model.'),
})
export type ModelOffer = Value<typeof ModelOffer>

export const ModelsImport = shape('ModelsImport', {
  models: list(text(), { max: 2_000, takes: 'a list of names' })
    .note('Names at the supplier. Models and routes that are there stay as they are.')
    .example(['gpt-5']),
  markupBasisPoints: percent()
    .as('markup_percent')
    .default(0)
    .note(
      "Added to the catalog's prices, which become the cost of the routes; with 0 prices follow the catalog.",
    )
    .example(20),
  dryRun: flag().default(false).note('Only show what would be added.'),
})
export type ModelsImport = Value<typeof ModelsImport>

const ImportedModel = shape('ImportedModel', {
  model: text().example('gpt-5'),
  isNew: flag().note('Whether there was no route of it to this supplier.').example(true),
  price: Price.field.nullable().note('null when the catalog has none; such a route is not used.'),
  cost: Price.field.nullable().note('What the supplier charges; null when that is the price.'),
})

export const ModelsImported = shape('ModelsImported', { dryRun: flag(), models: list(ImportedModel.field) })
export type ModelsImported = Value<typeof ModelsImported>

/** Takes over the models that a supplier lists. */
export interface ModelImport {
  /** Asks the supplier for its list. Throws like `compareModels`. */
  listOffers(supplierId: string): Promise<readonly ModelOffer[]>
  /** All or none. */
  importModels(supplierId: string, input: ModelsImport, actor: string): Promise<ModelsImported>
}
