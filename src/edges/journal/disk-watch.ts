import { statfs } from 'node:fs/promises'

export interface DiskWatchParts {
  readonly folder: string
  /** Writes and undoes it; throws when the disk fails. */
  readonly probe: () => void
  /** Called when the disk can be written again. */
  readonly onWell: () => void
}

// A node with a failing disk receives no requests, so it has to check by itself whether the disk works again.
const LOOK_EVERY_MS = 1_000
// Room for the settlements of requests under way and for the database to store them. Relative on small disks.
const MIN_FREE_BYTES = 64 * 1024 * 1024
const MIN_FREE_PART = 0.05

const UNWRITABLE = 'The gateway cannot record request costs right now. Try again later.'

/**
 * Whether the journal's disk can be written. Requests only read the result. It fails with the first failed write or when
 * little space is left, and recovers by itself.
 */
export class DiskWatch {
  /** Why requests are refused, as a sentence for clients; null while the disk works. */
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

  /** Never rejects. */
  async look(): Promise<void> {
    // A disk that hangs is checked only once.
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

/** A file system that does not report its size is assumed to have room. */
async function isSpaceLow(folder: string): Promise<boolean> {
  try {
    const { bavail, blocks, bsize } = await statfs(folder)
    return bavail * bsize < Math.min(MIN_FREE_BYTES, blocks * bsize * MIN_FREE_PART)
  } catch {
    return false
  }
}
