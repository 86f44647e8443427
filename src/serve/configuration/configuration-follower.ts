import { GatewayError } from '../../errors/gateway-error.ts'
import type { Storage } from '../../manage/ports/storage.ts'
import { buildSnapshot } from '../../rules/catalog/build-snapshot.ts'
import { withTimeout } from '../../vocabulary/clock.ts'
import type { LiveConfiguration } from '../ports/configuration.ts'
import type { ChangeProgress } from '../ports/shared-storage.ts'

/** How nodes that share a database learn of each other's changes. */
export interface SharedConfiguration {
  readonly storage: Pick<
    Storage,
    'loadConfiguration' | 'loadConfigurationVersion' | 'raiseConfigurationVersion' | 'whileChanging'
  >
  /** The newest version that any node has announced; null when it is unknown. When absent, only the database is asked. */
  readonly newestVersion?: () => Promise<number | null>
  readonly announce?: (version: number) => Promise<void>
  /** Reloads what a start reads beside the configuration. When it fails, the reload fails too. */
  readonly reloadBeside?: () => Promise<void>
}

// A database that hangs must not hold up requests that can be judged without it.
const ASK_PATIENCE_MS = 1_000
// A large configuration takes a while to read, and requests that wait for it would be judged wrongly without it.
const READ_PATIENCE_MS = 5_000

export type HeldSnapshot = Pick<LiveConfiguration, 'current' | 'replace'>

/** The database lacks changes up to this version, which nodes know. Nothing was changed. */
class ChangesLost extends Error {
  readonly version: number

  constructor(version: number) {
    super('The database has lost changes.')
    this.version = version
  }
}

/** Keeps a snapshot in step with the changes of all nodes that share the database. */
export class ConfigurationFollower {
  readonly #held: HeldSnapshot
  readonly #shared: SharedConfiguration
  #checking: Promise<void> | null = null
  #nextCheck: Promise<void> | null = null
  #reloading: Promise<void> | null = null
  #beating: Promise<void> | null = null
  /**
   * Whether this node is the one that may change the configuration, and knows the newest. No other node makes a newer one
   * then, and a read may lack what this node has just written.
   */
  #isChanging = false

  constructor(held: HeldSnapshot, shared: SharedConfiguration) {
    this.#held = held
    this.#shared = shared
  }

  /** At most one check runs and one waits. A caller never gets the result of a check that began before its call. */
  catchUp(): Promise<void> {
    if (this.#nextCheck !== null) return this.#nextCheck
    if (this.#checking === null) return this.#check()
    const before = this.#checking.catch(() => undefined)
    this.#nextCheck = before.then(() => {
      this.#nextCheck = null
      return this.#check()
    })
    return this.#nextCheck
  }

  async reloadTo(version: number): Promise<void> {
    while (!this.#isChanging && this.#version < version) {
      // A reload that was running may have begun before this version was stored.
      const isFresh = this.#reloading === null
      await this.#reload()
      if (isFresh && this.#version < version) await this.#passLost(version)
    }
  }

  async change<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await this.#changePastLost(work)
    } catch (error) {
      // Some of it may be stored anyway, by an earlier step or because only the confirmation was lost.
      await this.#compareWithStored().catch(() => undefined)
      throw error
    }
  }

  beat(): Promise<void> {
    this.#beating ??= this.#look().finally(() => {
      this.#beating = null
    })
    return this.#beating
  }

  get #version(): number {
    return this.#held.current().version
  }

  async #look(): Promise<void> {
    try {
      await this.#compareWithStored()
      await this.#announceIfUnknown()
    } catch {
      // The next beat tries again.
    }
  }

  #check(): Promise<void> {
    const checking = this.#lookForNewer().finally(() => {
      if (this.#checking === checking) this.#checking = null
    })
    this.#checking = checking
    return checking
  }

  async #lookForNewer(): Promise<void> {
    const announced = await this.#askOthers()
    if (announced !== null) return readInTime(() => this.reloadTo(announced))
    const [known, stored] = [this.#version, await this.#askStored()]
    // While neither nodes nor database answer, the known configuration stays in force.
    if (stored !== null) await readInTime(() => this.#followStored(known, stored))
  }

  async #askOthers(): Promise<number | null> {
    try {
      return (await this.#shared.newestVersion?.()) ?? null
    } catch {
      return null
    }
  }

  async #askStored(): Promise<number | null> {
    try {
      const stored: Promise<number | null> = this.#shared.storage.loadConfigurationVersion()
      return await withTimeout(ASK_PATIENCE_MS, stored, () => null)
    } catch {
      return null
    }
  }

  async #compareWithStored(): Promise<void> {
    const known = this.#version
    await this.#followStored(known, await this.#shared.storage.loadConfigurationVersion())
  }

  /** `known` is what this node knew before it asked for what is stored. */
  async #followStored(known: number, stored: number): Promise<void> {
    if (stored < known && !this.#isChanging) await this.#passLost(known)
    await this.reloadTo(stored)
  }

  /**
   * The database has lost changes that nodes know, for example after a failover to a replica without them. What is stored
   * now counts, under a number that no lost change has had, so that every node reads it.
   */
  async #passLost(version: number): Promise<void> {
    await this.#shared.storage.raiseConfigurationVersion(version + 1)
    await this.#reload()
  }

  /** All callers share one reload. */
  #reload(): Promise<void> {
    this.#reloading ??= this.#load().finally(() => {
      this.#reloading = null
    })
    return this.#reloading
  }

  async #load(): Promise<void> {
    const loaded = await this.#shared.storage.loadConfiguration()
    await this.#shared.reloadBeside?.()
    if (loaded.version > this.#version) this.#held.replace(buildSnapshot(loaded))
  }

  /** A change must not get the number of a lost one: nodes that know the lost one would not reload. */
  async #changePastLost<Result>(work: () => Promise<Result>): Promise<Result> {
    const { storage } = this.#shared
    try {
      return await storage.whileChanging((progress) => this.#changeWith(progress, work))
    } catch (error) {
      if (!(error instanceof ChangesLost)) throw error
      await this.#passLost(error.version)
      return storage.whileChanging((progress) => this.#changeWith(progress, work))
    }
  }

  async #changeWith<Result>(progress: ChangeProgress, work: () => Promise<Result>): Promise<Result> {
    const newest = Math.max(this.#version, (await this.#askOthers()) ?? 0)
    // No other node can change anything now, so a newer version means that the database has lost changes.
    if (newest > progress.version) throw new ChangesLost(newest)
    await this.reloadTo(progress.version)
    // A running reload could end in the middle of the work and undo its changes in memory.
    while (this.#reloading !== null) await this.#reloading.catch(() => undefined)
    this.#isChanging = true
    try {
      const result = await work()
      const snapshot = this.#held.current()
      // Before the announcement: otherwise this node would believe that it is behind.
      if (progress.version > snapshot.version) this.#held.replace({ ...snapshot, version: progress.version })
      return result
    } finally {
      this.#isChanging = false
      await this.#announce(progress.version)
    }
  }

  /** A change counts even when it cannot be announced: other nodes find it at their next beat. */
  async #announce(version: number): Promise<void> {
    try {
      await this.#shared.announce?.(version)
    } catch {
      // The next beat announces it again.
    }
  }

  async #announceIfUnknown(): Promise<void> {
    const { newestVersion, announce } = this.#shared
    if (newestVersion === undefined || announce === undefined) return
    const version = this.#version
    if (((await newestVersion()) ?? 0) < version) await announce(version)
  }
}

/** A newer configuration must be read before a request is judged. After the timeout, reading goes on for later requests. */
async function readInTime(read: () => Promise<void>): Promise<void> {
  try {
    await withTimeout(READ_PATIENCE_MS, readAgain(read), () => {
      throw new Error('The configuration takes too long to be read.')
    })
  } catch (cause) {
    throw new GatewayError(
      'temporarily_unavailable',
      'The configuration was changed and cannot be read right now; try again shortly.',
      { cause },
    )
  }
}

// The first use of a lost connection fails; the next one gets a new connection.
const READ_AGAIN_AFTER_MS = [20, 100, 300]

async function readAgain(read: () => Promise<void>): Promise<void> {
  for (const pauseMs of READ_AGAIN_AFTER_MS) {
    try {
      return await read()
    } catch {
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
  }
  return read()
}
