import Type from 'typebox'
import type { Contract } from '../../vocabulary/runtime/contract.ts'
import { pageParameters, pageSchema, STORED_BODY_ERRORS, STORED_ERRORS } from '../contract-notes.ts'
import { StoredMetadata } from '../request-limits.ts'
import { CHAT_EXAMPLE, ChatReplySchema } from './contract.ts'
import { ChatChangeSchema } from './stored.ts'

const tag = 'Chat completions'
const access = 'key'
const { id } = CHAT_EXAMPLE
const example = { ...CHAT_EXAMPLE, metadata: { topic: 'demo' } }
const completion = {
  name: 'StoredChatCompletion',
  schema: Type.Intersect([ChatReplySchema, Type.Object({ metadata: StoredMetadata })]),
  example,
}
const message = { id: `${id}-0`, role: 'user', content: 'Hello!', content_parts: null }

/** Operations on chat completions that were created with `store`. */
export const STORED_CHAT_CONTRACTS = {
  list: {
    id: 'listChatCompletions',
    tag,
    summary: 'List stored chat completions',
    access,
    parameters: [
      ...pageParameters('asc'),
      { name: 'model', in: 'query', description: 'Only those of this model.' },
      {
        name: 'metadata',
        in: 'query',
        description: 'Only those with these pairs: `metadata[topic]=demo`. May be repeated.',
      },
    ],
    answer: {
      description: 'Stored completions.',
      name: 'StoredChatCompletionList',
      schema: pageSchema(completion.schema),
      example: { object: 'list', data: [example], first_id: id, last_id: id, has_more: false },
    },
    errors: STORED_ERRORS,
  },
  show: {
    id: 'showChatCompletion',
    tag,
    summary: 'Retrieve a stored chat completion',
    access,
    answer: { ...completion, description: 'The completion.' },
    errors: STORED_ERRORS,
  },
  update: {
    id: 'updateChatCompletion',
    tag,
    summary: 'Replace the metadata of a stored chat completion',
    access,
    body: {
      name: 'ChatCompletionChange',
      schema: ChatChangeSchema,
      example: { metadata: { topic: 'demo' } },
    },
    answer: { ...completion, description: 'The changed completion.' },
    errors: STORED_BODY_ERRORS,
  },
  delete: {
    id: 'deleteChatCompletion',
    tag,
    summary: 'Delete a stored chat completion',
    access,
    answer: {
      description: 'The completion was deleted.',
      name: 'DeletedChatCompletion',
      schema: Type.Object({
        id: Type.String(),
        object: Type.Literal('chat.completion.deleted'),
        deleted: Type.Literal(true),
      }),
      example: { id, object: 'chat.completion.deleted', deleted: true },
    },
    errors: STORED_ERRORS,
  },
  listMessages: {
    id: 'listChatCompletionMessages',
    tag,
    summary: 'List the messages of a stored chat completion',
    access,
    parameters: pageParameters('asc'),
    answer: {
      description: 'The messages of the request.',
      name: 'ChatCompletionMessageList',
      schema: pageSchema(Type.Object({ id: Type.String(), role: Type.String() })),
      example: {
        object: 'list',
        data: [message],
        first_id: message.id,
        last_id: message.id,
        has_more: false,
      },
    },
    errors: STORED_ERRORS,
  },
} as const satisfies Readonly<Record<string, Contract>>
