import type { SharedLimits } from '../../serve/ports/shared-limits.ts'

/** What a process is among several of one gateway; a gateway that runs alone has no role. */
export interface Role {
  /** Of this run of the worker: the next one has another. */
  readonly nodeId: string
  /** Numbers the workers of one parent; no two that live have the same. The slot's journal is this worker's. */
  readonly slot: number
  /** The limits store at which the parent keeps the windows; null: Redis has them. */
  readonly sharedLimits: SharedLimits | null
  /** Where the parent's sandbox is; null: there is none. */
  readonly sandboxUrl: string | null
}
