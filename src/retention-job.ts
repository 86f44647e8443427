import type { FileJournal } from './edges/journal/file-journal.ts'
import { systemRandom } from './gateway/operate/random-source.ts'
import { dropOldSettlements } from './gateway/operate/retention.ts'
import type { Log } from './gateway/ports/log.ts'
import type { Storage } from './gateway/ports/storage.ts'
import { ScheduledJob } from './gateway/scheduled-job.ts'
import type { Clock } from './vocabulary/clock.ts'

const HOUR_MS = 60 * 60 * 1_000
// Long enough for everything that waits for the database to have its turn.
const PAUSE_MS = 20

interface RetentionGround {
  readonly storage: Storage
  readonly journal: Pick<FileJournal, 'catchUp'>
  readonly watch: { readonly isClosing: boolean }
}

/** Deletes the details of old settlements, on one node of all; null when they are kept for ever. */
export function scheduleRetention(
  keptDays: number | null,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
  { storage, journal, watch }: RetentionGround,
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
