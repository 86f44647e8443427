import { unpricedRoutes } from '../../rules/catalog/unpriced.ts'
import type { Clock } from '../../vocabulary/clock.ts'
import type { Snapshot, Supply } from '../../vocabulary/runtime/snapshot.ts'
import type { AlertWatch } from './alert-watch.ts'
import { unpricedNotice, unpricedOccasion } from './write-notice.ts'

export interface UnpricedParts {
  readonly snapshot: () => Snapshot
  readonly clock: Clock
  readonly watch: Pick<AlertWatch, 'note' | 'noteEnded'>
  /** Occasions that were reported and have not ended. */
  readonly openOccasions: readonly string[]
}

/** Reports routes that are not used because they have no price, and notices when they have one or are gone. */
export class UnpricedWatch {
  readonly #parts: UnpricedParts
  readonly #reported: Set<string>
  #seen: Supply | null = null

  constructor(parts: UnpricedParts) {
    this.#parts = parts
    this.#reported = new Set(parts.openOccasions)
  }

  /** Costs nothing while the supply stays the same. */
  look(): void {
    const { snapshot, clock, watch } = this.#parts
    const { supply } = snapshot()
    if (supply === this.#seen) return
    this.#seen = supply
    const found = new Map(unpricedRoutes(supply).map((route) => [unpricedOccasion(route), route]))
    for (const [occasion, route] of found) {
      if (!this.#reported.has(occasion)) watch.note(unpricedNotice(route, clock.nowMs()))
      this.#reported.add(occasion)
    }
    for (const occasion of this.#reported) {
      if (found.has(occasion)) continue
      this.#reported.delete(occasion)
      watch.noteEnded(occasion)
    }
  }
}
