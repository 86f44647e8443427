import { closeSync, openSync, readFileSync } from 'node:fs'
import { devNull } from 'node:os'

// For the database, journal, log, listener, timers, and files that requests open.
const RESERVED = 64
// Beyond this, memory is the limit, and the operator should decide.
const MAX_DEFAULT_CONNECTIONS = 50_000
// The usual soft limit, for systems that do not report theirs.
const DEFAULT_LIMIT = 1_024

/** How many descriptors this process may have open. The runtime has raised the soft limit to the hard one by now. */
export function descriptorLimit(): number {
  try {
    const text = /^Max open files\s+(\d+|unlimited)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
    if (text === 'unlimited') return Number.POSITIVE_INFINITY
    return text === undefined ? DEFAULT_LIMIT : Number(text)
  } catch {
    return DEFAULT_LIMIT
  }
}

/** Half of the unreserved descriptors, because a request may need a second one for its supplier. */
export function defaultConnections(limit: number): number {
  return Math.max(16, Math.min(MAX_DEFAULT_CONNECTIONS, Math.floor((limit - RESERVED) / 2)))
}

export interface DescriptorCalls {
  /** Throws the system's error when no descriptor is left. */
  open(): number
  close(descriptor: number): void
}

const SYSTEM: DescriptorCalls = { open: () => openSync(devNull, 'r'), close: closeSync }

/**
 * Notices when this process runs out of file descriptors. The runtime does not report a failing `accept`: it retries in
 * a busy loop until a descriptor is free. So one descriptor is kept in reserve and given up then, which lets waiting
 * connections be accepted and refused one after the other.
 */
export class DescriptorGuard {
  readonly #calls: DescriptorCalls
  #reserve: number | null = null

  constructor(calls: DescriptorCalls = SYSTEM) {
    this.#calls = calls
  }

  /** False when no descriptor is left, or only one. */
  check(): boolean {
    this.#reserve ??= this.#open()
    const probe = this.#open()
    if (probe !== null) this.#calls.close(probe)
    else this.close()
    return probe !== null && this.#reserve !== null
  }

  close(): void {
    if (this.#reserve !== null) this.#calls.close(this.#reserve)
    this.#reserve = null
  }

  #open(): number | null {
    try {
      return this.#calls.open()
    } catch {
      return null
    }
  }
}
