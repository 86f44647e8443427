import type { Snapshot } from '../vocabulary/snapshot.ts'
import type { LiveConfiguration } from './ports/configuration.ts'

/** Holds the snapshot in force; replacing it is one assignment, so no request ever sees half a change. */
export function createLiveConfiguration(first: Snapshot): LiveConfiguration {
  let snapshot = first
  return {
    current: () => snapshot,
    replace: (next) => {
      snapshot = next
    },
  }
}
