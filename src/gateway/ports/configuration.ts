import type { Snapshot } from '../../vocabulary/snapshot.ts'

/** The configuration in force. A replaced snapshot is seen by the next request, never by one under way. */
export interface LiveConfiguration {
  current(): Snapshot
  replace(next: Snapshot): void
}
