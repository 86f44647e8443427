import { GatewayError } from '../../errors/gateway-error.ts'
import type { AttemptThrottle } from '../../rules/access/attempt-throttle.ts'
import type { User } from '../../vocabulary/user.ts'
import { networkOf } from '../../wire/trusted-proxies.ts'
import type { ClientContext } from '../ports/identity.ts'
import type { KnownDevice } from './known-device.ts'

export interface Throttles {
  /** By e-mail and network, or by known browser. The property name is part of the messages between nodes. */
  readonly byEmail: Throttle
  readonly byAddress: Throttle
  /** Second-factor codes, by user: a guesser already knows the password. */
  readonly codes: Throttle
}

/** The keys that an attempt counts under. */
export interface Attempter {
  /** The typed address, whether or not a user has it. */
  readonly email: string
  readonly device: KnownDevice | null
}

export interface SignInAttempt {
  /** The number of consecutive attempts under the same key, this one included. */
  readonly attempts: number
  succeed(): void
  takeBack(): void
}

/**
 * Counts the attempt before anything is checked, so that parallel requests and response times do not help guessing.
 *
 * Attempts count per address and e-mail, and with a higher limit per address: guesses from elsewhere do not block the
 * owner. A browser that has signed in before counts separately, so that guesses from the same address do not block it.
 */
export function beginAttempt(
  { throttles }: { readonly throttles: Throttles },
  { email, device }: Attempter,
  { address }: ClientContext,
): SignInAttempt {
  const { byEmail, byAddress } = throttles
  if (device !== null) return begin(byEmail, `device ${device.id}`)
  const place = placeOf(address)
  refuseWhileWaiting(byAddress, place)
  const ofName = begin(byEmail, `${place} ${email}`)
  const attempts = byAddress.begin(place)
  return {
    attempts: Math.max(ofName.attempts, attempts),
    succeed: () => {
      ofName.succeed()
      // Only this attempt is taken back: one known password must not allow more guesses at others.
      byAddress.giveBack(place)
    },
    takeBack: () => {
      ofName.takeBack()
      byAddress.giveBack(place)
    },
  }
}

function begin(throttle: Throttle, key: string): SignInAttempt {
  refuseWhileWaiting(throttle, key)
  return {
    attempts: throttle.begin(key),
    succeed: () => throttle.forgive(key),
    takeBack: () => throttle.giveBack(key),
  }
}

/** Separate from sign-in attempts: guesses from outside must not block a signed-in user. */
export function signedInKey({ id }: User): string {
  return `signed in ${id}`
}

/** The network of an address: the key for attempts without a known browser. */
export function placeOf(address: string | null): string {
  return networkOf(address ?? 'unknown')
}

export function refuseWhileWaiting(throttle: Throttle, key: string): void {
  const waitMs = throttle.waitMs(key)
  if (waitMs === 0) return
  const seconds = Math.ceil(waitMs / 1_000)
  throw new GatewayError('rate_limit_exceeded', `Too many attempts. Try again in ${seconds} seconds.`, {
    headers: { 'retry-after': String(seconds) },
  })
}

export interface Throttle {
  /** Milliseconds to wait before the next attempt; 0 when it is allowed now. */
  waitMs(key: string): number
  /** Counts an attempt and returns the total. */
  begin(key: string): number
  /** Takes back an attempt that was not a guess. */
  giveBack(key: string): void
  forgive(key: string): void
}

export type AttemptChange = 'begun' | 'given-back' | 'forgiven'

/** A change of an attempt counter, for the other nodes. */
export interface AttemptNotice {
  /** A fingerprint, so that addresses are not shared. */
  readonly key: string
  readonly change: AttemptChange
}

export interface SharedThrottleParts {
  readonly throttle: AttemptThrottle
  readonly fingerprint: (key: string) => string
  readonly publish: (notice: AttemptNotice) => void
}

/**
 * A throttle that informs the other nodes, so that guessing on several nodes is not faster. Two nodes may both allow
 * attempts that begin at the same moment; each learns of the other's a moment later.
 */
export class SharedThrottle implements Throttle {
  readonly #parts: SharedThrottleParts

  constructor(parts: SharedThrottleParts) {
    this.#parts = parts
  }

  waitMs(key: string): number {
    return this.#parts.throttle.waitMs(this.#parts.fingerprint(key))
  }

  begin(key: string): number {
    return this.#parts.throttle.begin(this.#publish(key, 'begun'))
  }

  giveBack(key: string): void {
    this.#parts.throttle.giveBack(this.#publish(key, 'given-back'))
  }

  forgive(key: string): void {
    this.#parts.throttle.forgive(this.#publish(key, 'forgiven'))
  }

  /** Applies a change from another node. */
  apply({ key, change }: AttemptNotice): void {
    const { throttle } = this.#parts
    switch (change) {
      case 'begun':
        throttle.begin(key)
        return
      case 'given-back':
        throttle.giveBack(key)
        return
      case 'forgiven':
        throttle.forgive(key)
    }
  }

  #publish(key: string, change: AttemptChange): string {
    const fingerprint = this.#parts.fingerprint(key)
    this.#parts.publish({ key: fingerprint, change })
    return fingerprint
  }
}
