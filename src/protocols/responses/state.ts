import { asArray, asObject, asText } from '../../wire/json-values.ts'
import type { EarlierTurn, StateRules } from '../protocol.ts'
import { completeResponse } from './patch-response.ts'
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
  return { ...completeResponse(response), store: true, previous_response_id: previousId }
}
