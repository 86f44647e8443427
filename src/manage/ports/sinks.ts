import type {
  IssuedSink,
  Sink,
  SinkProgress,
  SinkSettings,
  SinkStream,
  SinkView,
} from '../../vocabulary/observability/sink.ts'
import type { Settlement } from '../../vocabulary/settlement.ts'
import type { AuditEvent } from '../../vocabulary/system.ts'

/** The oldest lines that wait for a sink, all of one stream. */
export interface SinkBatch {
  /** The same for every try that begins with the same line. */
  readonly id: string
  readonly stream: SinkStream
  readonly settlements: readonly Settlement[]
  readonly events: readonly AuditEvent[]
  /** Those that have been deleted since are missing. */
  readonly missing: number
  readonly oldestAtMs: number
  /** Whether more lines would not fit. */
  readonly isFull: boolean
  /** The stored entries that it is made of. */
  readonly entryIds: readonly string[]
}

/** How the last try went, and what waits longest. */
export type SinkState = Pick<SinkProgress, 'failures' | 'nextTryAtMs' | 'lastFailure' | 'oldestAtMs'>

/** How a try to send a batch ended. */
export type SinkEnd =
  | { readonly type: 'sent'; readonly batch: SinkBatch; readonly atMs: number }
  | {
      readonly type: 'failed'
      readonly failure: string
      readonly failures: number
      readonly nextTryAtMs: number
    }

export interface SinkStore {
  loadSinks(): Promise<readonly Sink[]>
  /** By the ids of the sinks. Cheap, however much waits. */
  loadSinkStates(): Promise<ReadonlyMap<string, SinkState>>
  /** The same with how much waits, which is counted. */
  loadSinkProgress(): Promise<ReadonlyMap<string, SinkProgress>>
  /** Inserts or replaces; the secret is encrypted on the way in. */
  saveSink(sink: Sink, event: AuditEvent): Promise<void>
  /** What waits for it goes with it. */
  deleteSink(id: string, event: AuditEvent): Promise<void>
  /** In the order in which the lines were stored; null when none waits. */
  loadSinkBatch(sinkId: string, maxLines: number): Promise<SinkBatch | null>
  endSinkTry(sinkId: string, end: SinkEnd): Promise<void>
  /** Gives up lines from before this time, and returns how many each sink lost. */
  dropOldSinkLines(beforeMs: number): Promise<ReadonlyMap<string, number>>
}

/** What metrics show of one sink. */
export interface SinkFigures {
  readonly sink: string
  /** Of the whole platform, as the database has them. */
  readonly waiting: number
  readonly oldestSeconds: number
  /** What this process has done since it started. */
  readonly sent: number
  readonly lost: number
  readonly failedAttempts: number
}

export interface SinkFile {
  /** `s3://bucket/prefix` or `folder://name`. */
  readonly target: string
  /** Below the target. */
  readonly path: string
  readonly text: string
}

/** Writes a file, or replaces it. Null when it is written; otherwise why not, in one sentence that is safe to show. */
export type WriteSinkFile = (file: SinkFile) => Promise<string | null>

export interface SinkOperations {
  listSinks(): Promise<readonly SinkView[]>
  findSink(id: string): Promise<SinkView>
  /** The first that calls an address gets a secret; later changes keep it. */
  putSink(id: string, settings: SinkSettings, actor: string): Promise<IssuedSink>
  /** What is not named stays as it is. */
  changeSink(id: string, change: Partial<SinkSettings>, actor: string): Promise<IssuedSink>
  deleteSink(id: string, actor: string): Promise<void>
}
