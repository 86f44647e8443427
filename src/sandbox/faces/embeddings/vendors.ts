import { Type } from 'typebox'
import { embed, writeBase64, writeNumbers } from '../../embeddings/embed.ts'
import { SandboxError } from '../../sandbox-error.ts'
import type { Face, Incoming, ResultScene } from '../face.ts'
import { readBearer, refuseShape } from '../openai-style.ts'
import { Closed, createCheck, Literals, Nullable } from '../shape.ts'
import { checkEmbeds, checkTexts, Dimensions, dimensionsOr, refuse, tokensOf } from './shared.ts'

const BEARER = {
  readKey: ({ headers }: Request) => readBearer(headers),
  refuseKey: () => new SandboxError('bad-key', 'invalid api token'),
} as const satisfies Partial<Face>

const COHERE_TEXTS = 96
const COHERE_TYPES = ['float', 'int8', 'uint8', 'binary', 'ubinary', 'base64'] as const

const cohereFields = {
  texts: Type.Array(Type.String()),
  input_type: Literals('search_document', 'search_query', 'classification', 'clustering', 'image'),
  embedding_types: Nullable(Type.Array(Literals(...COHERE_TYPES))),
  output_dimension: Dimensions,
  max_tokens: Nullable(Type.Integer({ minimum: 1 })),
  truncate: Nullable(Literals('NONE', 'START', 'END')),
}
const checkCohere = createCheck(Closed({ model: Type.String(), ...cohereFields }), refuseShape)
const checkInvokedCohere = createCheck(Closed(cohereFields), refuseShape)

/** Cohere's `/v2/embed`. */
export const cohereEmbeddings: Face = {
  name: 'cohere-embed',
  home: '/v2/embed',
  claims: (method, path) => method === 'POST' && path === '/v2/embed',
  ...BEARER,
  writeError: ({ message }) => ({ id: 'sandbox', message }),
  open: (incoming) => {
    const request = checkCohere(incoming.body)
    return embedForCohere(request, incoming, true)
  },
}

type CohereRequest = ReturnType<typeof checkCohere>

function embedForCohere(request: CohereRequest, incoming: Incoming, hasMeta: boolean): ResultScene {
  checkEmbeds(request.model, incoming)
  checkTexts(request.texts, COHERE_TEXTS, 'texts')
  const types = request.embedding_types ?? ['float']
  const unable = types.find((type) => type !== 'float' && type !== 'base64')
  if (unable !== undefined)
    throw refuse(`The sandbox has no embeddings of type ${unable}.`, 'embedding_types')
  const dimensions = dimensionsOr(request.output_dimension)
  return {
    type: 'result',
    ask: request,
    writeReply: (hasUsage) => {
      const vectors = request.texts.map((text) => embed(text, dimensions))
      return {
        id: `embed-${incoming.callNumber}`,
        response_type: 'embeddings_by_type',
        texts: request.texts,
        embeddings: {
          ...(types.includes('float') && { float: vectors.map(writeNumbers) }),
          ...(types.includes('base64') && { base64: vectors.map(writeBase64) }),
        },
        ...(hasMeta && {
          meta: {
            api_version: { version: '2' },
            ...(hasUsage && { billed_units: { input_tokens: tokensOf(request.texts) } }),
          },
        }),
      }
    },
  }
}

const VOYAGE_TEXTS = 1_000
const VOYAGE_TOKENS = 120_000

const checkVoyage = createCheck(
  Closed({
    model: Type.String(),
    input: Type.Union([Type.String(), Type.Array(Type.String())]),
    input_type: Nullable(Literals('query', 'document')),
    truncation: Nullable(Type.Boolean()),
    output_dimension: Dimensions,
    output_dtype: Nullable(Literals('float')),
    encoding_format: Nullable(Literals('base64')),
  }),
  refuseShape,
)

/** Voyage's `/embeddings`. */
export const voyageEmbeddings: Face = {
  name: 'voyage-embed',
  home: '/voyage/v1/embeddings',
  claims: (method, path) => method === 'POST' && path === '/voyage/v1/embeddings',
  ...BEARER,
  writeError: ({ message }) => ({ detail: message }),
  open: openVoyage,
}

function openVoyage(incoming: Incoming): ResultScene {
  const request = checkVoyage(incoming.body)
  checkEmbeds(request.model, incoming)
  const texts = typeof request.input === 'string' ? [request.input] : request.input
  checkTexts(texts, VOYAGE_TEXTS, 'input')
  const tokens = tokensOf(texts)
  if (tokens > VOYAGE_TOKENS)
    throw refuse(`The request has ${tokens} tokens; at most ${VOYAGE_TOKENS} are accepted.`, 'input')
  const dimensions = dimensionsOr(request.output_dimension)
  const write = request.encoding_format === 'base64' ? writeBase64 : writeNumbers
  return {
    type: 'result',
    ask: request,
    writeReply: (hasUsage) => ({
      object: 'list',
      data: texts.map((text, index) => ({
        object: 'embedding',
        embedding: write(embed(text, dimensions)),
        index,
      })),
      model: request.model,
      ...(hasUsage && { usage: { total_tokens: tokens } }),
    }),
  }
}

const TITAN_CHARACTERS = 50_000

const checkTitan = createCheck(
  Closed({
    inputText: Type.String({ minLength: 1, maxLength: TITAN_CHARACTERS }),
    dimensions: Dimensions,
    normalize: Nullable(Type.Boolean()),
    embeddingTypes: Nullable(Type.Array(Literals('float'))),
  }),
  refuseShape,
)

const INVOKE = /^\/model\/([^/]+)\/invoke$/

/** Amazon Bedrock's InvokeModel, for Titan and Cohere. A real model takes one of both formats; this one takes either. */
export const invokedEmbeddings: Face = {
  name: 'invoke',
  home: '/model/',
  claims: (method, path) => method === 'POST' && INVOKE.test(path),
  ...BEARER,
  writeError: ({ message }) => ({ message }),
  open: openInvoked,
}

function openInvoked(incoming: Incoming): ResultScene {
  const model = decodeURIComponent(INVOKE.exec(incoming.path)?.[1] ?? '')
  const { body } = incoming
  const isCohere = typeof body === 'object' && body !== null && ('texts' in body || 'input_type' in body)
  if (isCohere) return embedForCohere({ model, ...checkInvokedCohere(body) }, incoming, false)
  const request = checkTitan(body)
  checkEmbeds(model, incoming)
  const vector = writeNumbers(embed(request.inputText, dimensionsOr(request.dimensions)))
  return {
    type: 'result',
    ask: { model },
    writeReply: (hasUsage) => ({
      embedding: vector,
      embeddingsByType: { float: vector },
      ...(hasUsage && { inputTextTokenCount: tokensOf([request.inputText]) }),
    }),
  }
}
