import type { Actor } from './actors/actor.ts'
import type { CallLog } from './call-log.ts'
import type { Turnstile, Wait } from './delivery/wait.ts'
import type { FaultRules } from './faults.ts'
import type { ImageStore } from './images/image-store.ts'
import type { PromptCache } from './performance/prompt-cache.ts'
import type { Seals } from './seals.ts'

/** Everything one sandbox shares between its calls. */
export interface Stage {
  readonly actors: readonly Actor[]
  readonly faults: FaultRules
  readonly log: CallLog
  readonly promptCache: PromptCache
  readonly seals: Seals
  /** Those that are handed out by address. */
  readonly images: ImageStore
  /** Forms hold large files, so one is read at a time; the others wait in their connections. */
  readonly uploads: Turnstile
  readonly clock: SandboxClock
  readonly wait: Wait
  readonly acceptsKey: (key: string | null) => boolean
  /** Ids are made of the numbers of calls, counted from here: no other sandbox may have made the same. */
  readonly idsAfter: number
  /** How many calls each model has had. */
  readonly callsByModel: Map<string, number>
}

export interface SandboxClock {
  /** UTC epoch milliseconds. */
  nowMs(): number
}
