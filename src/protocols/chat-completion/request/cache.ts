import type { CacheHint } from '../../../conversation/part.ts'
import { asObject, type JsonObject } from '../../../wire/json-values.ts'

const TTLS: ReadonlyMap<unknown, CacheHint['ttl']> = new Map([
  ['5m', '5m'],
  ['1h', '1h'],
  ['30m', '5m'],
  ['12h', '1h'],
])

/** The mark on a part, message or tool, in the official spelling or the one that users of another format brought along. */
export function decodeCache(marked: object): CacheHint | null {
  const { prompt_cache_breakpoint, cache_control } = marked as JsonObject
  const mark = asObject(prompt_cache_breakpoint) ?? asObject(cache_control)
  return mark === null ? null : { ttl: TTLS.get(mark.ttl) ?? null }
}

/** The member that marks a part, to be spread into it; nothing when there is no hint. */
export function encodeCache(hint: CacheHint | null): JsonObject {
  if (hint === null) return {}
  // Only the shorter time is taken everywhere; a supplier would refuse one it does not know.
  return { prompt_cache_breakpoint: { mode: 'explicit', ...(hint.ttl !== null && { ttl: '30m' }) } }
}
