import { effectiveLimit } from '../../rules/limits/effective-limit.ts'
import type { EligibleRoute } from '../../rules/routing/eligible-routes.ts'
import type { EffectiveLimit } from '../../vocabulary/account.ts'
import type { Format } from '../../vocabulary/supply.ts'
import type { Caller, Target } from './prepared-request.ts'

/** How many requests and tokens per minute the caller may use with this model, and which limit binds. */
export function limitOf(caller: Caller, { model, routes }: Target): EffectiveLimit {
  return effectiveLimit({ account: caller.limits, key: caller.key, model, routes })
}

/** Whose credentials may serve: the platform's, the account's own, or both. */
export const MODEL_SOURCES = ['shared', 'byok', 'mixed'] as const

export function sourceOf(routes: readonly EligibleRoute[]): (typeof MODEL_SOURCES)[number] {
  const [first, ...others] = new Set(routes.map((route) => route.supplier.source))
  return others.length > 0 ? 'mixed' : (first ?? 'shared')
}

/** The formats in which suppliers serve this model. Images have a single format for clients. */
export function protocolsOf({ model, routes }: Target): readonly Format[] {
  const spoken = new Set(routes.flatMap((route) => route.formats))
  const makesImages = model.kinds.includes('image') || model.kinds.includes('image-edit')
  spoken.delete('images')
  return [...(model.kinds.includes('text') ? spoken : []), ...(makesImages ? (['images'] as const) : [])]
}
