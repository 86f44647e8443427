import { GatewayError } from '../../errors/gateway-error.ts'

export interface BodyBudgetLimits {
  /** Of all bodies together. */
  readonly maxBytes: number
  readonly maxBytesPerAccount: number
}

/** The bodies of one account; there is one as long as it has any. */
interface Share {
  readonly owner: string
  bytes: number
}

// Ordinary requests are this small. They may use a little more, so that a few large bodies do not keep them out.
const SMALL_BODY_BYTES = 64 * 1024
const EXTRA_FOR_SMALL = 1 / 8

/**
 * The memory for request bodies, from the first byte that is read to the end of the answer. The process counts what has
 * come, so that announcing much and sending nothing keeps nobody else out; an account also counts what it has announced,
 * so that a body it has no room for is refused before it is sent.
 */
export class BodyBudget {
  readonly #limits: BodyBudgetLimits
  readonly #shares = new Map<string, Share>()
  #heldBytes = 0

  constructor(limits: BodyBudgetLimits) {
    this.#limits = limits
  }

  /** What is held now. */
  get heldBytes(): number {
    return this.#heldBytes
  }

  /** How many accounts have a body here. */
  get accounts(): number {
    return this.#shares.size
  }

  /** `owner`: the account to charge; null: nobody is known. */
  begin(owner: string | null): HeldBody {
    return new HeldBody(this, owner)
  }

  /** Fails when the process has no room for this many more bytes of a body of `total`. */
  requireRoom(bytes: number, total: number): void {
    const { maxBytes } = this.#limits
    const extra = total <= SMALL_BODY_BYTES ? maxBytes * EXTRA_FOR_SMALL : 0
    if (this.#heldBytes + bytes > maxBytes + extra) throw noRoom()
  }

  hold(bytes: number): void {
    this.#heldBytes += bytes
  }

  /** Adds to what an account has announced; fails when that is too much. */
  reserve(owner: string, bytes: number): Share {
    const known = this.#shares.get(owner)
    const share = known ?? { owner, bytes: 0 }
    const { maxBytesPerAccount } = this.#limits
    if (share.bytes + bytes > maxBytesPerAccount) throw noRoomForAccount(maxBytesPerAccount)
    share.bytes += bytes
    if (known === undefined) this.#shares.set(owner, share)
    return share
  }

  giveBack(bytes: number, share: Share | null, reservedBytes: number): void {
    this.#heldBytes -= bytes
    if (share === null) return
    share.bytes -= reservedBytes
    if (share.bytes === 0) this.#shares.delete(share.owner)
  }
}

/** What one request takes of the budget. */
export class HeldBody {
  readonly #budget: BodyBudget
  readonly #owner: string | null
  #share: Share | null = null
  #bytes = 0
  #reservedBytes = 0
  #isReleased = false

  constructor(budget: BodyBudget, owner: string | null) {
    this.#budget = budget
    this.#owner = owner
  }

  /** Bytes received, also after they were released. */
  get bytes(): number {
    return this.#bytes
  }

  /** A body of this length has been announced. Fails when there is no room for it. */
  expect(length: number): void {
    if (this.#isReleased) return
    this.#budget.requireRoom(length, length)
    this.#reserve(length)
  }

  /** This many bytes have come. Fails when there is no room for them; they are then not counted. */
  add(bytes: number): void {
    const total = this.#bytes + bytes
    if (!this.#isReleased) {
      this.#budget.requireRoom(bytes, Math.max(total, this.#reservedBytes))
      if (total > this.#reservedBytes) this.#reserve(total - this.#reservedBytes)
      this.#budget.hold(bytes)
    }
    this.#bytes = total
  }

  /** Nothing of the body is needed any more. What still comes is not counted; a second call does nothing. */
  release(): void {
    if (this.#isReleased) return
    this.#isReleased = true
    this.#budget.giveBack(this.#bytes, this.#share, this.#reservedBytes)
  }

  #reserve(bytes: number): void {
    if (this.#owner !== null && bytes > 0) this.#share = this.#budget.reserve(this.#owner, bytes)
    this.#reservedBytes += bytes
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
