import { Type } from 'typebox'
import { lastFourOf } from './api-key.ts'
import {
  amount,
  choice,
  choices,
  flag,
  id,
  integer,
  json,
  limit,
  list,
  positiveNumber,
  seconds,
  text,
  time,
} from './field.ts'
import { Field } from './field-codec.ts'
import type { NanoUsdt } from './money.ts'
import { shape, type Value } from './shape.ts'
import { FORMATS, MODEL_KINDS } from './words.ts'

/** The wire formats clients and suppliers speak. */
export type Format = (typeof FORMATS)[number]

export const SUPPLIER_TYPES = [
  'openai',
  'anthropic',
  'google',
  'openai-compatible',
  'azure-openai',
  'bedrock',
  'vertex',
  'sandbox',
] as const
export type SupplierTypeName = (typeof SUPPLIER_TYPES)[number]

const rpm = limit().note('Requests per minute; null for no limit of its own.')
const tpm = limit().note('Tokens per minute; null for no limit of its own.')
const supplierId = text().as('supplier').example('openai')
const modelId = text().as('model').example('gpt-5')

/** How long to wait for a supplier; null: as long as the gateway's settings say. */
export const SupplierTimeouts = shape('SupplierTimeouts', {
  connectMs: seconds().nullable().default(null).note('Until a connection stands.'),
  firstByteMs: seconds().nullable().default(null).note('Until the first usable byte.'),
  idleMs: seconds().nullable().default(null).note('Silence in the middle of an answer.'),
})
export type SupplierTimeouts = Value<typeof SupplierTimeouts>

export const USUAL_TIMEOUTS: SupplierTimeouts = { connectMs: null, firstByteMs: null, idleMs: null }

const optionText = text(2_000, { takes: 'a text, in quotes where it looks like something else' })

export const Supplier = shape('Supplier', {
  id: text().example('openai').note('The `provider` a route policy names.'),
  type: choice(SUPPLIER_TYPES),
  baseUrl: text(2_000, { takes: 'an http or https address' })
    .note('As the SDK of that vendor takes it: with `/v1` for OpenAI-style suppliers, without for others.')
    .example('https://api.openai.com/v1'),
  formats: choices(FORMATS).note(
    'The wire formats the supplier speaks; when left out, all that its type can be addressed in.',
  ),
  source: choice(['shared', 'byok'])
    .default('shared')
    .note('`shared`: credentials of the platform. `byok`: those of the account in `account_id`.'),
  accountId: text()
    .nullable()
    .default(null)
    .note('Required with `byok`; for other accounts the supplier does not exist.')
    .example(null),
  enabled: flag().default(true),
  options: json<Readonly<Record<string, string>>>(
    Type.Record(Type.String(), Type.String()),
    { organization: 'org-1' },
    Type.Record(Type.String(), optionText.codec.input, { takes: 'names and texts' }),
  )
    .default({})
    .note('What only suppliers of this type need; names the type does not know are refused.'),
  timeouts: SupplierTimeouts.field
    .default(USUAL_TIMEOUTS)
    .note('How long to wait in seconds; null or left out for the usual time.'),
})
export type Supplier = Value<typeof Supplier>

/** A supplier as somebody wants it: without formats it has those of its type. */
const SupplierSettings = Supplier.with('SupplierSettings', { formats: Supplier.fields.formats.omittable() })
export type SupplierSettings = Value<typeof SupplierSettings>
export const SupplierPut = SupplierSettings.without('SupplierPut', ['id']).draft

const CREDENTIAL_STATES = ['active', 'disabled'] as const
export type CredentialState = (typeof CREDENTIAL_STATES)[number]

/** One upstream secret, in clear only in memory. */
export const Credential = shape('StoredCredential', {
  id: id('cred'),
  supplierId,
  // biome-ignore lint/suspicious/noTemplateCurlyInString: this is how a supply file writes a reference.
  secret: text(10_000, { takes: 'the key at the supplier, best as ${NAME} of an environment variable' })
    .note('The key at the supplier. Stored encrypted, never shown again.')
    .example('sk-upstream-1'),
  label: text(200, { min: 0 }).nullable().default(null).example('main'),
  rpm,
  tpm,
  weight: positiveNumber(1_000_000)
    .default(1)
    .note('How often it is chosen, compared with the other credentials of the supplier.'),
  state: choice(CREDENTIAL_STATES).default('active'),
})
export type Credential = Value<typeof Credential>

const CredentialSettings = Credential.without('CredentialSettings', ['id', 'supplierId'])
export type CredentialSettings = Value<typeof CredentialSettings>
export const CredentialCreate = CredentialSettings.without('CredentialCreate', ['state']).draft
export const CredentialChange = CredentialSettings.with('CredentialChange', {
  secret: Credential.fields.secret.note('Takes the place of the old one on the next request.'),
}).patch
export type CredentialChange = ReturnType<(typeof CredentialChange)['read']>

/** A credential as it is shown: of its secret only the last four characters. */
export const CredentialView = Credential.without('Credential', ['secret']).with('Credential', {
  lastFour: text(4).nullable().example('x7Qp'),
})
export type CredentialView = Value<typeof CredentialView>

export function viewCredential({ secret, ...rest }: Credential): CredentialView {
  return { ...rest, lastFour: lastFourOf(secret) }
}

/** An account's own supplier, with its credentials. */
export const OwnSupplier = Supplier.with('OwnSupplier', { credentials: list(CredentialView.field) })
export type OwnSupplier = Value<typeof OwnSupplier>
/** Whose it is follows from the path; saying so as well does no harm. */
export const OwnSupplierPut = SupplierSettings.without('OwnSupplierPut', ['id']).draft

export type ModelKind = (typeof MODEL_KINDS)[number]

export const Model = shape('CatalogModel', {
  id: text().example('gpt-5'),
  ownedBy: text().example('openai'),
  displayName: text().example('GPT-5').note('The id when left out.'),
  description: text(2_000, { min: 0 }).default('').example('A model for everything.'),
  kinds: choices(MODEL_KINDS).default(['text']).example(['text']),
  inputTokenLimit: limit().example(400_000),
  outputTokenLimit: limit().example(128_000),
  rpm,
  tpm,
  capabilities: json<Readonly<Record<string, unknown>>>(
    Type.Object({}),
    { vision: false },
    Type.Record(Type.String(), Type.Unknown(), { takes: 'names and values' }),
  )
    .default({})
    .note('What is known of the model beyond the defaults, such as `{"vision": false}`.'),
  createdAtMs: time(),
})
export type Model = Value<typeof Model>

/** A model as somebody wants it: without a name it has its id for one. */
const ModelSettings = Model.without('ModelSettings', ['createdAtMs']).with('ModelSettings', {
  displayName: Model.fields.displayName.omittable(),
})
export type ModelSettings = Value<typeof ModelSettings>
export const ModelPut = ModelSettings.without('ModelPut', ['id']).draft

/** What something costs: an amount that is never negative. */
function price() {
  const takes = 'a decimal amount in USDT such as 1.25, not negative and with at most 9 decimals'
  const { codec, naming } = amount()
  const input = Type.String({ pattern: '^\\d{1,9}(\\.\\d{1,9})?$', takes })
  return new Field({ ...codec, input }, naming, { has: false, from: null })
}

// Cached prompt tokens without a price of their own are prompt tokens; leaving them out must not make them free.
const cachePrice = price().default(
  (others: { inputNanoPerMillion?: NanoUsdt }) => others.inputNanoPerMillion ?? 0n,
)

/** Nano-USDT per million tokens, `imageNano` per image. */
export const Price = shape('Price', {
  inputNanoPerMillion: price().example('1.25'),
  outputNanoPerMillion: price().example('10'),
  cacheReadNanoPerMillion: cachePrice.example('0.125'),
  cacheWriteNanoPerMillion: cachePrice.example('1.25'),
  imageNano: price().default(0n).example('0'),
})
export type Price = Value<typeof Price>

/** A price for JSON, which has no integers beyond 2^53: every amount is a decimal text. */
export type WrittenPrice = { readonly [Field in keyof Price]: string }

const PRICE_FIELDS = Object.keys(Price.fields) as readonly (keyof Price)[]

export function writePrice(price: Price): WrittenPrice {
  return Object.fromEntries(PRICE_FIELDS.map((name) => [name, String(price[name])])) as WrittenPrice
}

export const readPrice: (written: WrittenPrice) => Price = Price.field.codec.revive

/** One way to reach a model: through this supplier, under that name, at that price. */
export const Route = shape('Route', {
  modelId,
  supplierId,
  upstreamModel: text().note('The name of the model at the supplier.').example('gpt-5'),
  formats: choices(FORMATS)
    .nullable()
    .default(null)
    .note('Fewer formats than the supplier speaks; null for all of them.')
    .example(['responses']),
  price: Price.field.nullable(),
  rpm,
  tpm,
  priority: integer({ max: 1_000_000 }).default(1).note('Lower is tried first.').example(1),
  enabled: flag().default(true),
})
export type Route = Value<typeof Route>

export interface RouteIds {
  readonly modelId: string
  readonly supplierId: string
}

const PricePut = Price.with('PricePut', {
  inputNanoPerMillion: Price.fields.inputNanoPerMillion.omittable(),
  outputNanoPerMillion: Price.fields.outputNanoPerMillion.omittable(),
})
export type PriceSettings = Value<typeof PricePut>

/** A route to create. Image-only models need no token prices. */
const WantedRoute = Route.without('WantedRoute', ['modelId']).with('WantedRoute', {
  price: PricePut.field
    .takes('a price with input and output')
    .nullable()
    .default(null)
    .note(
      'USDT as decimal strings with at most 9 decimals, per million tokens; `image` per image. `input` and `output` may be left out where the model only makes images. A route without a price is not used.',
    ),
})
export type WantedRoute = Value<typeof WantedRoute>
const RouteSettings = WantedRoute.without('RoutePut', ['supplierId'])
export type RouteSettings = Value<typeof RouteSettings>
export const RoutePut = RouteSettings.draft

const CIRCUITS = ['closed', 'open', 'half-open'] as const
/**
 * Whether a candidate may be used.
 * - `closed`: it works.
 * - `open`: it failed again and again and is left alone for a while.
 * - `half-open`: its pause is over and one request may find out whether it works again.
 */
export type Circuit = (typeof CIRCUITS)[number]

const left = integer().nullable()

/** How one route with one credential has been doing lately. */
const Standing = shape('Standing', {
  circuit: choice(CIRCUITS),
  opensAgainAtMs: time().nullable().note('When an open circuit lets a request through again.').example(null),
  coolingUntilMs: time().nullable().note('Until when the supplier asked to be left alone.').example(null),
  latencyMs: integer().nullable().note('Recent time to the first byte.').example(420),
  successRate: json<number>(Type.Number({ minimum: 0, maximum: 1 }), 1).note(
    'Recent share of answers among attempts.',
  ),
  supplierRemaining: shape('SupplierRemaining', { requests: left, tokens: left })
    .field.nullable()
    .note('What the supplier said is left for this credential; null when it did not say.'),
})
export type Standing = Value<typeof Standing>

const CredentialStanding = CredentialView.with('CredentialStanding', {
  ...Standing.fields,
  remainingRequests: left.note('Left in its own window; null without such a limit.'),
  remainingTokens: left.note('Left in its own window; null without such a limit.'),
})

/** A route's state now, for each credential that can serve it. */
export const RouteState = Route.with('RouteState', { credentials: list(CredentialStanding.field) })
export type RouteState = Value<typeof RouteState>

// A file with more is a mistake of whatever wrote it.
const MAX_ITEMS = 10_000

/** Its label tells it from the other credentials of its supplier. */
const WantedCredential = CredentialSettings.with('WantedCredential', { label: text() })
export type WantedCredential = Value<typeof WantedCredential>

export const WantedSupplier = SupplierSettings.with('WantedSupplier', {
  credentials: list(WantedCredential.field.takes('a credential with label and secret'), {
    max: MAX_ITEMS,
    takes: 'a list of credentials',
  }).default([]),
})
export type WantedSupplier = Value<typeof WantedSupplier>

export const WantedModel = ModelSettings.with('WantedModel', {
  routes: list(WantedRoute.field.takes('a route with supplier and upstream_model'), {
    max: MAX_ITEMS,
    takes: 'a list of routes',
  }).default([]),
})
export type WantedModel = Value<typeof WantedModel>

/** What somebody wants the supply to be. Applying it a second time changes nothing. */
export interface SupplyDocument {
  readonly suppliers: readonly WantedSupplier[]
  readonly models: readonly WantedModel[]
}

/** The same as people write it, with the names and units of the operator API. */
export const SupplyFile = shape('SupplyFile', {
  suppliers: list(
    WantedSupplier.with('SupplyFileSupplier', { prune: flag().default(false) }).field.takes(
      'a supplier with id, type and base_url',
    ),
    { max: MAX_ITEMS, takes: 'a list of suppliers' },
  ).default([]),
  models: list(WantedModel.field.takes('a model with id and owned_by'), {
    max: MAX_ITEMS,
    takes: 'a list of models',
  }).default([]),
})

/** What applying a document did, or would do, to one thing. */
const SupplyChange = shape('SupplyChange', {
  kind: choice(['supplier', 'credential', 'model', 'route']),
  id: text().note('As the audit has it; a credential is named by its supplier and label.').example('openai'),
  result: choice(['created', 'changed', 'removed', 'unchanged']),
  fields: list(text()).note('The fields that changed; empty for all other results.').example([]),
})
export type SupplyChange = Value<typeof SupplyChange>

export const SupplyApply = shape('SupplyApply', {
  document: text(1_048_576, { min: 0 })
    .note('The text of a supply file, which is YAML.')
    .example('suppliers: []'),
  name: text(300, { pattern: '^[^\\u0000-\\u001f]+$' })
    .default('document')
    .note('What messages call the file.')
    .example('supply.yaml'),
  variables: json<Readonly<Record<string, string>>>(
    Type.Record(Type.String(), Type.String({ maxLength: 10_000 })),
    { OPENAI_API_KEY: 'sk-…' },
  )
    .default({})
    .note('What the names the file refers to stand for.'),
  dryRun: flag().default(false).note('Only tells what would change.'),
}).draft

export const SupplyChanges = shape('SupplyChanges', { dryRun: flag(), changes: list(SupplyChange.field) })
