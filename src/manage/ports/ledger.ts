import type { LedgerEntry, LedgerFilter, LedgerVerification } from '../../vocabulary/ledger.ts'
import type { ClientSession, ClientSessionFilter } from '../../vocabulary/observability/client-session.ts'
import type {
  Settlement,
  SettlementExportFilter,
  UsageDimensions,
  UsageFigures,
  UsageFilter,
  UsageSpan,
  UsageView,
} from '../../vocabulary/settlement.ts'
import type { AuditEvent } from '../../vocabulary/system.ts'
import type { FigureQuestion, GroupChoice } from './explore/explore.ts'
import type { Listing, Page } from './page.ts'

export interface UsageQuestion {
  readonly span: UsageSpan
  /** `fromMs` and `toMs` are about the beginning of a span. */
  readonly filter: UsageFilter
  /** What the answer tells apart; what is not named here is added up. */
  readonly groupBy: readonly (keyof UsageDimensions)[]
}

/** The usage of one span, of the group that was asked for. */
export interface UsagePoint {
  readonly startMs: number
  readonly group: Partial<UsageDimensions>
  readonly figures: UsageFigures
}

export interface LargestQuestion extends Pick<FigureQuestion, 'span' | 'filter'> {
  readonly by: GroupChoice['by']
  /** How many groups are told apart. */
  readonly top: number
}

/** The usage of one span, of one of the largest groups or of all others. */
export interface LargestUsage {
  readonly startMs: number
  /** Null for all others, and for requests without a group. */
  readonly group: string | null
  readonly isRest: boolean
  readonly figures: UsageFigures
}

/** Something of a long list, with the cursor that leads to what follows it. */
export interface Placed<T> {
  readonly item: T
  readonly cursor: string
}

/** What the files of a journal say at one moment. */
export interface JournalReading {
  /** Settlements that the database has, or will have. */
  settled(): Iterable<Settlement>
  /** Those it did not take. */
  setAside(): Iterable<Settlement>
}

/** Reads the ledger: usage, exports, and whether everything adds up. */
export interface LedgerStore {
  /** Oldest first, then by group. */
  listUsage(question: UsageQuestion, page: Page): Promise<Listing<UsagePoint>>
  /** The sessions that clients named. */
  listClientSessions(filter: ClientSessionFilter, page: Page): Promise<Listing<ClientSession>>
  /** Up to `limit` settlements after the cursor, in the order they started in. */
  readSettlements(filter: SettlementExportFilter, page: Page): Promise<readonly Placed<Settlement>[]>
  /** Up to `limit` entries after the cursor, account by account and in each by time. */
  readLedger(filter: LedgerFilter, page: Page): Promise<readonly Placed<LedgerEntry>[]>
  /** From now on settlements that ended before this may be deleted. False when they may be already. */
  moveHorizon(goneBeforeMs: number, event: AuditEvent): Promise<boolean>
  /** Deletes up to so many of them without changing any balance, and gives how many it was. */
  carrySettlements(atMost: number): Promise<number>
  /**
   * Compares everything that tells of money or usage with everything else that tells of the same, as of one moment.
   * What is in the journal and not in the database is a difference, unless it may wait there.
   */
  verifyLedger(journal: JournalReading, options: { readonly mayWait: boolean }): Promise<LedgerVerification>
}

export interface ExportOptions {
  /** Where an earlier export was cut off; null begins at the beginning. */
  readonly cursor: string | null
  /** The most lines to give; null for all. */
  readonly limit: number | null
}

/** What operators can read of the ledger. Every request that has been answered is included. */
export interface LedgerOperations {
  listUsage(question: UsageQuestion, page: Page): Promise<Listing<UsageView>>
  /** All of it at once, oldest first, and then what all others come to. */
  listLargestUsage(question: LargestQuestion): Promise<readonly LargestUsage[]>
  listClientSessions(filter: ClientSessionFilter, page: Page): Promise<Listing<ClientSession>>
  /** Page by page as it is asked for; between two pages nothing is held. */
  exportSettlements(
    filter: SettlementExportFilter,
    options: ExportOptions,
  ): AsyncGenerator<readonly Placed<Settlement>[]>
  exportLedger(filter: LedgerFilter, options: ExportOptions): AsyncGenerator<readonly Placed<LedgerEntry>[]>
  verifyLedger(): Promise<LedgerVerification>
}
