import { effectiveLimit } from '../../rules/limits/effective-limit.ts'
import type { EligibleRoute } from '../../rules/routing/eligible-routes.ts'
import type { EffectiveLimit } from '../../vocabulary/account.ts'
import type { Format } from '../../vocabulary/supply.ts'
import type { Caller, Target } from './prepared-request.ts'

/** How much of this model the caller may ask for in a minute, and what keeps it from more. */
export function limitOf(caller: Caller, { model, routes }: Target): EffectiveLimit {
  return effectiveLimit({ account: caller.limits, key: caller.key, model, routes })
}

/** Whose credentials may serve: the platform's, the account's own, or both. */
export const MODEL_SOURCES = ['shared', 'byok', 'mixed'] as const

export function sourceOf(routes: readonly EligibleRoute[]): (typeof MODEL_SOURCES)[number] {
  const [first, ...others] = new Set(routes.map((route) => route.supplier.source))
  return others.length > 0 ? 'mixed' : (first ?? 'shared')
}

/** Formats the model's suppliers speak, as far as they serve what it can do; pictures have only one for clients. */
export function protocolsOf({ model, routes }: Target): readonly Format[] {
  const spoken = new Set(routes.flatMap((route) => route.formats))
  const makesPictures = model.kinds.includes('image') || model.kinds.includes('image-edit')
  spoken.delete('images')
  return [...(model.kinds.includes('text') ? spoken : []), ...(makesPictures ? (['images'] as const) : [])]
}
