import { GatewayError } from '../../errors/gateway-error.ts'
import {
  findTopLevelMembers,
  insertMember,
  type Replacement,
  replaceMembers,
  type Span,
} from '../../wire/json-members.ts'
import { asArray, asObject, asText, type JsonObject } from '../../wire/json-values.ts'
import type { ShownState } from '../protocol.ts'
import type { EarlierTurn, StateRules } from '../state-rules.ts'
import { background } from './background.ts'
import { isCompactionItem } from './compaction/compaction-items.ts'
import {
  conversationIdOf,
  conversations,
  encodeConversationId,
  itemPrefix,
  listedItem,
} from './conversations.ts'
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
  expand: (body, turns) => expandInput(body, sinceCompaction(joinTurns(turns.map(itemsOfTurn)), turns)),
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
  background,
  conversationId: (body) => conversationIdOf(asObject(body)?.conversation),
  listedItem,
  itemPrefix,
  conversations,
}

function outputItems(reply: unknown): readonly unknown[] {
  return asArray(asObject(reply)?.output)
}

function itemsOfTurn({ inputItems, reply }: EarlierTurn): readonly unknown[] {
  return [...inputItems, ...outputItems(reply)]
}

/** A reply with a compaction item has replaced everything before that item. */
function sinceCompaction(items: readonly unknown[], turns: readonly EarlierTurn[]): readonly unknown[] {
  const made = turns.flatMap(({ reply }) => outputItems(reply).filter(isCompactionItem)).at(-1)
  if (made === undefined) return items
  const content = asObject(made)?.encrypted_content
  const place = items.findLastIndex(
    (item) => isCompactionItem(item) && asObject(item)?.encrypted_content === content,
  )
  return items.slice(Math.max(0, place))
}

/** Listed items always have a type, even if the client omitted it. */
function withKind(item: unknown): unknown {
  const known = asObject(item)
  return known === null ? item : { type: kindOfItem(known), ...known }
}

function keptReply(reply: unknown, body: unknown): unknown {
  const response = asObject(reply)
  return response === null ? reply : completeResponse(response, shownStateOf(asObject(body) ?? {}))
}

/** What the response to a request says about its state. Suppliers get `store: false` and no previous id. */
export function shownStateOf(body: JsonObject): ShownState {
  const { previous_response_id, store, background, conversation } = body
  return {
    previousId: asText(previous_response_id),
    isStored: store !== false,
    isBackground: background === true,
    conversationId: conversationIdOf(conversation),
  }
}

/** Adds `created` beside the supplier's `created_at` (spec 2.5), and corrects what a supplier says about the state. */
export function patchResponse(text: string, response: unknown, shown?: ShownState): string {
  const known = asObject(response)
  return known === null ? text : patchKnown(text, known, shown)
}

/** The same for the response inside an event. */
export function patchEventData(text: string, event: JsonObject, shown?: ShownState): string {
  const response = asObject(event.response)
  if (response === null) return text
  if (missingCreated(response) === null && findCorrections(response, shown) === null) return text
  const span = findMember(text, 'response')
  if (span === undefined) return text
  const json = patchKnown(text.slice(span.start, span.end), response, shown)
  return replaceMembers(text, [{ span, json }])
}

/** The same for a parsed response. */
export function completeResponse(response: JsonObject, shown?: ShownState): JsonObject {
  const created = missingCreated(response)
  return {
    ...response,
    ...(created !== null && { created }),
    ...findCorrections(response, shown),
  }
}

function patchKnown(text: string, response: JsonObject, shown: ShownState | undefined): string {
  const created = missingCreated(response)
  const dated = created === null ? text : insertMember(text, 'created', String(created))
  const corrections = findCorrections(response, shown)
  return corrections === null ? dated : setMembers(dated, corrections)
}

function setMembers(text: string, values: JsonObject): string {
  const members = findMembers(text)
  if (members === null) return text
  const present: Replacement[] = []
  for (const [name, value] of Object.entries(values)) {
    const span = members.get(name)
    if (span !== undefined) present.push({ span, json: JSON.stringify(value) })
  }
  let result = replaceMembers(text, present)
  for (const [name, value] of Object.entries(values)) {
    if (!members.has(name)) result = insertMember(result, name, JSON.stringify(value))
  }
  return result
}

/** The members that contradict our state, with their right values; null when there are none. */
function findCorrections(response: JsonObject, shown: ShownState | undefined): JsonObject | null {
  if (shown === undefined) return null
  const { previousId, isStored, isBackground, conversationId } = shown
  const isOtherPrevious = (response.previous_response_id ?? null) !== previousId
  const isOtherBackground = (response.background ?? false) !== isBackground
  const isOtherConversation = conversationIdOf(response.conversation) !== conversationId
  const isRight = response.store === isStored && !isOtherPrevious && !isOtherBackground
  if (isRight && !isOtherConversation) return null
  return {
    ...(response.store !== isStored && { store: isStored }),
    ...(isOtherPrevious && { previous_response_id: previousId }),
    ...(isOtherBackground && { background: isBackground }),
    ...(isOtherConversation && { conversation: encodeConversationId(conversationId) }),
  }
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
