import { Type } from 'typebox'
import { embed, writeNumbers } from '../../embeddings/embed.ts'
import { SandboxError } from '../../sandbox-error.ts'
import { encodeError, refuseKey } from '../content-generation/encode-answer.ts'
import type { Face, Incoming, ResultScene } from '../face.ts'
import { readBearer, refuseShape } from '../openai-style.ts'
import { Closed, createCheck, Literals, Nullable } from '../shape.ts'
import { checkEmbeds, checkTexts, Dimensions, dimensionsOr, refuse, tokensOf } from './shared.ts'

const MAX_REQUESTS = 100
const MAX_INSTANCES = 250

const TaskType = Nullable(
  Literals(
    'TASK_TYPE_UNSPECIFIED',
    'RETRIEVAL_QUERY',
    'RETRIEVAL_DOCUMENT',
    'SEMANTIC_SIMILARITY',
    'CLASSIFICATION',
    'CLUSTERING',
    'QUESTION_ANSWERING',
    'FACT_VERIFICATION',
    'CODE_RETRIEVAL_QUERY',
  ),
)
const Content = Closed({
  role: Nullable(Type.String()),
  parts: Type.Array(Closed({ text: Type.String() }), { minItems: 1 }),
})
const settings = { taskType: TaskType, title: Nullable(Type.String()), outputDimensionality: Dimensions }
const fields = { model: Nullable(Type.String()), content: Content, ...settings }

const checkOne = createCheck(Closed(fields), refuseShape)
const checkBatch = createCheck(Closed({ requests: Type.Array(Closed(fields)) }), refuseShape)
const checkConfigured = createCheck(
  Closed({
    content: Content,
    embedContentConfig: Nullable(Closed({ ...settings, autoTruncate: Nullable(Type.Boolean()) })),
  }),
  refuseShape,
)
const checkPredict = createCheck(
  Closed({
    instances: Type.Array(
      Closed({ content: Type.String(), task_type: TaskType, title: Nullable(Type.String()) }),
    ),
    parameters: Nullable(
      Closed({ outputDimensionality: Dimensions, autoTruncate: Nullable(Type.Boolean()) }),
    ),
  }),
  refuseShape,
)

const CALL = /^\/v1(?:beta)?\/models\/(.+):(embedContent|batchEmbedContents)$/
// Vertex AI has other methods.
const VERTEX_CALL =
  /^\/v1\/projects\/[^/]+\/locations\/[^/]+\/publishers\/google\/models\/(.+):(embedContent|predict)$/

/** Google's embeddings: those of the Gemini API and those of Vertex AI. */
export const generationEmbeddings: Face = {
  name: 'generation-embed',
  home: '/v1/projects/',
  claims: (method, path) => method === 'POST' && (CALL.test(path) || VERTEX_CALL.test(path)),
  readKey: ({ headers, url }) =>
    headers.get('x-goog-api-key') ?? new URL(url).searchParams.get('key') ?? readBearer(headers),
  refuseKey,
  writeError: encodeError,
  open: openScene,
}

function openScene(incoming: Incoming): ResultScene {
  const isVertex = VERTEX_CALL.test(incoming.path)
  const [, name = '', method] = (isVertex ? VERTEX_CALL : CALL).exec(incoming.path) ?? []
  const model = decodeURIComponent(name)
  checkEmbeds(model, incoming)
  if (method === 'predict') return { type: 'result', ask: { model }, ...predict(incoming.body) }
  if (isVertex) return { type: 'result', ask: { model }, ...embedConfigured(incoming.body) }
  const requests = method === 'embedContent' ? [checkOne(incoming.body)] : checkBatch(incoming.body).requests
  for (const each of requests) checkModel(each.model, model)
  const texts = requests.map(({ content }) => textOf(content))
  checkTexts(texts, MAX_REQUESTS, 'requests')
  const writeReply = (hasUsage: boolean) => {
    const embeddings = requests.map(({ outputDimensionality }, place) => ({
      values: writeNumbers(embed(texts[place] ?? '', dimensionsOr(outputDimensionality))),
    }))
    const usage = hasUsage && { usageMetadata: { promptTokenCount: tokensOf(texts) } }
    return method === 'embedContent' ? { embedding: embeddings[0], ...usage } : { embeddings, ...usage }
  }
  return { type: 'result', ask: { model }, writeReply }
}

function checkModel(said: string | null | undefined, model: string): void {
  if (said === null || said === undefined || said === `models/${model}`) return
  throw new SandboxError('bad-request', 'The model in each request must match the one in the path.', {
    field: 'requests[0].model',
  })
}

type Writing = Pick<ResultScene, 'writeReply'>

function predict(body: unknown): Writing {
  const { instances, parameters } = checkPredict(body)
  const texts = instances.map(({ content }) => content)
  checkTexts(texts, MAX_INSTANCES, 'instances')
  const dimensions = dimensionsOr(parameters?.outputDimensionality)
  return {
    writeReply: (hasUsage) => ({
      predictions: texts.map((text) => ({
        embeddings: {
          values: writeNumbers(embed(text, dimensions)),
          ...(hasUsage && { statistics: { token_count: tokensOf([text]), truncated: false } }),
        },
      })),
      metadata: { billableCharacterCount: texts.join('').replace(/\s/g, '').length },
    }),
  }
}

function embedConfigured(body: unknown): Writing {
  const { content, embedContentConfig } = checkConfigured(body)
  const text = textOf(content)
  if (text === '') throw refuse('content must not be empty.', 'content')
  const values = writeNumbers(embed(text, dimensionsOr(embedContentConfig?.outputDimensionality)))
  return {
    writeReply: (hasUsage) => ({
      embedding: { values },
      ...(hasUsage && { usageMetadata: { promptTokenCount: tokensOf([text]) } }),
      truncated: false,
    }),
  }
}

function textOf({ parts }: { readonly parts: readonly { readonly text: string }[] }): string {
  return parts.map(({ text }) => text).join('\n')
}
