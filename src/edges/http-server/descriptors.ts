import { closeSync, openSync, readFileSync } from 'node:fs'

// Database, journal, log, listener, timers, and what a request may open besides the connection to its supplier.
const RESERVED = 64
// More would be a matter of memory, and is for an operator to decide.
const MAX_DEFAULT_CONNECTIONS = 50_000
// Where the system does not say: what most systems give a process at least.
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

/** Half of what is not reserved: a request may need a second descriptor, for the connection to its supplier. */
export function defaultConnections(limit: number): number {
  return Math.max(16, Math.min(MAX_DEFAULT_CONNECTIONS, Math.floor((limit - RESERVED) / 2)))
}

export interface DescriptorCalls {
  /** Throws with the code of the system when there is no descriptor left. */
  open(): number
  close(descriptor: number): void
}

const SYSTEM: DescriptorCalls = { open: () => openSync('/dev/null', 'r'), close: closeSync }

/**
 * Notices when the system gives this process no more descriptors. The runtime does not report a failing `accept`: it
 * tries again without pause, at the cost of a whole processor, until one is free. So one descriptor is kept in reserve
 * and given up then: waiting connections can be accepted one after the other, and be refused.
 */
export class DescriptorGuard {
  readonly #calls: DescriptorCalls
  #reserve: number | null = null

  constructor(calls: DescriptorCalls = SYSTEM) {
    this.#calls = calls
  }

  /** False: there is none left, or just one. */
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
