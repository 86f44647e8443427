import { GatewayError } from '../../errors/gateway-error.ts'

export interface BodyBudgetLimits {
  /** For all bodies together. */
  readonly maxBytes: number
  readonly maxBytesPerAccount: number
}

/** The bytes of one account. Removed when they reach 0. */
interface Share {
  readonly owner: string
  bytes: number
}

// Ordinary requests are this small. They may exceed the budget a little, so that a few large bodies do not block them.
const SMALL_BODY_BYTES = 64 * 1024
const EXTRA_FOR_SMALL = 1 / 8

/**
 * The memory for request bodies, from the first byte read to the end of the answer. The process counts bytes received,
 * so a client that announces much and sends nothing blocks no one else. An account also counts bytes announced, so that
 * a body without room is refused before it is sent.
 */
export class BodyBudget {
  /** Bytes in memory now. Only HeldBody changes this. */
  heldBytes = 0
  readonly #limits: BodyBudgetLimits
  readonly #shares = new Map<string, Share>()

  constructor(limits: BodyBudgetLimits) {
    this.#limits = limits
  }

  /** The number of accounts with a body in memory. */
  get accounts(): number {
    return this.#shares.size
  }

  /** Throws when the process has no room for this many more bytes of a body of `total` bytes. */
  requireRoom(bytes: number, total: number): void {
    const { maxBytes } = this.#limits
    const extra = total <= SMALL_BODY_BYTES ? maxBytes * EXTRA_FOR_SMALL : 0
    if (this.heldBytes + bytes > maxBytes + extra) throw noRoom()
  }

  /** Adds to the announced bytes of an account. Throws when they exceed its limit. */
  reserve(owner: string | null, bytes: number): Share | null {
    if (owner === null) return null
    const known = this.#shares.get(owner)
    const share = known ?? { owner, bytes: 0 }
    const { maxBytesPerAccount } = this.#limits
    if (share.bytes + bytes > maxBytesPerAccount) throw noRoomForAccount(maxBytesPerAccount)
    share.bytes += bytes
    if (known === undefined) this.#shares.set(owner, share)
    return share
  }

  giveBack(share: Share, bytes: number): void {
    share.bytes -= bytes
    if (share.bytes === 0) this.#shares.delete(share.owner)
  }
}

/** The part of the budget that one request uses. */
export class HeldBody {
  /** Bytes received, including those already released. */
  bytes = 0
  readonly #budget: BodyBudget
  readonly #owner: string | null
  #share: Share | null = null
  #reservedBytes = 0
  #isReleased = false

  /** `owner` is the account to charge; null when the caller is unknown. */
  constructor(budget: BodyBudget, owner: string | null) {
    this.#budget = budget
    this.#owner = owner
  }

  /** Reserves room for the announced length. Throws when there is none. */
  expect(length: number): void {
    if (this.#isReleased || length === 0) return
    this.#budget.requireRoom(length, length)
    this.#share = this.#budget.reserve(this.#owner, length)
    this.#reservedBytes += length
  }

  /** Counts received bytes. Throws, and does not count them, when there is no room. */
  add(bytes: number): void {
    const total = this.bytes + bytes
    if (!this.#isReleased) {
      this.#budget.requireRoom(bytes, Math.max(total, this.#reservedBytes))
      if (total > this.#reservedBytes) {
        this.#share = this.#budget.reserve(this.#owner, total - this.#reservedBytes)
        this.#reservedBytes = total
      }
      this.#budget.heldBytes += bytes
    }
    this.bytes = total
  }

  /** Frees the body's memory. Later bytes are not counted, and a second call does nothing. */
  release(): void {
    if (this.#isReleased) return
    this.#isReleased = true
    this.#budget.heldBytes -= this.bytes
    if (this.#share !== null) this.#budget.giveBack(this.#share, this.#reservedBytes)
  }
}

const SOON = { 'retry-after': '1' } as const

function noRoom(): GatewayError {
  return new GatewayError(
    'temporarily_unavailable',
    'The gateway holds as many request bodies as it has memory for. Try again shortly.',
    { headers: SOON },
  )
}

function noRoomForAccount(maxBytes: number): GatewayError {
  return new GatewayError(
    'temporarily_unavailable',
    `The bodies of this account's requests in progress may take up ${maxBytes} bytes together. Wait for some of them to end.`,
    { headers: SOON },
  )
}
