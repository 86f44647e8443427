// Enough to tell conversations apart. More, such as the data of an image, would only cost time.
const MAX_TEXT_CHARACTERS = 2_048
const MAX_ITEMS = 64

/** The start of a conversation as text, which stays the same in every turn; null when it is empty. */
export function openingText(parts: readonly unknown[]): string | null {
  return parts.length === 0 ? null : textOf(parts)
}

/** Not JSON, which takes several times as long to write with only the beginnings of its strings. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value.slice(0, MAX_TEXT_CHARACTERS)
  if (typeof value !== 'object' || value === null) return String(value)
  let text = ''
  if (Array.isArray(value)) {
    const count = Math.min(value.length, MAX_ITEMS)
    for (let place = 0; place < count; place += 1) text += `${textOf(value[place])},`
    return text
  }
  const members = value as Readonly<Record<string, unknown>>
  for (const name in members) text += `${name}:${textOf(members[name])};`
  return text
}

/** The items up to and including the first question. */
export function upToFirst<Item>(
  items: readonly Item[],
  isQuestion: (item: Item) => boolean,
): readonly Item[] {
  return items.slice(0, items.findIndex(isQuestion) + 1)
}
