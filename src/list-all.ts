import type { Listing, Page } from './gateway/ports/storage.ts'

export const FIRST_PAGE = { limit: 1_000, cursor: null } as const

/** Everything a paged list holds. */
export function listAll<T>(list: (page: Page) => Listing<T>): readonly T[] {
  const found: T[] = []
  let cursor: string | null = null
  do {
    const listing: Listing<T> = list({ ...FIRST_PAGE, cursor })
    found.push(...listing.data)
    cursor = listing.nextCursor
  } while (cursor !== null)
  return found
}
