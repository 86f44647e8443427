import Type from 'typebox'
import type { Contract, Parameter } from '../../vocabulary/runtime/contract.ts'
import {
  pageParameters,
  pageSchema,
  STORED_BODY_ERRORS,
  STORED_ERRORS,
  UNIX_SECONDS_NOTE,
} from '../contract-notes.ts'
import { StoredMetadata } from '../request-limits.ts'
import { AddedItemsSchema, MetadataChangeSchema, NewConversationSchema } from './conversations.ts'

const tag = 'Conversations'
const access = 'key'
const ID = 'conv_0123456789abcdef'
const ITEM = {
  type: 'message',
  id: 'msg_0123456789abcdef',
  role: 'user',
  status: 'completed',
  content: [{ type: 'input_text', text: 'Hello!' }],
}

const ItemSchema = Type.Object({
  id: Type.String(),
  type: Type.String({ description: '`message`, `reasoning`, `function_call` and others.' }),
})
const conversation = {
  name: 'Conversation',
  schema: Type.Object({
    id: Type.String(),
    object: Type.Literal('conversation'),
    created_at: Type.Integer({ description: UNIX_SECONDS_NOTE }),
    metadata: StoredMetadata,
  }),
  example: { id: ID, object: 'conversation', created_at: 1_800_000_000, metadata: { topic: 'demo' } },
}
const itemList = {
  name: 'ConversationItemList',
  schema: pageSchema(ItemSchema),
  example: { object: 'list', data: [ITEM], first_id: ITEM.id, last_id: ITEM.id, has_more: false },
}

/** Query parameter of everything that returns items. */
export const INCLUDE: Parameter = {
  name: 'include',
  in: 'query',
  description:
    '`reasoning.encrypted_content` adds the signatures of reasoning items. Everything else is always included.',
}

/** Operations on conversations and their items. */
export const CONVERSATION_CONTRACTS = {
  create: {
    id: 'createConversation',
    tag,
    summary: 'Create a conversation',
    access,
    body: {
      name: 'NewConversation',
      schema: NewConversationSchema,
      example: { items: [{ role: 'user', content: 'Hello!' }], metadata: { topic: 'demo' } },
      isOptional: true,
    },
    answer: { ...conversation, description: 'The conversation.' },
    errors: STORED_BODY_ERRORS,
  },
  show: {
    id: 'showConversation',
    tag,
    summary: 'Retrieve a conversation',
    access,
    answer: { ...conversation, description: 'The conversation.' },
    errors: STORED_ERRORS,
  },
  update: {
    id: 'updateConversation',
    tag,
    summary: 'Replace the metadata of a conversation',
    access,
    body: {
      name: 'ConversationChange',
      schema: MetadataChangeSchema,
      example: { metadata: { topic: 'demo' } },
    },
    answer: { ...conversation, description: 'The changed conversation.' },
    errors: STORED_BODY_ERRORS,
  },
  delete: {
    id: 'deleteConversation',
    tag,
    summary: 'Delete a conversation with its items',
    access,
    answer: {
      description: 'The conversation was deleted.',
      name: 'DeletedConversation',
      schema: Type.Object({
        id: Type.String(),
        object: Type.Literal('conversation.deleted'),
        deleted: Type.Literal(true),
      }),
      example: { id: ID, object: 'conversation.deleted', deleted: true },
    },
    errors: STORED_ERRORS,
  },
  addItems: {
    id: 'createConversationItems',
    tag,
    summary: 'Add items to a conversation',
    access,
    parameters: [INCLUDE],
    body: {
      name: 'NewConversationItems',
      schema: AddedItemsSchema,
      example: { items: [{ role: 'user', content: 'Hello!' }] },
    },
    answer: { ...itemList, description: 'The added items.' },
    errors: STORED_BODY_ERRORS,
  },
  listItems: {
    id: 'listConversationItems',
    tag,
    summary: 'List the items of a conversation',
    access,
    parameters: [...pageParameters('desc'), INCLUDE],
    answer: { ...itemList, description: 'Items of the conversation.' },
    errors: STORED_ERRORS,
  },
  showItem: {
    id: 'showConversationItem',
    tag,
    summary: 'Retrieve an item of a conversation',
    access,
    parameters: [INCLUDE],
    answer: { name: 'ConversationItem', schema: ItemSchema, example: ITEM, description: 'The item.' },
    errors: STORED_ERRORS,
  },
  deleteItem: {
    id: 'deleteConversationItem',
    tag,
    summary: 'Delete an item of a conversation',
    access,
    answer: { ...conversation, description: 'The conversation without the item.' },
    errors: STORED_ERRORS,
  },
} as const satisfies Readonly<Record<string, Contract>>
