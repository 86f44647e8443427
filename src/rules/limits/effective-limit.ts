import type { BindingLimit, Constraint, EffectiveLimit, RateLimits } from '../../vocabulary/account.ts'

/** A usable route and its usable credentials. */
export interface RouteLimits {
  readonly route: RateLimits
  readonly credentials: readonly RateLimits[]
}

/** All limits that apply to one key on one model. */
export interface LimitFacts {
  readonly account: RateLimits
  readonly key: RateLimits
  readonly model: RateLimits
  readonly routes: readonly RouteLimits[]
}

/** The strictest of all limits (spec 8.1), and which one it is. The only place where limits are compared. */
export function effectiveLimit(facts: LimitFacts): EffectiveLimit {
  return { rpm: strictest(facts, 'rpm'), tpm: strictest(facts, 'tpm') }
}

type Metric = keyof RateLimits

function strictest({ account, key, model, routes }: LimitFacts, metric: Metric): BindingLimit | null {
  let binding: BindingLimit | null = null
  const narrow = (constraint: Constraint, value: number) => {
    if (value < (binding?.value ?? UNLIMITED)) binding = { value, constraint }
  }
  narrow('account', account[metric] ?? UNLIMITED)
  narrow('key', key[metric] ?? UNLIMITED)
  narrow('model', model[metric] ?? UNLIMITED)
  narrow(narrowerSide(routes, metric), supplyCapacity(routes, metric))
  return binding
}

const UNLIMITED = Number.POSITIVE_INFINITY

/** Several routes carry the sum of what each carries: its own limit, or that of its credentials together. */
function supplyCapacity(routes: readonly RouteLimits[], metric: Metric): number {
  return sum(routes, ({ route, credentials }) =>
    Math.min(route[metric] ?? UNLIMITED, credentialCapacity(credentials, metric)),
  )
}

/** Routes and credentials narrow each other route by route; the side that allows less in all is the one to widen. */
function narrowerSide(routes: readonly RouteLimits[], metric: Metric): Constraint {
  const ofRoutes = sum(routes, ({ route }) => route[metric] ?? UNLIMITED)
  const ofCredentials = sum(routes, ({ credentials }) => credentialCapacity(credentials, metric))
  return ofCredentials < ofRoutes ? 'credentials' : 'routes'
}

function credentialCapacity(credentials: readonly RateLimits[], metric: Metric): number {
  return sum(credentials, (credential) => credential[metric] ?? UNLIMITED)
}

function sum<T>(parts: readonly T[], measure: (part: T) => number): number {
  return parts.reduce((total, part) => total + measure(part), 0)
}
