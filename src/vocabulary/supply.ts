import { Type } from 'typebox'
import { lastFourOf } from './api-key.ts'
import {
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
import { Price, PricePut } from './price.ts'
import { Alias } from './records/alias.ts'
import { Wildcard } from './records/wildcard.ts'
import { listQuery } from './runtime/list-query.ts'
import { shape, type Value } from './shape.ts'
import { FORMATS, MODEL_KINDS, type TEXT_FORMATS } from './words.ts'

/** The wire formats clients and suppliers speak. */
export type Format = (typeof FORMATS)[number]
/** Those in which models answer with text. */
export type TextFormat = (typeof TEXT_FORMATS)[number]

export const SUPPLIER_TYPES = [
  'openai',
  'anthropic',
  'google',
  'openai-compatible',
  'azure-openai',
  'bedrock',
  'vertex',
  'cohere',
  'voyage',
  'sandbox',
] as const
export type SupplierTypeName = (typeof SUPPLIER_TYPES)[number]

/** What a supplier charges for a request that the client gave up before the first byte. */
export const ABORT_POLICIES = ['free', 'prompt'] as const
export type AbortPolicy = (typeof ABORT_POLICIES)[number]

const rpm = limit().note('Requests per minute; null for no separate limit.')
const tpm = limit().note('Tokens per minute; null for no separate limit.')
const supplierId = text().as('supplier').example('openai')
const modelId = text().as('model').example('gpt-5')

/** How long to wait for a supplier; null: as configured for the gateway. */
export const SupplierTimeouts = shape('SupplierTimeouts', {
  connectMs: seconds().nullable().default(null).note('Until the connection is established.'),
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
    .note("As in the vendor's SDK: with `/v1` for OpenAI-style suppliers, without it for others.")
    .example('https://api.openai.com/v1'),
  formats: choices(FORMATS).note(
    'The wire formats that the supplier supports; all formats of its type by default.',
  ),
  source: choice(['shared', 'byok'])
    .default('shared')
    .note('`shared`: credentials of the platform. `byok`: those of the account in `account_id`.'),
  accountId: text()
    .nullable()
    .default(null)
    .note('Required with `byok`. Other accounts cannot see the supplier.')
    .example(null),
  enabled: flag().default(true),
  options: json<Readonly<Record<string, string>>>(
    Type.Record(Type.String(), Type.String()),
    { organization: 'org-1' },
    Type.Record(Type.String(), optionText.codec.input, { takes: 'names and texts' }),
  )
    .default({})
    .note('Options of this supplier type. Unknown names are refused.'),
  aborts: choice(ABORT_POLICIES)
    .nullable()
    .default(null)
    .note(
      'Whether the supplier charges the prompt of a request that the client gave up before the first byte: `free` or `prompt`; null as usual for its type.',
    )
    .example(null),
  timeouts: SupplierTimeouts.field
    .default(USUAL_TIMEOUTS)
    .note('How long to wait, in seconds; null or omitted for the default.'),
})
export type Supplier = Value<typeof Supplier>

/** A supplier in a request. Without formats it has those of its type. */
const SupplierSettings = Supplier.with('SupplierSettings', { formats: Supplier.fields.formats.omittable() })
export type SupplierSettings = Value<typeof SupplierSettings>
export const SupplierPut = SupplierSettings.without('SupplierPut', ['id']).draft

/** What a list of suppliers may be narrowed to. */
export const SupplierListQuery = shape('SupplierListQuery', {
  ...listQuery(['id', 'type']),
  source: Supplier.fields.source.note('Only suppliers with credentials of this source.'),
})
export type SupplierListQuery = Partial<Value<typeof SupplierListQuery>>

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
  secret: Credential.fields.secret.note('Replaces the old one from the next request on.'),
}).patch
export type CredentialChange = ReturnType<(typeof CredentialChange)['read']>

/** A credential in answers, with only the last four characters of its secret. */
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
/** The path names the account. The body may repeat it. */
export const OwnSupplierPut = SupplierSettings.without('OwnSupplierPut', ['id']).draft

export type ModelKind = (typeof MODEL_KINDS)[number]

export const Model = shape('CatalogModel', {
  id: text().example('gpt-5'),
  ownedBy: text().example('openai'),
  displayName: text().example('GPT-5').note('The id by default.'),
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
    .note('Differences from the default capabilities, such as `{"vision": false}`.'),
  createdAtMs: time(),
})
export type Model = Value<typeof Model>

/** A model in a request. Its name is its id by default. */
const ModelSettings = Model.without('ModelSettings', ['createdAtMs']).with('ModelSettings', {
  displayName: Model.fields.displayName.omittable(),
})
export type ModelSettings = Value<typeof ModelSettings>
export const ModelPut = ModelSettings.without('ModelPut', ['id']).draft

/** What a list of models may be narrowed to. */
export const ModelListQuery = shape('ModelListQuery', {
  ...listQuery(['id', 'display_name', 'owned_by', 'created_at']),
  kind: choice(MODEL_KINDS).note('Only models of this kind.'),
})
export type ModelListQuery = Partial<Value<typeof ModelListQuery>>

/** One way to reach a model: through this supplier, under that name, at that price. */
export const Route = shape('Route', {
  modelId,
  supplierId,
  upstreamModel: text().note('The name of the model at the supplier.').example('gpt-5'),
  formats: choices(FORMATS)
    .nullable()
    .default(null)
    .note('A subset of the formats that the supplier supports; null for all of them.')
    .example(['responses']),
  price: Price.field.nullable().note('What accounts pay. A route without a price is not used.'),
  cost: Price.field
    .nullable()
    .default(null)
    .note('What the supplier charges; null when that is the price.')
    .example(null),
  priceSource: choice(['manual', 'catalog'])
    .default('manual')
    .note('`catalog`: `turnpike prices apply` may change the price. `manual`: it stays as it is.'),
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

/** A route to create. Image-only models need no token prices. */
const WantedRoute = Route.without('WantedRoute', ['modelId']).with('WantedRoute', {
  cost: PricePut.field
    .takes('a price with input and output')
    .nullable()
    .default(null)
    .note('What the supplier charges, like `price`; null when that is the price.'),
  price: PricePut.field
    .takes('a price with input and output')
    .nullable()
    .default(null)
    .note(
      'Decimal strings with at most 9 decimals, per million tokens; `image` per image. `input` and `output` are optional for image-only models. A route without a price is not used.',
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
 * - `open`: it failed repeatedly and is not used for a while.
 * - `half-open`: its pause is over, and one request tests whether it works again.
 */
export type Circuit = (typeof CIRCUITS)[number]

const left = integer().nullable()

/** The recent health of one route with one credential. */
export const Standing = shape('Standing', {
  circuit: choice(CIRCUITS),
  opensAgainAtMs: time().nullable().note('When an open circuit allows a request again.').example(null),
  coolingUntilMs: time().nullable().note('The end of the pause that the supplier asked for.').example(null),
  latencyMs: integer().nullable().note('Recent time to the first byte.').example(420),
  successRate: json<number>(Type.Number({ minimum: 0, maximum: 1 }), 1).note(
    'Recent share of successful attempts.',
  ),
  supplierRemaining: shape('SupplierRemaining', { requests: left, tokens: left })
    .field.nullable()
    .note('The remaining limits that the supplier reported; null when it reported none.'),
})
export type Standing = Value<typeof Standing>

const CredentialStanding = CredentialView.with('CredentialStanding', {
  ...Standing.fields,
  remainingRequests: left.note('Remaining in the current minute; null without such a limit.'),
  remainingTokens: left.note('Remaining in the current minute; null without such a limit.'),
})

/** The current state of a route, for each credential that can serve it. */
export const RouteState = Route.with('RouteState', {
  unpriced: json<true>(Type.Literal(true), true)
    .note('It is not used, and only because it has no price; absent otherwise.')
    .optional(),
  credentials: list(CredentialStanding.field),
})
export type RouteState = Value<typeof RouteState>

// A file with more was probably generated by mistake.
const MAX_ITEMS = 10_000

/** Its label is unique among the credentials of its supplier. */
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

/** The desired supply. Applying it a second time changes nothing. */
export interface SupplyDocument {
  readonly suppliers: readonly WantedSupplier[]
  readonly models: readonly WantedModel[]
  readonly wildcards?: readonly Wildcard[]
  readonly aliases?: readonly Alias[]
}

/** The same in a supply file, with the names and units of the operator API. */
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
  wildcards: list(Wildcard.field.takes('a wildcard with id, pattern and supplier'), {
    max: MAX_ITEMS,
    takes: 'a list of wildcards',
  }).default([]),
  aliases: list(Alias.field.takes('an alias with id, name and models'), {
    max: MAX_ITEMS,
    takes: 'a list of aliases',
  }).default([]),
})

/** The effect of a supply file on one object. */
const SupplyChange = shape('SupplyChange', {
  kind: choice(['supplier', 'credential', 'model', 'route', 'wildcard', 'alias']),
  id: text().note('As in the audit; for a credential, its supplier and label.').example('openai'),
  result: choice(['created', 'changed', 'removed', 'unchanged']),
  fields: list(text()).note('The fields that changed; empty for all other results.').example([]),
})
export type SupplyChange = Value<typeof SupplyChange> & {
  /** What an operator should know about the object as it is now. */
  readonly warning?: string
}

export const SupplyApply = shape('SupplyApply', {
  document: text(1_048_576, { min: 0 })
    .note('The text of a supply file, which is YAML.')
    .example('suppliers: []'),
  name: text(300, { pattern: '^[^\\u0000-\\u001f]+$' })
    .default('document')
    .note('The name of the file in messages.')
    .example('supply.yaml'),
  variables: json<Readonly<Record<string, string>>>(
    Type.Record(Type.String(), Type.String({ maxLength: 10_000 })),
    { OPENAI_API_KEY: 'sk-…' },
  )
    .default({})
    .note('Values of the variables that the file refers to.'),
  dryRun: flag().default(false).note('Only show what would change.'),
}).draft

export const SupplyChanges = shape('SupplyChanges', {
  dryRun: flag(),
  changes: list(SupplyChange.field),
  warnings: list(text())
    .note('What was applied and does not work as it is, such as a route without a price.')
    .example([]),
})
