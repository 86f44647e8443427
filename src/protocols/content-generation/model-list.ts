import type { Static } from 'typebox'
import { GatewayError } from '../../errors/gateway-error.ts'
import type { ModelKind } from '../../vocabulary/supply.ts'
import type { GenerationModelListSchema, GenerationModelSchema } from './reply/reply-schema.ts'

/** A model as the gateway lists it. */
export interface ListedModel {
  readonly id: string
  readonly displayName: string
  readonly description: string
  readonly inputTokenLimit: number | null
  readonly outputTokenLimit: number | null
  readonly kinds: readonly ModelKind[]
}

/** The raw query parameters; null when absent. */
export interface PageQuery {
  readonly pageSize: string | null
  readonly pageToken: string | null
}

export type ModelEntry = Static<typeof GenerationModelSchema>
type ModelList = Static<typeof GenerationModelListSchema>

const PAGE_SIZE = 50
const MAX_PAGE_SIZE = 1000

/** The methods of this format that models of a kind can be called with. Other kinds have none. */
const METHODS: Readonly<Partial<Record<ModelKind, readonly string[]>>> = {
  text: ['generateContent', 'countTokens', 'streamGenerateContent'],
  embedding: ['embedContent', 'batchEmbedContents'],
}

/** Whether the format has a method for the model. */
export function isListed({ kinds }: Pick<ListedModel, 'kinds'>): boolean {
  return kinds.some((kind) => METHODS[kind] !== undefined)
}

export function encodeModel(model: ListedModel): ModelEntry {
  const { id, displayName, description, inputTokenLimit, outputTokenLimit } = model
  return {
    name: `models/${id}`,
    version: '001',
    displayName,
    description,
    ...(inputTokenLimit !== null && { inputTokenLimit }),
    ...(outputTokenLimit !== null && { outputTokenLimit }),
    supportedGenerationMethods: model.kinds.flatMap((kind) => METHODS[kind] ?? []),
  }
}

/** One page, sorted by id. A page token holds the last id, so paging survives changes of the list. */
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
  if (/^\d{1,4}$/.test(pageSize) && size >= 1 && size <= MAX_PAGE_SIZE) return size
  const message = `pageSize must be an integer from 1 to ${MAX_PAGE_SIZE}.`
  throw new GatewayError('invalid_request', message, { param: 'pageSize' })
}

// The prefix tells the gateway's tokens from other Base64 text.
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
