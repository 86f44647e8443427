import { asArray, asObject, asText, type JsonObject } from '../../../wire/json-values.ts'

/** The input items of a request. A plain text becomes one user message. */
export function inputItemsOf(body: unknown): readonly unknown[] {
  const input = asObject(body)?.input
  if (typeof input === 'string')
    return input === '' ? [] : [{ type: 'message', role: 'user', content: input }]
  return asArray(input)
}

/** The type of an item. Official clients may omit it for messages and references. */
export function kindOfItem(item: JsonObject): string {
  if (typeof item.type === 'string') return item.type
  return item.role === undefined && asText(item.id) !== null ? 'item_reference' : 'message'
}

/**
 * Puts earlier items before the input of a body. `previous_response_id` stays, because the reply repeats it. It is
 * removed before the request goes to a supplier.
 */
export function expandInput(body: unknown, earlierItems: readonly unknown[]): unknown {
  const request = asObject(body)
  if (request === null) return body
  const { input } = request
  // Validation reports any other type.
  if (input !== undefined && input !== null && typeof input !== 'string' && !Array.isArray(input)) return body
  return { ...request, input: [...replayable(earlierItems), ...inputItemsOf(request)] }
}

/**
 * Joins the items of several turns, oldest first. If a turn has reasoning without content, `replayable` applies to
 * everything up to the end of that turn. Later turns keep their ids.
 */
export function joinTurns(turns: readonly (readonly unknown[])[]): readonly unknown[] {
  const end = turns.findLastIndex((items) => items.some(isLost)) + 1
  return [...replayable(turns.slice(0, end).flat()), ...turns.slice(end).flat()]
}

/**
 * Suppliers that store nothing cannot look up reasoning by id, and refuse items whose reasoning is missing. So this
 * removes reasoning without content, and the ids that link other items to it.
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

/** The ids of stored items that the input refers to. */
export function referencedItemIds(body: unknown): readonly string[] {
  return inputItemsOf(body).flatMap((item) => referencedId(item) ?? [])
}

/** Replaces each reference by its stored item. Unknown references stay. */
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
