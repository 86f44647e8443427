import type { RateLimits } from '../../vocabulary/account.ts'

/** Whose limit it is. */
export type Constraint = 'account' | 'key' | 'model' | 'routes'

export interface LimitSource extends RateLimits {
  readonly constraint: Constraint
}

export interface BindingLimit {
  readonly value: number
  /** The source that is strictest, named first when several agree. */
  readonly constraint: Constraint
}

export interface EffectiveLimit {
  readonly rpm: BindingLimit | null
  readonly tpm: BindingLimit | null
}

/** The strictest of all limits (spec 8.1), and which one it is. The only place where limits are compared. */
export function effectiveLimit(sources: readonly LimitSource[]): EffectiveLimit {
  return { rpm: strictest(sources, 'rpm'), tpm: strictest(sources, 'tpm') }
}

function strictest(sources: readonly LimitSource[], metric: keyof RateLimits): BindingLimit | null {
  let binding: BindingLimit | null = null
  for (const source of sources) {
    const value = source[metric]
    if (value !== null && (binding === null || value < binding.value)) {
      binding = { value, constraint: source.constraint }
    }
  }
  return binding
}

/** What one route can carry: its own limit, and what its credentials carry together. */
export function routeCapacity(route: RateLimits, credentials: readonly RateLimits[]): RateLimits {
  return { rpm: capacity(route, credentials, 'rpm'), tpm: capacity(route, credentials, 'tpm') }
}

/** Several routes carry the sum; one without a limit makes the whole unlimited. */
export function combinedCapacity(routes: readonly RateLimits[]): RateLimits {
  return { rpm: sum(routes, 'rpm'), tpm: sum(routes, 'tpm') }
}

function capacity(
  route: RateLimits,
  credentials: readonly RateLimits[],
  metric: keyof RateLimits,
): number | null {
  const own = route[metric]
  const together = sum(credentials, metric)
  if (own === null) return together
  return together === null ? own : Math.min(own, together)
}

function sum(parts: readonly RateLimits[], metric: keyof RateLimits): number | null {
  let total = 0
  for (const part of parts) {
    const value = part[metric]
    if (value === null) return null
    total += value
  }
  return total
}
