import type { Snapshot } from '../../vocabulary/runtime/snapshot.ts'

/** The configuration in force. A replaced snapshot is seen by the next request, never by one under way. */
export interface LiveConfiguration {
  current(): Snapshot
  /** Call this inside `changing` only: otherwise a change of another node may overwrite it. */
  replace(next: Snapshot): void
  /** Calls back when another snapshot takes effect, whichever node made the change. */
  onReplaced(listener: (before: Snapshot, next: Snapshot) => void): void
  /**
   * Resolves when all changes that any node made before this call are in force here, and at once while that cannot be
   * found out.
   */
  catchUp(): Promise<void>
  /** Resolves when this version or a newer one is in force here. */
  reloadTo(version: number): Promise<void>
  /**
   * Runs work that changes the configuration, based on the newest, while no other node does, and announces it. One after
   * the other: work that waits for other such work waits forever.
   */
  changing<Result>(work: () => Promise<Result>): Promise<Result>
  /** Catches up with missed announcements. Call it about once a second; never fails. */
  beat(): Promise<void>
}
