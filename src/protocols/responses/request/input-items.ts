import { asArray, asObject, asText, type JsonObject } from '../../../wire/json-values.ts'

/** The items of a request's input; a plain text is one message of the user. */
export function inputItemsOf(body: unknown): readonly unknown[] {
  const input = asObject(body)?.input
  if (typeof input === 'string')
    return input === '' ? [] : [{ type: 'message', role: 'user', content: input }]
  return asArray(input)
}

/** What an item is. Official clients leave out the type of messages and of references. */
export function kindOfItem(item: JsonObject): string {
  if (typeof item.type === 'string') return item.type
  return item.role === undefined && asText(item.id) !== null ? 'item_reference' : 'message'
}

/**
 * The body with the items of an earlier exchange before its own input. `previous_response_id` stays, to be echoed
 * in the answer; it is not sent to suppliers, who know nothing of that exchange.
 */
export function expandInput(body: unknown, earlierItems: readonly unknown[]): unknown {
  const request = asObject(body)
  if (request === null) return body
  const { input } = request
  // Anything else is for validation to complain about.
  if (input !== undefined && input !== null && typeof input !== 'string' && !Array.isArray(input)) return body
  return { ...request, input: [...replayable(earlierItems), ...inputItemsOf(request)] }
}

/**
 * The items of several turns, oldest first. A turn that lost a thought makes everything up to its end replayable; the
 * turns after it keep their ids.
 */
export function joinTurns(turns: readonly (readonly unknown[])[]): readonly unknown[] {
  const end = turns.findLastIndex((items) => items.some(isLost)) + 1
  return [...replayable(turns.slice(0, end).flat()), ...turns.slice(end).flat()]
}

/**
 * Suppliers that store nothing cannot look up a thought by its id, and refuse an item that names one they do not
 * see. So thoughts without their content are left out, and then no item keeps the id that ties it to one.
 */
function replayable(items: readonly unknown[]): readonly unknown[] {
  if (!items.some(isLost)) return items
  return items.filter((item) => !isLost(item)).map(withoutId)
}

function isLost(item: unknown): boolean {
  const known = asObject(item)
  return known?.type === 'reasoning' && asText(known.encrypted_content) === null
}

function withoutId(item: unknown): unknown {
  const known = asObject(item)
  if (known === null || known.type === 'reasoning') return item
  const { id: _id, ...rest } = known
  return rest
}

/** The ids of stored items that the input only refers to. */
export function referencedItemIds(body: unknown): readonly string[] {
  return inputItemsOf(body).flatMap((item) => referencedId(item) ?? [])
}

/** The body with each reference replaced by the item it names, as far as the items are known. */
export function resolveReferences(body: unknown, stored: ReadonlyMap<string, unknown>): unknown {
  const request = asObject(body)
  if (request === null || !Array.isArray(request.input) || stored.size === 0) return body
  const hasLost = [...stored.values()].some(isLost)
  const input = request.input.flatMap((item) => {
    const id = referencedId(item)
    const found = id === null ? item : (stored.get(id) ?? item)
    if (found !== item && isLost(found)) return []
    return [hasLost && referencedId(found) === null ? withoutId(found) : found]
  })
  return { ...request, input }
}

function referencedId(item: unknown): string | null {
  const known = asObject(item)
  return known !== null && kindOfItem(known) === 'item_reference' ? asText(known.id) : null
}
