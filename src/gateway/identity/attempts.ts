import { GatewayError } from '../../errors/gateway-error.ts'
import type { Whereabouts } from '../ports/identity.ts'
import type { IdentityParts } from './parts.ts'
import type { Throttle } from './told-throttle.ts'

export interface Attempt {
  /** The so-manieth in a row, of the address or of where it comes from. */
  readonly attempts: number
  succeed(): void
  takeBack(): void
}

/** Counts before anything is looked at, so that neither many at once nor the speed of the answer help to guess. */
export function beginAttempt({ throttles }: IdentityParts, email: string, { address }: Whereabouts): Attempt {
  const { byEmail, byAddress } = throttles
  const place = address ?? 'unknown'
  refuseWhileWaiting(byEmail, email)
  refuseWhileWaiting(byAddress, place)
  const ofEmail = byEmail.begin(email)
  const ofPlace = byAddress.begin(place)
  return {
    attempts: Math.max(ofEmail, ofPlace),
    succeed: () => {
      byEmail.forgive(email)
      // Not forgiven as a whole: one known password must not buy guesses at others.
      byAddress.giveBack(place)
    },
    takeBack: () => {
      byEmail.giveBack(email)
      byAddress.giveBack(place)
    },
  }
}

export function refuseWhileWaiting(throttle: Throttle, key: string): void {
  const waitMs = throttle.waitMs(key)
  if (waitMs === 0) return
  const seconds = Math.ceil(waitMs / 1_000)
  throw new GatewayError('rate_limit_exceeded', `Too many attempts; try again in ${seconds} seconds.`, {
    headers: { 'retry-after': String(seconds) },
  })
}
