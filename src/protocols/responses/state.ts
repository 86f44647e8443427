import { asArray, asObject, asText } from '../../wire/json-values.ts'
import type { StateRules } from '../protocol.ts'
import { expandInput, inputItemsOf, referencedItemIds, resolveReferences } from './input-items.ts'

/** How requests of this format continue from earlier replies. */
export const state: StateRules = {
  previousId: (body) => asText(asObject(body)?.previous_response_id),
  expand: expandInput,
  inputItems: inputItemsOf,
  wantsStore: (body) => asObject(body)?.store !== false,
  replyId: (reply) => asText(asObject(reply)?.id),
  outputItems: (reply) => asArray(asObject(reply)?.output),
  itemId: (item) => asText(asObject(item)?.id),
  referencedIds: referencedItemIds,
  resolve: resolveReferences,
}
