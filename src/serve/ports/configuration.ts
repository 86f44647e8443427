import type { Snapshot } from '../../vocabulary/runtime/snapshot.ts'

/** The configuration in force. A replaced snapshot is seen by the next request, never by one under way. */
export interface LiveConfiguration {
  current(): Snapshot
  /** To be called by whoever is `changing`: anything else may be lost to what another node does meanwhile. */
  replace(next: Snapshot): void
  /** Called each time another snapshot is in force, by whichever node it was changed. */
  onReplaced(listener: (before: Snapshot, next: Snapshot) => void): void
  /**
   * Resolves when whatever any node had changed before this call is in force here, and at once while nobody can be
   * asked about it.
   */
  catchUp(): Promise<void>
  /** Resolves when this version or a newer one is in force here. */
  reloadTo(version: number): Promise<void>
  /**
   * Runs work that changes the configuration, based on the newest, while no other node does; then tells them. One after
   * the other: work that waits for other such work waits for ever.
   */
  changing<Result>(work: () => Promise<Result>): Promise<Result>
  /** Looks after what was said while nobody heard it. To be called about once a second; never fails. */
  beat(): Promise<void>
}
