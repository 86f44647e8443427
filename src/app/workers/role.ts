import type { Readings } from '../../edges/telemetry/metrics/readings.ts'
import type { SharedLimits } from '../../serve/ports/shared-limits.ts'

/** The role of one process of several; a gateway that runs alone has none. */
export interface Role {
  /** New for each run of a worker. */
  readonly nodeId: string
  /** The number of this worker, unique among running ones. Its journal belongs to the slot. */
  readonly slot: number
  /** The parent's limits; null when Redis holds them. */
  readonly sharedLimits: SharedLimits | null
  /** The address of the parent's sandbox, if there is one. */
  readonly sandboxUrl: string | null
  readonly metrics: SharedMetrics
}

/** Metrics of several processes as one. */
export interface SharedMetrics {
  /** Sets how the metrics of this process are read. */
  provide(readOwn: () => Readings): void
  readAll(): Promise<Readings>
}
