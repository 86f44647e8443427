import { statfs } from 'node:fs/promises'

export interface DiskWatchParts {
  readonly folder: string
  /** Writes something and takes it back; throws when the disk does not take it. */
  readonly probe: () => void
  /** The disk takes again what is written. */
  readonly onWell: () => void
}

// A node whose disk takes nothing is sent no requests, so nothing but a look of its own shows that it does again.
const LOOK_EVERY_MS = 1_000
// Room for the settlements of what is under way, and for the database to store them. Of a small disk, a part of it.
const MIN_FREE_BYTES = 64 * 1024 * 1024
const MIN_FREE_PART = 0.05

const UNWRITABLE = 'The gateway cannot write down what requests cost right now; try again later.'

/**
 * Whether the journal's disk takes what is written. Requests only read the verdict. It turns bad with the first write
 * that fails, or while little space is left; it turns good again by itself.
 */
export class DiskWatch {
  /** Why nothing may be admitted, in one sentence for clients; null while the disk is well. */
  refusal: string | null = null
  readonly #parts: DiskWatchParts
  readonly #timer: Timer
  #hasFailed = false
  #isLooking = false
  #isStopped = false

  constructor(parts: DiskWatchParts) {
    this.#parts = parts
    this.#timer = setInterval(() => void this.look(), LOOK_EVERY_MS)
    this.#timer.unref()
  }

  noteFailed(): void {
    this.#hasFailed = true
    this.refusal = UNWRITABLE
  }

  /** Never fails. */
  async look(): Promise<void> {
    // A disk that hangs is asked once.
    if (this.#isLooking) return
    this.#isLooking = true
    const isLow = await isSpaceLow(this.#parts.folder)
    this.#isLooking = false
    if (this.#isStopped) return
    if (isLow) this.refusal = UNWRITABLE
    else if (this.refusal !== null) this.#tryToWrite()
  }

  stop(): void {
    this.#isStopped = true
    clearInterval(this.#timer)
  }

  #tryToWrite(): void {
    try {
      if (this.#hasFailed) this.#parts.probe()
    } catch {
      return
    }
    this.#hasFailed = false
    this.refusal = null
    this.#parts.onWell()
  }
}

/** A file system that does not tell its size is taken to have room. */
async function isSpaceLow(folder: string): Promise<boolean> {
  try {
    const { bavail, blocks, bsize } = await statfs(folder)
    return bavail * bsize < Math.min(MIN_FREE_BYTES, blocks * bsize * MIN_FREE_PART)
  } catch {
    return false
  }
}
