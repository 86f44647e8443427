import type { ApiKey } from '../../vocabulary/api-key.ts'

interface Matcher {
  readonly ids: ReadonlySet<string>
  /** By length, so that a model id is cut once for each length instead of compared with each prefix. */
  readonly prefixesByLength: ReadonlyMap<number, ReadonlySet<string>>
}

type Allowlist = NonNullable<ApiKey['modelAllowlist']>

// Every request asks, the list of a key never changes, and it may have a thousand entries.
const matchers = new WeakMap<Allowlist, Matcher>()

/** Whether the allowlist of a key (exact ids and `prefix*`) lets this model through. */
export function isAllowed({ modelAllowlist }: ApiKey, modelId: string): boolean {
  if (modelAllowlist === null) return true
  const { ids, prefixesByLength } = matcherOf(modelAllowlist)
  if (ids.has(modelId)) return true
  for (const [length, prefixes] of prefixesByLength) {
    if (prefixes.has(modelId.slice(0, length))) return true
  }
  return false
}

function matcherOf(allowlist: Allowlist): Matcher {
  const known = matchers.get(allowlist)
  if (known !== undefined) return known
  const prefixes = allowlist.filter((entry) => entry.endsWith('*')).map((entry) => entry.slice(0, -1))
  const grouped = Map.groupBy(prefixes, ({ length }) => length)
  const matcher = {
    ids: new Set(allowlist.filter((entry) => !entry.endsWith('*'))),
    prefixesByLength: new Map([...grouped].map(([length, group]) => [length, new Set(group)])),
  }
  matchers.set(allowlist, matcher)
  return matcher
}
