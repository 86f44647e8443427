import type {
  ExploreAnswer,
  ExploreGroup,
  ExploreQuery,
  StoredView,
} from '../../../vocabulary/observability/explore.ts'
import type { UsageFilter, UsageSpan } from '../../../vocabulary/settlement.ts'

/** Where figures come from: usage, what is measured of requests, or failures by code together with refusals. */
export type FigureSource = 'usage' | 'measures' | 'errors'

export interface FigureQuestion {
  readonly source: FigureSource
  /** By name; all of them are sums. */
  readonly figures: readonly string[]
  readonly span: UsageSpan
  /** `fromMs` and `toMs` are about the beginning of a span. */
  readonly filter: UsageFilter & Required<Pick<UsageFilter, 'fromMs' | 'toMs'>>
}

/** Only these groups are told apart. */
export interface GroupChoice {
  readonly by: Exclude<ExploreGroup, 'none'>
  readonly names: readonly string[]
}

export interface FigurePoint {
  readonly startMs: number
  /** Empty when groups are not told apart, and for requests without one. */
  readonly group: string
  readonly sums: Readonly<Record<string, bigint>>
}

export interface ExploreStore {
  /** The groups in which these figures sum to the most, largest first. */
  rankGroups(question: FigureQuestion, by: GroupChoice['by'], atMost: number): Promise<readonly string[]>
  /** Oldest first; all together, or only the chosen groups. */
  readFigures(question: FigureQuestion, groups: GroupChoice | null): Promise<readonly FigurePoint[]>
  /** When the first request was measured, of an account or of all. */
  findFirstMeasured(accountId: string | undefined): Promise<number | null>
  listViews(accountId: string): Promise<readonly StoredView[]>
  /** Replaces one of the same account and name. False when there are too many. */
  saveView(view: StoredView, atMost: number): Promise<StoredView | null>
  /** False when the account has no such view. */
  deleteView(accountId: string, id: string): Promise<boolean>
}

export interface ExploreOperations {
  /** Reads totals, and of sessions and agents a bounded number of settlements. */
  explore(query: ExploreQuery): Promise<ExploreAnswer>
  listViews(accountId: string): Promise<readonly StoredView[]>
  saveView(view: Pick<StoredView, 'accountId' | 'name' | 'search'>, actor: string): Promise<StoredView>
  deleteView(accountId: string, id: string): Promise<void>
}
