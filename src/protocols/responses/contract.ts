import Type, { type TSchema } from 'typebox'
import type { Contract } from '../../vocabulary/runtime/contract.ts'
import {
  OUTPUT_DETAILS,
  oneOfTypes,
  PROMPT_DETAILS,
  pageParameters,
  pageSchema,
  requestBody,
  STORED_ERRORS,
  UNIX_SECONDS_NOTE,
} from '../contract-notes.ts'
import type { FormatContract } from '../protocol.ts'
import { INCLUDE } from './conversation-contract.ts'
import {
  CompactRequestSchema,
  ITEM_SCHEMAS,
  PART_SCHEMAS,
  ResponsesRequestSchema,
  TOOL_SCHEMAS,
} from './schema.ts'

const OrNull = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])
const Count = Type.Integer({ minimum: 0 })
const status = { status: Type.Optional(Type.Enum(['in_progress', 'completed', 'incomplete'])) }

const MessageItem = Type.Object({
  type: Type.Literal('message'),
  id: Type.String(),
  ...status,
  role: Type.Literal('assistant'),
  content: Type.Array(
    Type.Object({
      type: Type.String({ description: '`output_text` or `refusal`.' }),
      text: Type.Optional(Type.String()),
      refusal: Type.Optional(Type.String()),
    }),
  ),
})
const CallItem = Type.Object({
  type: Type.Literal('function_call'),
  id: Type.Optional(Type.String()),
  ...status,
  call_id: Type.String(),
  name: Type.String(),
  arguments: Type.String({ description: 'The text of a JSON object.' }),
})
const ReasoningItem = Type.Object({
  type: Type.Literal('reasoning'),
  id: Type.String(),
  summary: Type.Array(Type.Object({ type: Type.String(), text: Type.String() })),
  encrypted_content: Type.Optional(
    OrNull(Type.String({ description: 'A signature to send back with the next turn.' })),
  ),
})
const OtherItem = Type.Object({
  type: Type.String({ description: 'Skip types that you do not know.' }),
})

/** A whole response as documented. Suppliers may add fields. */
export const ResponsesReplySchema = Type.Object({
  id: Type.String(),
  object: Type.Literal('response'),
  created: Type.Integer({ description: UNIX_SECONDS_NOTE }),
  created_at: Type.Integer({ description: 'The same as `created`.' }),
  completed_at: Type.Optional(OrNull(Type.Integer({ description: UNIX_SECONDS_NOTE }))),
  model: Type.String(),
  status: Type.String({
    description: '`completed`, `incomplete`, `failed`, `cancelled`, `queued` or `in_progress`.',
  }),
  output: Type.Array(Type.Union([MessageItem, CallItem, ReasoningItem, OtherItem])),
  error: Type.Optional(OrNull(Type.Object({}))),
  incomplete_details: Type.Optional(
    OrNull(
      Type.Object({ reason: Type.Optional(Type.String({ description: 'Such as `max_output_tokens`.' })) }),
    ),
  ),
  previous_response_id: Type.Optional(OrNull(Type.String())),
  store: Type.Optional(Type.Boolean({ description: 'Whether the gateway stores the response.' })),
  background: Type.Optional(OrNull(Type.Boolean())),
  conversation: Type.Optional(OrNull(Type.Object({ id: Type.String() }))),
  usage: Type.Optional(
    OrNull(
      Type.Object({
        input_tokens: Count,
        output_tokens: Count,
        total_tokens: Count,
        input_tokens_details: Type.Optional(Type.Object(PROMPT_DETAILS)),
        output_tokens_details: Type.Optional(Type.Object(OUTPUT_DETAILS)),
      }),
    ),
  ),
})

export const InputTokensSchema = Type.Object({
  object: Type.Literal('response.input_tokens'),
  input_tokens: Count,
})

export const InputItemListSchema = pageSchema(Type.Object({ id: Type.String(), type: Type.String() }))

export const DeletedResponseSchema = Type.Object({
  id: Type.String(),
  object: Type.Literal('response'),
  deleted: Type.Literal(true),
})

const tag = 'Responses'
const ID = 'resp_0123456789abcdef'

const body = {
  ...requestBody('ResponseRequest', ResponsesRequestSchema, { model: 'sandbox-chat', input: 'Hello!' }),
  kinds: {
    ResponseInputItem: oneOfTypes(ITEM_SCHEMAS),
    ResponseInputPart: oneOfTypes(PART_SCHEMAS),
    ResponseTool: oneOfTypes(TOOL_SCHEMAS),
  },
}

const response = {
  name: 'Response',
  schema: ResponsesReplySchema,
  example: {
    id: ID,
    object: 'response',
    created: 1_800_000_000,
    created_at: 1_800_000_000,
    model: 'sandbox-chat',
    status: 'completed',
    output: [
      {
        type: 'message',
        id: 'msg_0123456789abcdef',
        status: 'completed',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'Hello!' }],
      },
    ],
    usage: { input_tokens: 9, output_tokens: 2, total_tokens: 11 },
  },
} as const

const create: FormatContract = {
  id: 'createResponse',
  tag,
  summary: 'Create a response and store the state of the conversation',
  body,
  answer: {
    ...response,
    description: 'The response.',
    stream: 'Events from `response.created` to `response.completed`, `.incomplete` or `.failed`.',
  },
}

const count: FormatContract = {
  id: 'countResponseInputTokens',
  tag,
  summary: 'Count the tokens of a request',
  isCount: true,
  body,
  answer: {
    description: 'An estimate by the gateway.',
    name: 'ResponseInputTokens',
    schema: InputTokensSchema,
    example: { object: 'response.input_tokens', input_tokens: 9 },
  },
}

export const CompactedResponseSchema = Type.Object({
  id: Type.String(),
  object: Type.Literal('response.compaction'),
  created_at: Type.Integer({ description: UNIX_SECONDS_NOTE }),
  output: Type.Array(Type.Object({ type: Type.String() }), {
    description:
      'The messages of the user, then one `compaction` item. Send all of them as the next `input`.',
  }),
  usage: Type.Object({ input_tokens: Count, output_tokens: Count, total_tokens: Count }),
})

const compact: FormatContract = {
  id: 'compactResponse',
  tag,
  summary: 'Replace a conversation by a shorter one',
  description:
    'A supplier with such an endpoint compacts the conversation itself. For any other, its model writes a summary, which the gateway seals. The `compaction` item works only with keys of the same account.',
  body: requestBody('CompactRequest', CompactRequestSchema, {
    model: 'sandbox-chat',
    input: [
      { role: 'user', content: 'My cat is called Tom.' },
      { role: 'assistant', content: 'A fine name.' },
    ],
  }),
  answer: {
    description: 'The compacted conversation.',
    name: 'CompactedResponse',
    schema: CompactedResponseSchema,
    example: {
      id: ID,
      object: 'response.compaction',
      created_at: 1_800_000_000,
      output: [
        {
          id: 'msg_0123456789abcdef',
          type: 'message',
          status: 'completed',
          role: 'user',
          content: [{ type: 'input_text', text: 'My cat is called Tom.' }],
        },
        { id: 'cmp_0123456789abcdef', type: 'compaction', encrypted_content: 'turnpike-compaction.v2.…' },
      ],
      usage: { input_tokens: 180, output_tokens: 12, total_tokens: 192 },
    },
  },
}

export const contracts = {
  '/v1/responses': [create],
  '/v1/responses/input_tokens': [count],
  '/v1/responses/compact': [compact],
} as const

/** A WebSocket whose messages are requests to create responses. */
export const SOCKET_CONTRACT: Contract = {
  id: 'connectResponses',
  tag,
  summary: 'Create responses over a WebSocket',
  description:
    'Each message `{"type": "response.create", …}` has the fields of `POST /v1/responses`, and its events come back as messages. `stream_id` names one of several streams, `generate: false` only prepares later requests.',
  access: 'key',
  answer: {
    description: 'The connection is a WebSocket now.',
    name: null,
    schema: Type.Null(),
    example: null,
    status: 101,
  },
  errors: [400, 401, 403, 426, 429, 500, 503],
}

/** Operations on a stored response. */
export const KEPT_CONTRACTS = {
  show: {
    id: 'showResponse',
    tag,
    summary: 'Retrieve a stored response',
    access: 'key',
    parameters: [
      {
        name: 'stream',
        in: 'query',
        description: 'Sends the events of a background response that was created with `stream`.',
        schema: Type.Boolean({ default: false }),
      },
      {
        name: 'starting_after',
        in: 'query',
        description: 'The `sequence_number` of the last event that you have.',
        schema: Count,
      },
    ],
    answer: { ...response, description: 'The response.', stream: 'The events of a background response.' },
    errors: [400, 401, 403, 404, 429, 500, 503],
  },
  cancel: {
    id: 'cancelResponse',
    tag,
    summary: 'Cancel a background response',
    access: 'key',
    answer: {
      ...response,
      example: { ...response.example, status: 'cancelled', output: [], background: true },
      description: 'The response. One that has ended before is returned as it is.',
    },
    errors: [400, 401, 403, 404, 429, 500, 503],
  },
  delete: {
    id: 'deleteResponse',
    tag,
    summary: 'Delete a stored response',
    access: 'key',
    answer: {
      description: 'The response was deleted.',
      name: 'DeletedResponse',
      schema: DeletedResponseSchema,
      example: { id: ID, object: 'response', deleted: true },
    },
  },
  listInput: {
    id: 'listResponseInputItems',
    tag,
    summary: 'List the input items of a stored response',
    access: 'key',
    parameters: [...pageParameters('desc'), INCLUDE],
    answer: {
      description: 'Items of the conversation up to the response.',
      name: 'ResponseInputItemList',
      schema: InputItemListSchema,
      example: {
        object: 'list',
        data: [
          {
            id: 'item_0',
            type: 'message',
            role: 'user',
            status: 'completed',
            content: [{ type: 'input_text', text: 'Hello!' }],
          },
        ],
        first_id: 'item_0',
        last_id: 'item_0',
        has_more: false,
      },
    },
    errors: STORED_ERRORS,
  },
} as const satisfies Readonly<Record<string, Contract>>
