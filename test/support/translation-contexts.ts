import type { ReplyContext, SupplyContext } from '../../src/protocols/translation.ts'
import { DEFAULT_TRAITS, type Traits } from '../../src/vocabulary/runtime/traits.ts'

/** Where a translated request goes, for tests: the route is the one generated proofs come from. */
export function supplyContext(traits: Partial<Traits> = {}, base: Traits = DEFAULT_TRAITS): SupplyContext {
  return {
    upstreamModel: 'upstream-1',
    route: 'sup_1',
    traits: { ...base, ...traits },
    outputTokenLimit: 8192,
  }
}

/** Each context counts its ids from one, so that two of them give the same. */
export function replyContext(): ReplyContext {
  let count = 0
  return {
    requestId: 'req_1',
    model: 'public-1',
    createdAtMs: 1_763_200_000_999,
    nowMs: () => 1_763_200_000_999,
    promptTokens: 12,
    newId: (prefix) => `${prefix}${String(++count).padStart(24, '0')}`,
  }
}
