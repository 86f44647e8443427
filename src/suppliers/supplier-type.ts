import type { Clock } from '../vocabulary/clock.ts'
import type { EmbeddingLimits } from '../vocabulary/runtime/embedding-limits.ts'
import type { Traits } from '../vocabulary/runtime/traits.ts'
import type { AbortPolicy, Format, Supplier, SupplierTypeName } from '../vocabulary/supply.ts'
import type { HeaderFields } from '../wire/http-answer.ts'
import type { AccessTokens } from './access-tokens.ts'

export interface CallTarget {
  readonly url: string
  /** Lower-case names; carries the credential. */
  readonly headers: Readonly<Record<string, string>>
  /** What to send in place of the given body, for suppliers that want the same thing said differently. */
  readonly body?: string
  /** Converts the response of suppliers with their own framing or errors to the format's. */
  readonly readResponse?: (response: Response) => Response | Promise<Response>
}

/** What the supplier is called for. `generate` is text: an answer to a conversation, or the rest of a text. */
export type SupplierOperation =
  | 'generate'
  | 'count-tokens'
  | 'compact'
  | 'generate-image'
  | 'edit-image'
  | 'embed'
  | 'rerank'
  | 'moderate'
  | 'transcribe'
  | 'translate-audio'
  | 'speak'

export interface CallQuery {
  readonly format: Format
  /** As the vendor's own SDK takes it; a slash at its end makes no difference. */
  readonly baseUrl: string
  readonly secret: string
  /** The supplier's own options, as its operator wrote them. */
  readonly options: Readonly<Record<string, string>>
  readonly upstreamModel: string
  readonly stream: boolean
  /** What is about to be sent, in the supplier's format; empty when it is put together while it is sent. */
  readonly body: string
  /** What a client of the same format sent along; null for clients of other formats. */
  readonly clientHeaders: HeaderFields | null
  /** The beta features to ask for; none when absent. */
  readonly betas?: readonly string[]
  /** `generate` when absent. */
  readonly operation?: SupplierOperation
}

/** What a type may need besides the query. */
export interface CallTools {
  readonly clock: Clock
  readonly tokens: AccessTokens
  /** Where the built-in sandbox listens; null when this node runs none. */
  readonly sandboxUrl: string | null
  /** Calls something other than the model, such as a token endpoint. */
  call(request: Request): Promise<Response>
}

/** Whether a beta feature may be asked of a supplier with these options. */
export type TakesBeta = (beta: string, options: Readonly<Record<string, string>>) => boolean

/** How a kind of supplier is addressed: where a format lives under its base URL and how a credential is carried. */
export interface SupplierType {
  readonly name: SupplierTypeName
  /** What people call it. */
  readonly label: string
  /** What a base URL of this type looks like. */
  readonly exampleUrl: string
  /** Whether it usually charges the prompt of a request that was given up before its first byte; see docs/clients/aborts.md. */
  readonly aborts: AbortPolicy
  /** The formats this type can be addressed in. */
  readonly formats: readonly Format[]
  /** The options suppliers of this type understand; absent when there are none. */
  readonly options?: readonly string[]
  /** Whether its answers cost nothing. */
  readonly isSimulated?: boolean
  /** What is wrong with a secret for this type, in one sentence without the secret; null when nothing is. */
  checkSecret?(secret: string): string | null
  /** How this supplier deviates from the formats it speaks; null when it does not. */
  quirksOf?(supplier: Pick<Supplier, 'options' | 'baseUrl'>): QuirksByFormat | null
  /** Absent when suppliers of this type have no beta features. */
  readonly takesBeta?: TakesBeta
  /** What one call of this model may embed, where the type or the model allows less than the format; null otherwise. */
  embeddingLimits?(query: Pick<CallQuery, 'format' | 'upstreamModel'>): EmbeddingLimits | null
  /** The model list of a supplier that speaks these formats; absent when the type has none. */
  modelList?(formats: readonly Format[]): ModelList
  /**
   * A promise only when something must be fetched first. Throws when the type has no address for the format or the
   * operation.
   */
  target(query: CallQuery, tools: CallTools): CallTarget | Promise<CallTarget>
}

/** How a supplier deviates from a format it claims to speak. */
export interface Quirks {
  /** What it lacks whatever the model: these stand over the traits of the format and over those of the model. */
  readonly traits: Partial<Traits>
  /** False when it refuses messages that say who wrote them. */
  readonly takesMessageNames: boolean
  /** Members of a request that it refuses and that may be left out; the client is informed. */
  readonly refuses: readonly string[]
  /** Members that only the gateway needs and the supplier does not understand; omitted silently. */
  readonly ignores: readonly string[]
  /** Its own names for members, by the format's. */
  readonly renames: Readonly<Record<string, string>>
  /** Official clients fail on its answers, so each answer is decoded and encoded again. */
  readonly isRetold: boolean
}

export type QuirksByFormat = Readonly<Partial<Record<Format, Quirks>>>

/** How to list the models of a supplier, page by page. */
export interface ModelList {
  /** The format whose calls carry the credential as the list wants it. */
  readonly format: Format
  /** Where a page is; the cursor is that of the page before, null for the first. */
  address(baseUrl: string, cursor: string | null): string
  /** Returns null when the body is not a model list. */
  read(body: unknown): ModelPage | null
  /** A model's name as routes have it. */
  plainName(name: string): string
}

export interface ModelPage {
  readonly names: readonly string[]
  /** null on the last page. */
  readonly cursor: string | null
}
