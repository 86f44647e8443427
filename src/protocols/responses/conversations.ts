import Type from 'typebox'
import { compileCheck } from '../../validation/validation.ts'
import { asArray, asObject, asText, type JsonObject } from '../../wire/json-values.ts'
import { optionalOrNull } from '../parameter-table.ts'
import { readMetadata, StoredMetadata } from '../request-limits.ts'
import type { ConversationRules } from '../state-rules.ts'
import { kindOfItem } from './request/input-items.ts'
import { ENCRYPTED_REASONING } from './request/parameters.ts'
import { checkItems } from './request/validate.ts'

/** As many as the vendor takes at a time. */
const MAX_ADDED_ITEMS = 20

const Items = Type.Array(Type.Object({}), {
  maxItems: MAX_ADDED_ITEMS,
  description: 'As in `ResponseInputItem`.',
})

export const NewConversationSchema = Type.Object({
  items: optionalOrNull(Items),
  metadata: optionalOrNull(StoredMetadata),
})
export const AddedItemsSchema = Type.Object({ items: Items })
export const MetadataChangeSchema = Type.Object({
  metadata: Type.Union([StoredMetadata, Type.Null()]),
})

const checkNew = compileCheck(NewConversationSchema)
const checkAddition = compileCheck(AddedItemsSchema)
const checkChange = compileCheck(MetadataChangeSchema)

export const conversations: ConversationRules = {
  readNew: (body) => {
    const { items, metadata } = checkNew(body)
    return { input: { input: items ?? [] }, metadata: readMetadata(metadata) }
  },
  readAddition: (body) => ({ input: { input: checkAddition(body).items } }),
  readChange: (body) => ({ metadata: readMetadata(checkChange(body).metadata) }),
  itemsOf: (input) => {
    const items = asArray(asObject(input)?.input)
    checkItems(items, 'items')
    return items.map((item) => ({ type: kindOfItem(asObject(item) ?? {}), ...asObject(item) }))
  },
  encode: ({ id, createdAtMs, metadata }) => ({
    id,
    object: 'conversation',
    created_at: Math.floor(createdAtMs / 1_000),
    metadata,
  }),
  encodeDeleted: (id) => ({ id, object: 'conversation.deleted', deleted: true }),
}

/** The id in the `conversation` of a request or a response; null when there is none. */
export function conversationIdOf(conversation: unknown): string | null {
  return asText(conversation) ?? asText(asObject(conversation)?.id)
}

export function encodeConversationId(id: string | null): JsonObject | null {
  return id === null ? null : { id }
}

const PREFIXES: Readonly<Record<string, string>> = {
  message: 'msg_',
  reasoning: 'rs_',
  function_call: 'fc_',
  function_call_output: 'fco_',
  custom_tool_call: 'ctc_',
  custom_tool_call_output: 'ctco_',
  compaction: 'cmp_',
}

export function itemPrefix(item: unknown): string {
  return PREFIXES[kindOfItem(asObject(item) ?? {})] ?? 'item_'
}

const HAS_STATUS: ReadonlySet<string> = new Set([
  'message',
  'function_call',
  'function_call_output',
  'custom_tool_call',
  'custom_tool_call_output',
])

/** Clients may send items in a short form. Lists have the long one. */
export function listedItem(item: unknown, id: string, include: ReadonlySet<string>): JsonObject {
  const known = asObject(item) ?? {}
  const type = kindOfItem(known)
  const { encrypted_content, ...rest } = known
  const isShown = type !== 'reasoning' || include.has(ENCRYPTED_REASONING)
  return {
    type,
    ...rest,
    id,
    ...(HAS_STATUS.has(type) && { status: known.status ?? 'completed' }),
    ...(type === 'message' && { content: listedContent(known) }),
    ...(isShown && encrypted_content !== undefined && { encrypted_content }),
  }
}

function listedContent({ role, content }: JsonObject): unknown {
  if (typeof content !== 'string') return content
  if (role === 'assistant') return [{ type: 'output_text', text: content, annotations: [] }]
  return [{ type: 'input_text', text: content }]
}
