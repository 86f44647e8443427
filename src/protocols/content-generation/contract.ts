import Type from 'typebox'
import type { Contract, Parameter } from '../../vocabulary/runtime/contract.ts'
import { requestBody } from '../contract-notes.ts'
import type { FormatContract } from '../protocol.ts'
import { encodeModel } from './model-list.ts'
import * as replies from './reply/reply-schema.ts'
import { CountRequestSchema, GenerateRequestSchema } from './request/schema.ts'

const MODEL: Parameter = {
  name: 'model',
  in: 'path',
  description: 'A model id. Slashes need no escaping.',
}
const ALT: Parameter = {
  name: 'alt',
  in: 'query',
  description: '`sse` for server-sent events, `json` for one JSON array.',
  schema: Type.Enum(['sse', 'json'], { default: 'sse' }),
}

const CONTENTS = { contents: [{ role: 'user', parts: [{ text: 'Hello!' }] }] }
const generateBody = requestBody('GenerateContentRequest', GenerateRequestSchema, CONTENTS)

const tag = 'Content generation'

function contractsOf(collection: string, suffix: string): FormatContract[] {
  const path = `${collection}/{model}`
  return [
    {
      tag,
      documentPath: `${path}:generateContent`,
      id: `generateContent${suffix}`,
      summary: 'Answer a conversation',
      parameters: [MODEL],
      body: generateBody,
      answer: {
        description: 'The answer.',
        name: 'GenerateContentResult',
        schema: replies.GenerateReplySchema,
        example: {
          candidates: [
            { index: 0, content: { role: 'model', parts: [{ text: 'Hello!' }] }, finishReason: 'STOP' },
          ],
          usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 2, totalTokenCount: 11 },
          modelVersion: 'sandbox-chat',
        },
      },
    },
    {
      tag,
      documentPath: `${path}:streamGenerateContent`,
      id: `streamGenerateContent${suffix}`,
      summary: 'Stream an answer to a conversation',
      parameters: [MODEL, ALT],
      body: generateBody,
      answer: {
        description: 'The chunks of the answer.',
        name: 'GenerateContentResults',
        schema: Type.Array(replies.GenerateReplySchema),
        example: [{ candidates: [{ content: { role: 'model', parts: [{ text: 'Hel' }] } }] }],
        stream: '`data:` lines, each a `GenerateContentResult` with the next chunk; no terminator.',
      },
    },
    {
      tag,
      documentPath: `${path}:countTokens`,
      id: `countTokens${suffix}`,
      summary: 'Count the tokens of a prompt',
      isCount: true,
      parameters: [MODEL],
      body: requestBody('CountTokensRequest', CountRequestSchema, CONTENTS),
      answer: {
        description: "The gateway's estimate.",
        name: 'TokenCount',
        schema: replies.CountReplySchema,
        example: {
          totalTokens: 9,
          cachedContentTokenCount: 0,
          promptTokensDetails: [{ modality: 'TEXT', tokenCount: 9 }],
          cacheTokensDetails: [],
        },
      },
    },
  ]
}

export const contracts = {
  '/v1beta/models/*': contractsOf('/v1beta/models', ''),
  '/v1beta/tunedModels/*': contractsOf('/v1beta/tunedModels', 'Tuned'),
  '/v1/models/*': contractsOf('/v1/models', 'V1'),
} as const

const modelExample = encodeModel({
  id: 'sandbox-chat',
  displayName: 'Sandbox chat',
  description: '',
  inputTokenLimit: 128_000,
  outputTokenLimit: 8_192,
  kinds: ['text'],
})

const models = { tag: 'Models', access: 'key', errors: [400, 401, 403, 404, 429, 500, 503] } as const

/** The model endpoints of this format. */
export const MODEL_CONTRACTS = {
  list: {
    ...models,
    id: 'listGenerationModels',
    summary: 'List the models this key may use, in the content generation format',
    parameters: [
      {
        name: 'pageSize',
        in: 'query',
        description: 'Maximum number of models to return.',
        schema: Type.Integer({ minimum: 1, maximum: 1_000, default: 50 }),
      },
      { name: 'pageToken', in: 'query', description: 'The `nextPageToken` of the previous page.' },
    ],
    answer: {
      description: 'One page, sorted by id.',
      name: 'GenerationModelList',
      schema: replies.GenerationModelListSchema,
      example: { models: [modelExample] },
    },
  },
  show: {
    ...models,
    documentPath: '/v1beta/models/{model}',
    id: 'showGenerationModel',
    summary: 'Show a model, in the content generation format',
    parameters: [MODEL],
    answer: {
      description: 'The model.',
      name: 'GenerationModel',
      schema: replies.GenerationModelSchema,
      example: modelExample,
    },
  },
} as const satisfies Readonly<Record<string, Contract>>
