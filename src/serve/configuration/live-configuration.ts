import type { Snapshot } from '../../vocabulary/runtime/snapshot.ts'
import type { LiveConfiguration } from '../ports/configuration.ts'
import {
  ConfigurationFollower,
  type HeldSnapshot,
  type SharedConfiguration,
} from './configuration-follower.ts'

type ReplacedListener = (before: Snapshot, next: Snapshot) => void

/**
 * Holds the snapshot in force; replacing it is one assignment, so no request ever sees half a change. Without `shared`
 * no other node uses the same database.
 */
export function createLiveConfiguration(first: Snapshot, shared?: SharedConfiguration): LiveConfiguration {
  let snapshot = first
  const listeners: ReplacedListener[] = []
  const held: HeldSnapshot = {
    current: () => snapshot,
    replace: (next) => {
      const before = snapshot
      snapshot = next
      for (const listener of listeners) listener(before, next)
    },
  }
  const inTurn = createQueue()
  const common = { ...held, onReplaced: (listener: ReplacedListener) => void listeners.push(listener) }
  if (shared === undefined) {
    const done = () => Promise.resolve()
    return { ...common, changing: inTurn, catchUp: done, reloadTo: done, beat: done }
  }
  const follower = new ConfigurationFollower(held, shared)
  return {
    ...common,
    catchUp: () => follower.catchUp(),
    reloadTo: (version) => follower.reloadTo(version),
    changing: (work) => inTurn(() => follower.change(work)),
    beat: () => follower.beat(),
  }
}

/** Runs one piece of work after the other, even when an earlier one has failed. */
function createQueue(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const result = last.then(work)
    // A failed change must not fail those that wait behind it.
    last = result.catch(() => undefined)
    return result
  }
}
