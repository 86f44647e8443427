import { GatewayError } from '../../errors/gateway-error.ts'
import {
  findTopLevelMembers,
  insertionOf,
  insertMember,
  replaceMembers,
  type Span,
} from '../../wire/json-members.ts'
import { asArray, asObject, asText, type JsonObject } from '../../wire/json-values.ts'
import type { EarlierTurn, StateRules } from '../protocol.ts'
import {
  expandInput,
  inputItemsOf,
  joinTurns,
  kindOfItem,
  referencedItemIds,
  resolveReferences,
} from './request/input-items.ts'

/** How requests of this format continue from earlier replies. */
export const state: StateRules = {
  previousId: (body) => asText(asObject(body)?.previous_response_id),
  expand: (body, turns) => expandInput(body, joinTurns(turns.map(itemsOfTurn))),
  inputItems: (body) => inputItemsOf(body).map(withKind),
  wholeInput: (turns) => [
    ...joinTurns(turns.slice(0, -1).map(itemsOfTurn)).map(withKind),
    ...(turns.at(-1)?.inputItems ?? []),
  ],
  wantsStore: (body) => asObject(body)?.store !== false,
  replyId: (reply) => asText(asObject(reply)?.id),
  outputItems,
  keptReply,
  itemId: (item) => asText(asObject(item)?.id),
  referencedIds: referencedItemIds,
  resolve: resolveReferences,
}

function outputItems(reply: unknown): readonly unknown[] {
  return asArray(asObject(reply)?.output)
}

function itemsOfTurn({ inputItems, reply }: EarlierTurn): readonly unknown[] {
  return [...inputItems, ...outputItems(reply)]
}

/** Listed items always have a type, even if the client omitted it. */
function withKind(item: unknown): unknown {
  const known = asObject(item)
  return known === null ? item : { type: kindOfItem(known), ...known }
}

/** Suppliers get `store: false` and no previous id, so both members of their replies are corrected here. */
function keptReply(reply: unknown, body: unknown): unknown {
  const response = asObject(reply)
  if (response === null) return reply
  const previousId = asText(asObject(body)?.previous_response_id)
  return { ...completeResponse(response), store: true, previous_response_id: previousId }
}

/**
 * Adds `created` beside the supplier's `created_at` (spec 2.5), and the `previous_response_id` that the supplier does
 * not know.
 */
export function patchResponse(text: string, response: unknown, previousId: string | null = null): string {
  const known = asObject(response)
  return known === null ? text : patchKnown(text, known, previousId)
}

/** The same for the response inside an event. */
export function patchEventData(text: string, event: JsonObject, previousId: string | null): string {
  const response = asObject(event.response)
  if (response === null || (missingCreated(response) === null && !lacks(response, previousId))) return text
  const span = findMember(text, 'response')
  if (span === undefined) return text
  const json = patchKnown(text.slice(span.start, span.end), response, previousId)
  return replaceMembers(text, [{ span, json }])
}

/** The same for a parsed response. */
export function completeResponse(response: JsonObject, previousId: string | null = null): JsonObject {
  const created = missingCreated(response)
  return {
    ...response,
    ...(created !== null && { created }),
    ...(lacks(response, previousId) && { previous_response_id: previousId }),
  }
}

function patchKnown(text: string, response: JsonObject, previousId: string | null): string {
  const created = missingCreated(response)
  const dated = created === null ? text : insertMember(text, 'created', String(created))
  return lacks(response, previousId) ? setPreviousId(dated, JSON.stringify(previousId)) : dated
}

function setPreviousId(text: string, json: string): string {
  const members = findMembers(text)
  if (members === null) return text
  const span = members.get('previous_response_id')
  const change = span === undefined ? insertionOf(text, 'previous_response_id', json) : { span, json }
  return replaceMembers(text, [change])
}

function lacks(response: JsonObject, previousId: string | null): boolean {
  return previousId !== null && response.previous_response_id !== previousId
}

/** The `created` time to add, or null when it is present or unknown. */
function missingCreated(response: JsonObject): number | null {
  if (response.created !== undefined) return null
  const { created_at } = response
  // A number that is too large parses as Infinity, which JSON cannot express.
  return typeof created_at === 'number' && Number.isFinite(created_at) ? Math.floor(created_at) : null
}

function findMember(text: string, name: string): Span | undefined {
  return findMembers(text)?.get(name)
}

/** Returns null when a member name occurs twice, because it is unclear which one counts. */
function findMembers(text: string): ReadonlyMap<string, Span> | null {
  try {
    return findTopLevelMembers(text)
  } catch (error) {
    if (error instanceof GatewayError) return null
    throw error
  }
}
