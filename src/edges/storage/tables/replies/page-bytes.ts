// A page is held in memory as a whole, and a single entry may have tens of megabytes.
const MAX_PAGE_BYTES = 16 * 1_024 * 1_024

/** As many of the entries as make a page: at most `limit`, of limited size together, and at least one. */
export function withinBytes<Entry extends { readonly size_bytes: bigint }>(
  entries: readonly Entry[],
  limit: number,
): readonly Entry[] {
  let bytes = 0
  const end = entries.findIndex(({ size_bytes }, index) => {
    bytes += Number(size_bytes)
    return index > 0 && bytes > MAX_PAGE_BYTES
  })
  return entries.slice(0, end === -1 ? limit : Math.min(end, limit))
}
