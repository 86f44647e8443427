// Enough to tell conversations apart. More, such as the data of an image, would only cost time.
const MAX_TEXT_CHARACTERS = 2_048
const MAX_ITEMS = 64

/** The start of a conversation as text, which stays the same in every turn; null when it is empty. */
export function openingText(parts: readonly unknown[]): string | null {
  if (parts.length === 0) return null
  return JSON.stringify(parts, (_name, value: unknown) => beginningOf(value))
}

function beginningOf(value: unknown): unknown {
  if (typeof value === 'string') return value.slice(0, MAX_TEXT_CHARACTERS)
  return Array.isArray(value) && value.length > MAX_ITEMS ? value.slice(0, MAX_ITEMS) : value
}

/** The items up to and including the first question. */
export function upToFirst<Item>(
  items: readonly Item[],
  isQuestion: (item: Item) => boolean,
): readonly Item[] {
  return items.slice(0, items.findIndex(isQuestion) + 1)
}
