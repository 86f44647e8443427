import { GatewayError } from '../../errors/gateway-error.ts'
import type { AttemptThrottle } from '../../rules/access/attempt-throttle.ts'
import type { User } from '../../vocabulary/user.ts'
import { networkOf } from '../../wire/trusted-proxies.ts'
import type { ClientContext } from '../ports/identity.ts'
import type { KnownDevice } from './known-device.ts'
import type { IdentityParts } from './parts.ts'

/** What an attempt is counted by. */
export interface Attempter {
  /** As it was typed, whether or not it has a user. */
  readonly email: string
  readonly device: KnownDevice | null
}

export interface Attempt {
  /** The so-manieth in a row, of all that this one is counted with. */
  readonly attempts: number
  succeed(): void
  takeBack(): void
}

/**
 * Counts before anything is looked at, so that neither many at once nor the speed of the answer help to guess.
 *
 * By address and name together, and more loosely by address alone: whoever guesses at a name elsewhere does not keep its
 * owner waiting. A browser that has signed in before is counted by itself, so that not even a guesser behind the same
 * address does.
 */
export function beginAttempt(
  { throttles }: IdentityParts,
  { email, device }: Attempter,
  { address }: ClientContext,
): Attempt {
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
      // Not forgiven as a whole: one known password must not buy guesses at others.
      byAddress.giveBack(place)
    },
    takeBack: () => {
      ofName.takeBack()
      byAddress.giveBack(place)
    },
  }
}

function begin(throttle: Throttle, key: string): Attempt {
  refuseWhileWaiting(throttle, key)
  return {
    attempts: throttle.begin(key),
    succeed: () => throttle.forgive(key),
    takeBack: () => throttle.giveBack(key),
  }
}

/** Apart from attempts to sign in: whoever guesses from outside must not keep somebody inside from what is theirs. */
export function signedInKey({ id }: User): string {
  return `signed in ${id}`
}

/** What attempts are counted by where nothing else is known. */
export function placeOf(address: string | null): string {
  return networkOf(address ?? 'unknown')
}

export function refuseWhileWaiting(throttle: Throttle, key: string): void {
  const waitMs = throttle.waitMs(key)
  if (waitMs === 0) return
  const seconds = Math.ceil(waitMs / 1_000)
  throw new GatewayError('rate_limit_exceeded', `Too many attempts; try again in ${seconds} seconds.`, {
    headers: { 'retry-after': String(seconds) },
  })
}

export interface Throttle {
  /** How long to wait before the next attempt; 0 when it may be made now. */
  waitMs(key: string): number
  /** Counts an attempt and gives their number. */
  begin(key: string): number
  /** Takes back one attempt that was no guess. */
  giveBack(key: string): void
  forgive(key: string): void
}

/** What has happened to the attempts of somebody. */
export type AttemptChange = 'begun' | 'given-back' | 'forgiven'

export interface AttemptNews {
  /** By a fingerprint: addresses are nobody else's business. */
  readonly key: string
  readonly change: AttemptChange
}

export interface SharedThrottleParts {
  readonly throttle: AttemptThrottle
  readonly fingerprint: (key: string) => string
  readonly tell: (news: AttemptNews) => void
}

/**
 * A throttle that tells the other nodes, so that guessing on several of them is no quicker. What is begun on two nodes in
 * the same moment is let through by both; each knows of it a moment later.
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
    return this.#parts.throttle.begin(this.#tell(key, 'begun'))
  }

  giveBack(key: string): void {
    this.#parts.throttle.giveBack(this.#tell(key, 'given-back'))
  }

  forgive(key: string): void {
    this.#parts.throttle.forgive(this.#tell(key, 'forgiven'))
  }

  /** What another node says counts as if it had happened here. */
  hear({ key, change }: AttemptNews): void {
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

  #tell(key: string, change: AttemptChange): string {
    const fingerprint = this.#parts.fingerprint(key)
    this.#parts.tell({ key: fingerprint, change })
    return fingerprint
  }
}
