/** The key that opens a page, after `g`. */
export const PAGE_KEYS: Readonly<Record<string, string>> = {
  o: '/overview',
  k: '/keys',
  m: '/models',
  p: '/playground',
  r: '/requests',
  b: '/billing',
  c: '/connect',
  s: '/settings',
  d: '/operator',
  a: '/operator/accounts',
  u: '/operator/users',
}

export type Pressed =
  | { readonly type: 'help' }
  | { readonly type: 'search' }
  | { readonly type: 'prefix' }
  | { readonly type: 'page'; readonly to: string }

/** What a key means, given whether `g` was pressed just before. Null for nothing. */
export function meaningOf(key: string, isAfterPrefix: boolean): Pressed | null {
  if (isAfterPrefix) {
    const to = PAGE_KEYS[key]
    return to === undefined ? null : { type: 'page', to }
  }
  if (key === '?') return { type: 'help' }
  if (key === '/') return { type: 'search' }
  return key === 'g' ? { type: 'prefix' } : null
}
