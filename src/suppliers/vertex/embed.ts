import type { EmbeddingLimits } from '../../vocabulary/runtime/embedding-limits.ts'
import { asArray, asCount, asObject, type JsonObject, tryParseJson } from '../../wire/json-values.ts'
import { MAX_REPLY_BYTES, readText } from '../../wire/read-text.ts'

/** Vertex has two methods instead of `batchEmbedContents`: its newer models have only the second. */
export type EmbedMethod = 'predict' | 'embedContent'

const FIRST_GEMINI = 'gemini-embedding-001'

/** As Google's own SDK decides it. */
export function embedMethodOf(model: string): EmbedMethod {
  const isNewer = (model.includes('gemini') && model !== FIRST_GEMINI) || model.includes('maas')
  return isNewer ? 'embedContent' : 'predict'
}

/** Documented by Google: 250 texts with 20,000 tokens, but one text for every Gemini model. */
export function embeddingLimits(model: string): EmbeddingLimits {
  const isOne = embedMethodOf(model) === 'embedContent' || model === FIRST_GEMINI
  return isOne ? { inputs: 1, tokens: null } : { inputs: 250, tokens: 20_000 }
}

/** Says `batchEmbedContents` as one of the methods that Vertex has. */
export function encodeEmbedBody(body: string, method: EmbedMethod): string {
  const requests = asArray(asObject(tryParseJson(body))?.requests).map((each) => asObject(each) ?? {})
  const settings = requests.map(settingsOf)
  const [first = {}] = settings
  if (method === 'embedContent') {
    const { title, ...rest } = first
    const config = { ...rest, ...(title !== undefined && { title }) }
    const isPlain = Object.keys(config).length === 0
    const content = { role: 'user', ...asObject(requests[0]?.content) }
    return JSON.stringify({ content, ...(!isPlain && { embedContentConfig: config }) })
  }
  const { outputDimensionality, autoTruncate } = first
  if (settings.some((each) => each.outputDimensionality !== outputDimensionality))
    throw new Error('one call cannot return vectors of several lengths')
  const parameters = {
    ...(outputDimensionality !== undefined && { outputDimensionality }),
    ...(autoTruncate !== undefined && { autoTruncate }),
  }
  const instances = requests.map((request, place) => {
    const { taskType, title } = settings[place] ?? {}
    return {
      content: textOf(request),
      ...(taskType !== undefined && { task_type: taskType }),
      ...(title !== undefined && { title }),
    }
  })
  const isPlain = Object.keys(parameters).length === 0
  return JSON.stringify({ instances, ...(!isPlain && { parameters }) })
}

const SETTINGS = ['taskType', 'title', 'outputDimensionality', 'autoTruncate'] as const

function settingsOf({ embedContentConfig, ...request }: JsonObject): JsonObject {
  const said = { ...asObject(embedContentConfig), ...request } as JsonObject
  return Object.fromEntries(SETTINGS.flatMap((name) => (said[name] == null ? [] : [[name, said[name]]])))
}

function textOf({ content }: JsonObject): string {
  const parts = asArray(asObject(content)?.parts).map((part) => asObject(part)?.text)
  if (!parts.every((text) => typeof text === 'string')) throw new Error('this model embeds text only')
  return parts.join('\n')
}

/** The reply of either method as that of `batchEmbedContents`. */
export async function readEmbedResponse(response: Response): Promise<Response> {
  if (!response.ok) return response
  const reply = asObject(tryParseJson((await readText(response, MAX_REPLY_BYTES)) ?? ''))
  return Response.json(reply === null ? {} : decodeEmbedReply(reply))
}

function decodeEmbedReply(reply: JsonObject): JsonObject {
  if (!Array.isArray(reply.predictions)) {
    const { embedding, usageMetadata } = reply
    return { embeddings: [embedding], ...(usageMetadata !== undefined && { usageMetadata }) }
  }
  const embeddings = reply.predictions.map((prediction) => asObject(asObject(prediction)?.embeddings) ?? {})
  const counts = embeddings.map(({ statistics }) => asObject(statistics)?.token_count)
  const promptTokenCount = counts.reduce<number>((total, count) => total + asCount(count), 0)
  return {
    embeddings: embeddings.map(({ values }) => ({ values })),
    ...(counts.every((count) => typeof count === 'number') && { usageMetadata: { promptTokenCount } }),
  }
}
