import type { BookOperations, ExportOptions, Placed } from '../ports/books.ts'
import type { Page } from '../ports/storage.ts'
import type { OperationParts } from './parts.ts'

type ExportOperations = Pick<BookOperations, 'exportSettlements' | 'exportLedger'>

// Large enough that asking costs little, small enough that a page is no burden on memory or on other requests.
const PAGE_SIZE = 100

export function exportOperations({ storage, catchUp }: OperationParts): ExportOperations {
  return {
    exportSettlements: async function* (filter, options) {
      await catchUp()
      yield* readPages(options, (page) => storage.readSettlements(filter, page))
    },
    exportLedger: async function* (filter, options) {
      await catchUp()
      yield* readPages(options, (page) => storage.readLedger(filter, page))
    },
  }
}

/** Each page begins where the one before ended, so nothing is kept open while a slow client reads. */
async function* readPages<T>(
  { cursor, limit }: ExportOptions,
  read: (page: Page) => Promise<readonly Placed<T>[]>,
): AsyncGenerator<readonly Placed<T>[]> {
  let left = limit ?? Number.POSITIVE_INFINITY
  let after = cursor
  while (left > 0) {
    const size = Math.min(PAGE_SIZE, left)
    const page = await read({ cursor: after, limit: size })
    if (page.length > 0) yield page
    if (page.length < size) return
    left -= page.length
    after = page.at(-1)?.cursor ?? null
  }
}
