/** Something that will never be stored, with the reason in words. */
export class StorageRefusal extends Error {}

// The first two characters of an SQLSTATE: data that fits no column, a broken constraint, a value beyond a limit.
const POSTGRES_REFUSALS = ['22', '23', '54']
const SQLITE_REFUSALS = /^SQLITE_(CONSTRAINT|MISMATCH|RANGE|TOOBIG)/

/**
 * Whether what was given is at fault, so that another try must fail as well. Anything else may be over at the next one:
 * a lock that somebody holds for long, a full disk, a server that only reads while another takes its place.
 */
export function isRefusal(error: unknown): boolean {
  if (error instanceof StorageRefusal || error instanceof RangeError || error instanceof TypeError)
    return true
  if (!(error instanceof Error)) return false
  const { code, errno } = error as Error & { readonly code?: unknown; readonly errno?: unknown }
  if (typeof errno === 'string') return POSTGRES_REFUSALS.includes(errno.slice(0, 2))
  return typeof code === 'string' && SQLITE_REFUSALS.test(code)
}
