// Enough to tell conversations apart. What follows in a long text, such as a picture's data, would only cost time.
const LONGEST_TEXT = 2_048
const LONGEST_LIST = 64

/** How a conversation opens, as text that is the same in each of its turns; null when it has no opening. */
export function openingText(parts: readonly unknown[]): string | null {
  if (parts.length === 0) return null
  return JSON.stringify(parts, (_name, value: unknown) => beginningOf(value))
}

function beginningOf(value: unknown): unknown {
  if (typeof value === 'string') return value.slice(0, LONGEST_TEXT)
  return Array.isArray(value) && value.length > LONGEST_LIST ? value.slice(0, LONGEST_LIST) : value
}

/** The list up to and with the first entry that is somebody's question. */
export function upToFirst<Item>(
  items: readonly Item[],
  isQuestion: (item: Item) => boolean,
): readonly Item[] {
  return items.slice(0, items.findIndex(isQuestion) + 1)
}
