import { asArray, asObject, asText } from '../../wire/json-values.ts'
import type { StateRules } from '../protocol.ts'
import { withCreated } from './add-created.ts'
import { expandInput, inputItemsOf, kindOfItem, referencedItemIds, resolveReferences } from './input-items.ts'

/** How requests of this format continue from earlier replies. */
export const state: StateRules = {
  previousId: (body) => asText(asObject(body)?.previous_response_id),
  expand: expandInput,
  inputItems: (body) => inputItemsOf(body).map(withKind),
  wantsStore: (body) => asObject(body)?.store !== false,
  replyId: (reply) => asText(asObject(reply)?.id),
  outputItems: (reply) => asArray(asObject(reply)?.output),
  keptReply,
  itemId: (item) => asText(asObject(item)?.id),
  referencedIds: referencedItemIds,
  resolve: resolveReferences,
}

/** Lists of stored items name the type of each, also of those whose client left it out. */
function withKind(item: unknown): unknown {
  const known = asObject(item)
  return known === null ? item : { type: kindOfItem(known), ...known }
}

/** A supplier is never told of earlier responses, and to store nothing; what it says of both is not so here. */
function keptReply(reply: unknown, body: unknown): unknown {
  const response = asObject(reply)
  if (response === null) return reply
  const previousId = asText(asObject(body)?.previous_response_id)
  return { ...withCreated(response), store: true, previous_response_id: previousId }
}
