import {
  type OperationDescription,
  type ParameterDescription,
  REQUEST_LIMIT_HEADERS,
  ROUTE_HEADERS,
  TOKEN_LIMIT_HEADERS,
} from './edges/api-docs/description.ts'

const KEY_SCHEMES = ['bearerKey', 'apiKeyHeader', 'googApiKeyHeader', 'vendorApiKeyHeader'] as const
const BETA_SCHEMES = [...KEY_SCHEMES, 'keyQuery'] as const

const GENERATION_ERRORS = [400, 401, 403, 404, 413, 415, 429, 500, 502, 503, 504]
const COUNT_ERRORS = [400, 401, 403, 404, 413, 415, 429, 500, 503]
const LOOK_UP_ERRORS = [401, 403, 404, 429, 500, 503]

const STRICT: ParameterDescription = {
  name: 'x-gateway-strict',
  in: 'header',
  description: '`true`: refuse the request rather than leave out what the supplier cannot express.',
  schema: { type: 'string', enum: ['true', 'false'] },
}

const generates = {
  headers: [...REQUEST_LIMIT_HEADERS, ...TOKEN_LIMIT_HEADERS, ...ROUTE_HEADERS],
} as const
const looksUp = { headers: REQUEST_LIMIT_HEADERS } as const
const errors = (statuses: readonly number[], family = 'Error') => ({ errors: { family, statuses } })

export function clientOperations(): OperationDescription[] {
  return [
    ...chatOperations(),
    ...responsesOperations(),
    ...messagesOperations(),
    ...generationOperations('models', ''),
    ...generationOperations('tunedModels', 'Tuned'),
    ...imageOperations(),
    ...assetOperations(),
    ...modelOperations(),
  ]
}

function chatOperations(): OperationDescription[] {
  return [
    {
      endpoint: 'POST /v1/chat/completions',
      id: 'createChatCompletion',
      tag: 'Chat completions',
      summary: 'Answer a conversation',
      security: KEY_SCHEMES,
      parameters: [STRICT],
      body: {
        schema: 'ChatCompletionRequest',
        example: { model: 'sandbox-chat', messages: [{ role: 'user', content: 'Hello!' }] },
      },
      answer: {
        description: 'The answer.',
        schema: 'ChatCompletion',
        stream:
          '`data:` lines with `chat.completion.chunk` objects, then `data: [DONE]`. Usage comes in the last chunk when `stream_options.include_usage` is true.',
        ...generates,
      },
      ...errors(GENERATION_ERRORS),
    },
  ]
}

const RESPONSE_EXAMPLE = { model: 'sandbox-chat', input: 'Hello!' }

function responsesOperations(): OperationDescription[] {
  const common = { tag: 'Responses', security: KEY_SCHEMES } as const
  const kept = '/v1/responses/:id'
  return [
    {
      ...common,
      endpoint: 'POST /v1/responses',
      id: 'createResponse',
      summary: 'Answer input, keeping the state of the conversation',
      parameters: [STRICT],
      body: { schema: 'ResponseRequest', example: RESPONSE_EXAMPLE },
      answer: {
        description: 'The response.',
        schema: 'Response',
        stream: 'Events from `response.created` to `response.completed`, `.incomplete` or `.failed`.',
        ...generates,
      },
      ...errors(GENERATION_ERRORS),
    },
    {
      ...common,
      endpoint: 'POST /v1/responses/input_tokens',
      id: 'countResponseInputTokens',
      summary: 'Count the tokens of a request',
      body: { schema: 'ResponseRequest', example: RESPONSE_EXAMPLE },
      answer: { description: 'An estimate of the gateway.', schema: 'ResponseInputTokens', ...looksUp },
      ...errors(COUNT_ERRORS),
    },
    {
      ...common,
      endpoint: `GET ${kept}`,
      id: 'showResponse',
      summary: 'Show a kept response',
      answer: { description: 'The response as it was given.', schema: 'Response', ...looksUp },
      ...errors(LOOK_UP_ERRORS),
    },
    {
      ...common,
      endpoint: `DELETE ${kept}`,
      id: 'deleteResponse',
      summary: 'Forget a kept response',
      answer: { description: 'It is gone.', schema: 'DeletedResponse', ...looksUp },
      ...errors(LOOK_UP_ERRORS),
    },
    {
      ...common,
      endpoint: `GET ${kept}/input_items`,
      id: 'listResponseInputItems',
      summary: 'List what a kept response was the answer to',
      answer: {
        description: 'Every item of the conversation up to the response.',
        schema: 'ResponseInputItemList',
        ...looksUp,
      },
      ...errors(LOOK_UP_ERRORS),
    },
  ]
}

const VERSION: ParameterDescription = {
  name: 'anthropic-version',
  in: 'header',
  description: 'Accepted and not checked; `vendor-version` too.',
}

function messagesOperations(): OperationDescription[] {
  const common = { tag: 'Messages', security: KEY_SCHEMES } as const
  const example = { model: 'sandbox-chat', messages: [{ role: 'user', content: 'Hello!' }] }
  return [
    {
      ...common,
      endpoint: 'POST /v1/messages',
      id: 'createMessage',
      summary: 'Answer a conversation',
      parameters: [VERSION, STRICT],
      body: { schema: 'MessageRequest', example: { ...example, max_tokens: 256 } },
      answer: {
        description: 'The answer.',
        schema: 'Message',
        stream: 'Events from `message_start` to `message_stop`; `ping` now and then.',
        ...generates,
      },
      ...errors(GENERATION_ERRORS, 'MessagesError'),
    },
    {
      ...common,
      endpoint: 'POST /v1/messages/count_tokens',
      id: 'countMessageTokens',
      summary: 'Count the tokens of a prompt',
      parameters: [VERSION],
      body: { schema: 'MessageCountRequest', example },
      answer: {
        description: 'The count of the supplier, or an estimate of the gateway.',
        schema: 'MessageTokens',
        ...looksUp,
      },
      ...errors(COUNT_ERRORS, 'MessagesError'),
    },
  ]
}

const MODEL_PARAMETER: ParameterDescription = {
  name: 'model',
  in: 'path',
  description: 'A model id; its slashes may stand as they are.',
}

const CONTENTS = { contents: [{ role: 'user', parts: [{ text: 'Hello!' }] }] }

function generationOperations(collection: 'models' | 'tunedModels', suffix: string): OperationDescription[] {
  const path = `/v1beta/${collection}/{model}`
  const common = {
    endpoint: `POST /v1beta/${collection}/*`,
    tag: 'Content generation',
    security: BETA_SCHEMES,
  } as const
  const body = { schema: 'GenerateContentRequest', example: CONTENTS }
  const alt: ParameterDescription = {
    name: 'alt',
    in: 'query',
    description: '`sse` for server-sent events, `json` for one JSON array.',
    schema: { type: 'string', enum: ['sse', 'json'], default: 'sse' },
  }
  return [
    {
      ...common,
      path: `${path}:generateContent`,
      id: `generateContent${suffix}`,
      summary: 'Answer a conversation',
      parameters: [MODEL_PARAMETER, STRICT],
      body,
      answer: { description: 'The answer.', schema: 'GenerateContentResult', ...generates },
      ...errors(GENERATION_ERRORS),
    },
    {
      ...common,
      path: `${path}:streamGenerateContent`,
      id: `streamGenerateContent${suffix}`,
      summary: 'Answer a conversation, piece by piece',
      parameters: [MODEL_PARAMETER, alt, STRICT],
      body,
      answer: {
        description: '`data:` lines, each a `GenerateContentResult` with the next piece; no terminator.',
        schema: null,
        contentType: 'text/event-stream',
        ...generates,
      },
      ...errors(GENERATION_ERRORS),
    },
    {
      ...common,
      path: `${path}:countTokens`,
      id: `countTokens${suffix}`,
      summary: 'Count the tokens of a prompt',
      parameters: [MODEL_PARAMETER],
      body: { schema: 'CountTokensRequest', example: CONTENTS },
      answer: { description: 'An estimate of the gateway.', schema: 'TokenCount', ...looksUp },
      ...errors(COUNT_ERRORS),
    },
  ]
}

function imageOperations(): OperationDescription[] {
  const common = {
    tag: 'Images',
    security: KEY_SCHEMES,
    parameters: [STRICT],
    answer: {
      description: 'The pictures, as addresses or in Base64.',
      schema: 'Images',
      headers: [...REQUEST_LIMIT_HEADERS, ...ROUTE_HEADERS],
    },
    ...errors(GENERATION_ERRORS),
  } as const
  return [
    {
      ...common,
      endpoint: 'POST /v1/images/generations',
      id: 'createImage',
      summary: 'Draw a picture',
      description: 'For models with `image` in `gateway.kinds`.',
      body: {
        schema: 'ImageRequest',
        example: { model: 'sandbox-image', prompt: 'A lighthouse at dusk', size: '1024x1024' },
      },
    },
    {
      ...common,
      endpoint: 'POST /v1/images/edits',
      id: 'editImage',
      summary: 'Change a picture',
      description: 'For models with `image-edit` in `gateway.kinds`.',
      body: {
        schema: 'ImageEditRequest',
        contentType: 'multipart/form-data',
        example: { model: 'sandbox-image', prompt: 'Add a ship', image: '(a file)' },
      },
    },
  ]
}

function assetOperations(): OperationDescription[] {
  return [
    {
      endpoint: 'GET /assets/:name',
      id: 'fetchAsset',
      tag: 'Images',
      summary: 'Fetch a picture by the address it was given out under',
      description: 'The address is the permission: no key is needed, and it cannot be made up or changed.',
      security: [],
      parameters: [
        { name: 'expires', in: 'query', description: 'When it ends, in Unix seconds.' },
        { name: 'signature', in: 'query', description: 'As it was given out.' },
      ],
      answer: { description: 'The picture.', schema: null, contentType: 'image/*' },
      errors: { family: 'OperatorError', statuses: [404, 500, 503] },
    },
  ]
}

const PAGE: readonly ParameterDescription[] = [
  {
    name: 'pageSize',
    in: 'query',
    description: 'The most models to give.',
    schema: { type: 'integer', minimum: 1, maximum: 1000, default: 50 },
  },
  { name: 'pageToken', in: 'query', description: 'The `nextPageToken` of the page before.' },
]

function modelOperations(): OperationDescription[] {
  const common = { tag: 'Models', security: KEY_SCHEMES, ...errors(LOOK_UP_ERRORS) } as const
  const beta = { tag: 'Models', security: BETA_SCHEMES, ...errors([400, ...LOOK_UP_ERRORS]) } as const
  const parameters = [MODEL_PARAMETER]
  return [
    {
      ...common,
      endpoint: 'GET /v1/models',
      id: 'listModels',
      summary: 'List the models this key may use',
      answer: { description: 'In the order of their ids.', schema: 'ModelList', ...looksUp },
    },
    {
      ...common,
      endpoint: 'GET /v1/models/*',
      path: '/v1/models/{model}',
      id: 'showModel',
      summary: 'Show a model',
      parameters,
      answer: { description: 'The model.', schema: 'Model', ...looksUp },
    },
    {
      ...common,
      endpoint: 'GET /v1/limits',
      id: 'showLimits',
      summary: 'Say how much this key may ask for, and why not more',
      parameters: [{ name: 'model', in: 'query', description: 'Only this model.' }],
      answer: {
        description: 'The limits of account and key now, and what limits each model.',
        schema: 'Limits',
        ...looksUp,
      },
    },
    {
      ...beta,
      endpoint: 'GET /v1beta/models',
      id: 'listGenerationModels',
      summary: 'List the models this key may use, as content generation writes them',
      parameters: PAGE,
      answer: {
        description: 'One page, in the order of their ids.',
        schema: 'GenerationModelList',
        ...looksUp,
      },
    },
    {
      ...beta,
      endpoint: 'GET /v1beta/models/*',
      path: '/v1beta/models/{model}',
      id: 'showGenerationModel',
      summary: 'Show a model, as content generation writes it',
      parameters,
      answer: { description: 'The model.', schema: 'GenerationModel', ...looksUp },
    },
  ]
}
