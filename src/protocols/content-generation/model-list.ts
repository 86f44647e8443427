import type { Static } from 'typebox'
import { GatewayError } from '../../errors/gateway-error.ts'
import type { GenerationModelListSchema, GenerationModelSchema } from './reply/reply-schema.ts'

/** What a list of models tells of each. */
export interface ListedModel {
  readonly id: string
  readonly displayName: string
  readonly description: string
  readonly inputTokenLimit: number | null
  readonly outputTokenLimit: number | null
}

/** As they stand in the query; null when they do not. */
export interface PageQuery {
  readonly pageSize: string | null
  readonly pageToken: string | null
}

export type ModelEntry = Static<typeof GenerationModelSchema>
type ModelList = Static<typeof GenerationModelListSchema>

const PAGE_SIZE = 50
const LARGEST_PAGE = 1000
const METHODS = ['generateContent', 'countTokens', 'streamGenerateContent']

export function encodeModel(model: ListedModel): ModelEntry {
  const { id, displayName, description, inputTokenLimit, outputTokenLimit } = model
  return {
    name: `models/${id}`,
    version: '001',
    displayName,
    description,
    ...(inputTokenLimit !== null && { inputTokenLimit }),
    ...(outputTokenLimit !== null && { outputTokenLimit }),
    supportedGenerationMethods: METHODS,
  }
}

/** One page, in the order of the ids: a page goes on after the last id of the one before, whatever has changed since. */
export function encodeModelList(models: readonly ListedModel[], query: PageQuery): ModelList {
  const size = readPageSize(query.pageSize)
  const after = readPageToken(query.pageToken)
  const rest = models
    .filter(({ id }) => after === null || id > after)
    .sort((one, other) => (one.id < other.id ? -1 : 1))
  const page = rest.slice(0, size)
  const last = page.at(-1)
  return {
    models: page.map(encodeModel),
    ...(last !== undefined && rest.length > page.length && { nextPageToken: writePageToken(last.id) }),
  }
}

function readPageSize(pageSize: string | null): number {
  if (pageSize === null || pageSize === '') return PAGE_SIZE
  const size = Number(pageSize)
  if (/^\d{1,4}$/.test(pageSize) && size >= 1 && size <= LARGEST_PAGE) return size
  const message = `pageSize must be an integer from 1 to ${LARGEST_PAGE}.`
  throw new GatewayError('invalid_request', message, { param: 'pageSize' })
}

// A mark at the front tells a token of ours from any other text that happens to be Base64.
const TOKEN_MARK = 'after:'

function writePageToken(id: string): string {
  return Buffer.from(`${TOKEN_MARK}${id}`).toString('base64url')
}

function readPageToken(token: string | null): string | null {
  if (token === null || token === '') return null
  const text = Buffer.from(token, 'base64url').toString('utf8')
  if (text.startsWith(TOKEN_MARK)) return text.slice(TOKEN_MARK.length)
  throw new GatewayError('invalid_request', 'pageToken must be the nextPageToken of an earlier page.', {
    param: 'pageToken',
  })
}
