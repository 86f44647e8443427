import { amount } from './field.ts'
import { shape, type Value } from './shape.ts'

export const FORMATS = ['chat-completion', 'responses', 'messages', 'content-generation', 'images'] as const
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

export interface Supplier {
  /** The `provider` a route policy names. */
  readonly id: string
  readonly type: SupplierTypeName
  readonly baseUrl: string
  readonly formats: readonly Format[]
  /** `shared`: the platform's own credentials. `byok`: an account's own. */
  readonly source: 'shared' | 'byok'
  readonly accountId: string | null
  readonly enabled: boolean
  /** What only suppliers of this type need to know, such as `api_version`; its folder names them. */
  readonly options: Readonly<Record<string, string>>
  readonly timeouts: SupplierTimeouts
}

/** How long to wait for a supplier; null: as long as the gateway's settings say. */
export interface SupplierTimeouts {
  /** Until a connection stands. */
  readonly connectMs: number | null
  /** Until the first usable byte. */
  readonly firstByteMs: number | null
  /** Silence in the middle of an answer. */
  readonly idleMs: number | null
}

export const USUAL_TIMEOUTS: SupplierTimeouts = { connectMs: null, firstByteMs: null, idleMs: null }

export type CredentialState = 'active' | 'disabled'

/** One upstream secret, in clear only in memory. */
export interface Credential {
  readonly id: string
  readonly supplierId: string
  readonly secret: string
  readonly label: string | null
  readonly rpm: number | null
  readonly tpm: number | null
  readonly weight: number
  readonly state: CredentialState
}

export const MODEL_KINDS = ['text', 'image', 'image-edit'] as const
export type ModelKind = (typeof MODEL_KINDS)[number]

export interface Model {
  readonly id: string
  readonly ownedBy: string
  readonly displayName: string
  readonly description: string
  readonly kinds: readonly ModelKind[]
  readonly inputTokenLimit: number | null
  readonly outputTokenLimit: number | null
  readonly rpm: number | null
  readonly tpm: number | null
  readonly capabilities: Readonly<Record<string, unknown>>
  readonly createdAtMs: number
}

/** Nano-USDT per million tokens, `imageNano` per picture. */
export const Price = shape('Price', {
  inputNanoPerMillion: amount().example('1.25'),
  outputNanoPerMillion: amount().example('10'),
  cacheReadNanoPerMillion: amount().example('0.125'),
  cacheWriteNanoPerMillion: amount().example('1.25'),
  imageNano: amount().example('0'),
})
export type Price = Value<typeof Price>

/** One way to reach a model: through this supplier, under that name, at that price. */
export interface Route {
  readonly modelId: string
  readonly supplierId: string
  readonly upstreamModel: string
  /** null: every format the supplier speaks. */
  readonly formats: readonly Format[] | null
  /** A route without a price is not routable. */
  readonly price: Price | null
  readonly rpm: number | null
  readonly tpm: number | null
  /** Lower is tried first. */
  readonly priority: number
  readonly enabled: boolean
}
