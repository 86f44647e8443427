import { ConnectionPool } from './connection-pool.ts'
import type { Rest } from './rest.ts'

// Two turns: at least one whole one has passed, whenever in a turn the rest began.
const REST_TURNS = 2
// Longer for a supplier of which nothing is known yet: if it sends too much, that is seen before anything is reused.
const FIRST_REST_TURNS = 50
const PROVEN_AFTER_RESTS = 64

// A supplier that was caught once gets a connection for each call.
const DISTRUST_MS = 10 * 60_000

/** A host and port, with the connections to it by credential. */
export class Origin {
  readonly hostname: string
  readonly port: number
  readonly isSecure: boolean
  readonly #rest: Rest
  readonly #pools = new Map<string, ConnectionPool>()
  #cleanRests = 0
  #distrustedUntilMs = Number.NEGATIVE_INFINITY

  constructor({ hostname, port, protocol }: URL, rest: Rest) {
    this.isSecure = protocol === 'https:'
    this.hostname = hostname.replace(/^\[|\]$/g, '')
    this.port = Number(port || (this.isSecure ? 443 : 80))
    this.#rest = rest
  }

  poolFor(credentialId: string): ConnectionPool {
    const known = this.#pools.get(credentialId)
    if (known !== undefined) return known
    const pool = new ConnectionPool(this, this.#rest)
    this.#pools.set(credentialId, pool)
    return pool
  }

  get restTurns(): number {
    return this.#cleanRests < PROVEN_AFTER_RESTS ? FIRST_REST_TURNS : REST_TURNS
  }

  noteCleanRests(count: number): void {
    this.#cleanRests += count
  }

  isTrustedAt(nowMs: number): boolean {
    return nowMs >= this.#distrustedUntilMs
  }

  /** It has sent bytes that belong to no request: none of its connections is reused for a while. */
  distrust(nowMs: number): void {
    this.#cleanRests = 0
    this.#distrustedUntilMs = nowMs + DISTRUST_MS
    for (const pool of this.#pools.values()) pool.closeIdleSince(Number.POSITIVE_INFINITY)
  }

  /** Closes the connections that nobody has used since, and forgets credentials without any. */
  closeIdleSince(atMs: number): void {
    for (const [credentialId, pool] of this.#pools) {
      pool.closeIdleSince(atMs)
      if (pool.openCount === 0) this.#pools.delete(credentialId)
    }
  }

  get hasPools(): boolean {
    return this.#pools.size > 0
  }
}
