import type { Clock } from '../vocabulary/clock.ts'
import type { Format, SupplierTypeName } from '../vocabulary/supply.ts'
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

/** What the supplier is called for: an answer, a token count, or generating or editing images. */
export type SupplierOperation = 'generate' | 'count-tokens' | 'generate-image' | 'edit-image'

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
  /** What the client sent along; only what a vendor's allow-list names may go on. */
  readonly clientHeaders: HeaderFields | null
  /** `generate` when absent. */
  readonly operation?: SupplierOperation
}

/** What a type may need besides the query. */
export interface CallTools {
  readonly clock: Clock
  readonly tokens: AccessTokens
  /** Calls something other than the model, such as a token endpoint. */
  call(request: Request): Promise<Response>
}

/** How a kind of supplier is addressed: where a format lives under its base URL and how a credential is carried. */
export interface SupplierType {
  readonly name: SupplierTypeName
  /** What people call it. */
  readonly label: string
  /** What a base URL of this type looks like. */
  readonly exampleUrl: string
  /** The formats this type can be addressed in. */
  readonly formats: readonly Format[]
  /** The options suppliers of this type understand; absent when there are none. */
  readonly options?: readonly string[]
  /** Whether its answers cost nothing. */
  readonly isSimulated?: boolean
  /** What is wrong with a secret for this type, in one sentence without the secret; null when nothing is. */
  checkSecret?(secret: string): string | null
  /**
   * A promise only when something must be fetched first. Throws when the type has no address for the format or the
   * operation.
   */
  target(query: CallQuery, tools: CallTools): CallTarget | Promise<CallTarget>
}

export function trimSlashes(baseUrl: string): string {
  // Nearly none has any, and looking for them all costs more than the rest of an address.
  return baseUrl.endsWith('/') ? baseUrl.replace(/\/+$/, '') : baseUrl
}

/** Cannot happen by configuration: routes exist only for formats of their supplier type. */
export function noAddress({ format, operation }: CallQuery): Error {
  return new Error(`no address for ${operation ?? 'generate'} in ${format}`)
}
