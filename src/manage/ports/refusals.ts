import type { GatewayError } from '../../errors/gateway-error.ts'
import type {
  Refusal,
  RefusalCount,
  RefusalFilter,
  RefusalMinute,
  RefusalSpan,
  RefusalTotal,
} from '../../vocabulary/observability/refusal.ts'
import type { Listing, Page } from './page.ts'

/** A request that was refused, as the request path knows it. */
export interface RefusedRequest {
  readonly requestId: string
  readonly method: string
  readonly path: string
  readonly error: GatewayError
  /** Whose key was sent; null when the key is unknown or missing. */
  readonly holder: { readonly accountId: string; readonly keyId: string } | null
  readonly model: string | null
  /** Whether the caller had so many refusals that it is only counted. */
  readonly isFlood: boolean
}

/** Told of every refusal in the request path. Only takes note: nothing here waits for anything. */
export interface RefusalRecorder {
  note(refused: RefusedRequest): void
}

export interface RefusalQuestion {
  readonly filter: RefusalFilter
  readonly span: RefusalSpan
}

export interface RefusalStore {
  /** Adds to the counts of the same minute, and keeps the newest refusals of each key and account. */
  saveRefusals(counts: readonly RefusalMinute[], details: readonly Refusal[]): Promise<void>
  /** Newest first. */
  listRefusals(filter: RefusalFilter, page: Page): Promise<Listing<Refusal>>
  /** Newest period first, by key and code. */
  countRefusals(question: RefusalQuestion, page: Page): Promise<Listing<RefusalCount>>
  /** The same without telling keys apart. */
  totalRefusals(question: RefusalQuestion, page: Page): Promise<Listing<RefusalTotal>>
  /** Deletes some that are older; how many. */
  deleteRefusals(before: RefusalHorizon, atMost: number): Promise<number>
}

export interface RefusalHorizon {
  readonly detailsMs: number
  readonly countsMs: number
}

export type RefusalOperations = Pick<RefusalStore, 'listRefusals' | 'countRefusals' | 'totalRefusals'>
