import type { FileJournal } from '../edges/journal/file-journal.ts'
import type { BindingPace, NodeStorage } from '../edges/storage/index.ts'
import { systemRandom } from '../manage/operations/random-source.ts'
import { dropOldSettlements } from '../manage/operations/retention.ts'
import type { Storage } from '../manage/ports/storage.ts'
import { ScheduledJob } from '../manage/scheduled-job.ts'
import type { Log } from '../serve/ports/log.ts'
import type { Clock } from '../vocabulary/clock.ts'

const HOUR_MS = 60 * 60 * 1_000
// Gives other database work a turn.
const PAUSE_MS = 20

interface RetentionJobParts {
  readonly storage: Storage
  readonly journal: Pick<FileJournal, 'catchUp'>
  readonly watch: { readonly isClosing: boolean }
}

/** Deletes the details of old settlements, on one node at a time; null when they are kept forever. */
export function scheduleRetention(
  keptDays: number | null,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
  { storage, journal, watch }: RetentionJobParts,
): ScheduledJob | null {
  if (keptDays === null) return null
  const run = () =>
    dropOldSettlements({
      storage,
      catchUp: () => journal.catchUp(),
      keptDays,
      clock,
      random: systemRandom,
      pause: () => Bun.sleep(PAUSE_MS),
      isStopping: () => watch.isClosing,
    })
  return new ScheduledJob({ name: 'retention', periodMs: HOUR_MS, run }, { storage, clock, log })
}

// Leaves four fifths of the time to other work.
const REST = 4
const LONGEST_REST_MS = 1_000
const LOOK_AGAIN_MS = 10_000

/** The pace of a start, which waits for the few values it binds. */
export function atOnce(log: Log): BindingPace {
  return { ...unopenedLogger(log), pause: () => Promise.resolve(), isStopping: () => false }
}

/** Binds sealed values of earlier versions to their rows until none is left. Never fails. */
export function bindSealsInBackground(
  storage: Pick<NodeStorage, 'bindAllSeals'>,
  log: Log,
): { stop(): Promise<void> } {
  let isStopping = false
  let wake = () => {}
  /** Resolves early on stop. */
  const wait = (ms: number) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, isStopping ? 0 : ms)
    wake = () => {
      clearTimeout(timer)
      resolve()
    }
    return promise
  }
  const pace: BindingPace = {
    ...unopenedLogger(log),
    pause: (tookMs) => wait(Math.min(LONGEST_REST_MS, REST * tookMs)),
    isStopping: () => isStopping,
  }
  const run = async () => {
    while (!isStopping) {
      try {
        if (await storage.bindAllSeals(pace)) return
      } catch (error) {
        log.trouble('sealed values could not be bound to their rows; retrying later', error)
      }
      await wait(LOOK_AGAIN_MS)
    }
  }
  const running = run()
  return {
    stop: async () => {
      isStopping = true
      wake()
      await running
    },
  }
}

function unopenedLogger(log: Log): Pick<BindingPace, 'onUnopened'> {
  return { onUnopened: (error) => log.trouble('a sealed value could not be opened and stays unbound', error) }
}
