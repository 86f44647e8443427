import type { TSchema } from 'typebox'
import type { EmbeddingPurpose, EmbeddingRequest } from '../../../conversation/families/embeddings.ts'
import { GatewayError } from '../../../errors/gateway-error.ts'
import type { SchemaNode } from '../../../validation/describe-schema.ts'
import { compileCheck } from '../../../validation/validation.ts'
import { checkInputCount } from '../../embedding-side.ts'
import type { RequestFacts } from '../../protocol.ts'
import { checkMediaParts } from '../../request-limits.ts'
import type { EmbedMethod } from '../address.ts'
import { compileNames } from '../request/validate.ts'
import { BatchEmbedRequestSchema, EmbedRequestSchema, type WireEmbedRequest } from './schema.ts'

const checkBatch = compileCheck(BatchEmbedRequestSchema)
const nameBatch = compileNames(BatchEmbedRequestSchema as TSchema as SchemaNode)
const checkOne = compileCheck(EmbedRequestSchema)
const nameOne = compileNames(EmbedRequestSchema as TSchema as SchemaNode)

const PURPOSES: ReadonlyMap<string, EmbeddingPurpose> = new Map([
  ['RETRIEVAL_QUERY', 'query'],
  ['RETRIEVAL_DOCUMENT', 'document'],
  ['SEMANTIC_SIMILARITY', 'similarity'],
  ['CLASSIFICATION', 'classification'],
  ['CLUSTERING', 'clustering'],
  ['QUESTION_ANSWERING', 'question'],
  ['FACT_VERIFICATION', 'fact-check'],
  ['CODE_RETRIEVAL_QUERY', 'code-query'],
])

/** The word of this format for each purpose. */
export const TASK_TYPES = Object.fromEntries(
  [...PURPOSES].map(([word, purpose]) => [purpose, word]),
) as Readonly<Record<EmbeddingPurpose, string>>

const UNSPECIFIED = 'TASK_TYPE_UNSPECIFIED'

export interface ReadRequests {
  readonly requests: readonly WireEmbedRequest[]
  readonly request: EmbeddingRequest
  readonly facts: RequestFacts
  readonly onlyRelayed: GatewayError | null
}

/** Checks and reads the body of either method. */
export function readRequests(body: unknown, model: string, method: EmbedMethod): ReadRequests {
  const requests =
    method === 'embedContent' ? [checkOne(nameOne(body))] : checkBatch(nameBatch(body)).requests
  checkInputCount(requests.length, 'requests')
  const pathOf = (place: number) => (method === 'embedContent' ? '' : `requests[${place}].`)
  const inputs = requests.map((each, place) => readText(each, pathOf(place)))
  const settings = requests.map(settingsOf)
  const [first = settingsOf({ content: { parts: [] } })] = settings
  const mediaParts = requests.reduce((total, each) => total + countMedia(each), 0)
  checkMediaParts(mediaParts, 'requests')
  const purpose = PURPOSES.get(first.taskType ?? '') ?? null
  const isUnknownTask = first.taskType !== null && first.taskType !== UNSPECIFIED && purpose === null
  const hasTitle = settings.some(({ title }) => title !== null)
  return {
    requests,
    request: {
      model,
      inputs,
      dimensions: first.dimensions,
      purpose,
      user: null,
      others: [...(isUnknownTask ? ['taskType'] : []), ...(hasTitle ? ['title'] : [])],
    },
    facts: {
      model,
      stream: false,
      promptCharacters: inputs.reduce((total, text) => total + text.length, 0),
      mediaParts,
      maxOutputTokens: 0,
      // The model's own limit holds for each of them.
      choices: inputs.length,
    },
    onlyRelayed: findObstacle(settings, mediaParts),
  }
}

interface Settings {
  readonly taskType: string | null
  readonly title: string | null
  readonly dimensions: number | null
}

function settingsOf({ embedContentConfig, ...request }: WireEmbedRequest): Settings {
  const { taskType, title, outputDimensionality } = { ...embedContentConfig, ...request }
  return {
    taskType: taskType ?? null,
    title: title ?? null,
    dimensions: outputDimensionality ?? null,
  }
}

/** What suppliers of other formats cannot do. */
function findObstacle(settings: readonly Settings[], mediaParts: number): GatewayError | null {
  if (mediaParts > 0) {
    const message = 'The supplier of this model embeds text only: every part must be a text.'
    return new GatewayError('unsupported_parameter', message, { param: 'content.parts' })
  }
  const [first] = settings
  const isSame = ({ taskType, dimensions }: Settings) =>
    taskType === first?.taskType && dimensions === first.dimensions
  if (settings.every(isSame)) return null
  const message =
    'The supplier of this model needs the same taskType and outputDimensionality in all requests.'
  return new GatewayError('unsupported_parameter', message, { param: 'requests' })
}

function countMedia({ content }: WireEmbedRequest): number {
  return content.parts.filter((part) => typeof part.text !== 'string').length
}

function readText({ content }: WireEmbedRequest, path: string): string {
  const texts = content.parts.flatMap(({ text }) => text ?? [])
  const text = texts.join('\n')
  if (text !== '' || texts.length < content.parts.length) return text
  const param = `${path}content`
  throw new GatewayError('invalid_request', `${param} must not be empty.`, { param })
}
