import { type Static, Type } from 'typebox'
import { Price } from '../../../vocabulary/price.ts'
import type { Sent } from '../../../vocabulary/shape.ts'
import { SUPPLIER_TYPES } from '../../../vocabulary/supply.ts'
import { FORMATS, MODEL_KINDS } from '../../../vocabulary/words.ts'

const closed = { additionalProperties: false } as const

const Formats = Type.Array(Type.Enum([...FORMATS]), { minItems: 1, uniqueItems: true })
const VariableName = Type.String({ pattern: '^[A-Z][A-Z0-9_]+$' })
const Limit = Type.Union([Type.Integer({ minimum: 1 }), Type.Null()])
/** As in a request that puts a route. */
const CatalogPrice = Type.Unsafe<Sent<typeof Price.draft>>(Price.draft.schema)

/** The facts about a model that hold for every vendor. */
const CatalogModel = Type.Object(
  {
    id: Type.String({ pattern: '^[a-z0-9][a-z0-9.-]{0,99}$' }),
    owned_by: Type.String({ minLength: 1 }),
    display_name: Type.String({ minLength: 1 }),
    description: Type.String({ minLength: 1, maxLength: 200 }),
    kinds: Type.Array(Type.Enum([...MODEL_KINDS]), { minItems: 1, uniqueItems: true }),
    input_token_limit: Limit,
    output_token_limit: Limit,
    /** Traits by name; names and values are checked where the file is read. */
    capabilities: Type.Record(Type.String(), Type.Unknown()),
  },
  closed,
)

/** How this vendor offers a model, which may be described in another vendor's file. */
const CatalogRoute = Type.Object(
  {
    model: Type.String({ minLength: 1 }),
    /** The vendor's own name for it, when that is another one. */
    upstream_model: Type.Optional(Type.String({ minLength: 1 })),
    /** Fewer formats than the vendor speaks; all of them when absent. */
    formats: Type.Optional(Formats),
    price: CatalogPrice,
  },
  closed,
)

/** One file of the built-in catalog. */
export const VendorFile = Type.Object(
  {
    /** Becomes the id of the supplier. */
    vendor: Type.String({ pattern: '^[a-z0-9][a-z0-9-]{0,63}$' }),
    type: Type.Enum([...SUPPLIER_TYPES]),
    base_url: Type.String({ pattern: '^https?://[^?#]+$' }),
    formats: Formats,
    /** Environment variables that hold the key, the most common first. None where other programs use it for more. */
    key_variables: Type.Array(VariableName, { uniqueItems: true }),
    /** The environment variable for the base URL in the vendor's SDK, or null. */
    base_url_variable: Type.Union([VariableName, Type.Null()]),
    /** The priority of its routes: the maker of a model comes before resellers. */
    priority: Type.Integer({ minimum: 0, maximum: 100 }),
    collected_on: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$' }),
    /** Where the prices and other facts were found. */
    facts_from: Type.Array(Type.String({ minLength: 1 })),
    /** Pages of the vendor with current facts. */
    check_at: Type.Array(Type.String({ pattern: '^https://' })),
    models: Type.Array(CatalogModel),
    routes: Type.Array(CatalogRoute),
  },
  closed,
)

export type Vendor = Static<typeof VendorFile>
export type CatalogModel = Static<typeof CatalogModel>
export type CatalogRoute = Static<typeof CatalogRoute>

/** What a vendor charges for a model, with the defaults for rates that its file does not name. */
export function catalogPrice({ price }: CatalogRoute): Price {
  return Price.draft.read(price)
}
