import type { Format } from '../vocabulary/supply.ts'
import { isForwarded, vendorHeaders } from './anthropic/betas.ts'
import type { CallQuery, CallTarget, SupplierOperation, TakesBeta } from './supplier-type.ts'

type Paths = Readonly<Partial<Record<Format, Readonly<Partial<Record<SupplierOperation, string>>>>>>

/** The paths of each format under a base URL that ends in the version, like in OpenAI's SDK. Rerank is not OpenAI's own. */
const PATHS: Paths = {
  'chat-completion': { generate: '/chat/completions' },
  responses: {
    generate: '/responses',
    'count-tokens': '/responses/input_tokens',
    compact: '/responses/compact',
  },
  images: { 'generate-image': '/images/generations', 'edit-image': '/images/edits' },
  completions: { generate: '/completions' },
  embeddings: { embed: '/embeddings' },
  rerank: { rerank: '/rerank' },
  moderations: { moderate: '/moderations' },
  transcriptions: { transcribe: '/audio/transcriptions', 'translate-audio': '/audio/translations' },
  speech: { speak: '/audio/speech' },
}

export const OPENAI_STYLE_FORMATS = Object.keys(PATHS) as readonly Format[]

export function openaiStyleTarget(query: CallQuery): CallTarget {
  return bearerTarget(query, PATHS)
}

function bearerTarget(query: CallQuery, paths: Paths): CallTarget {
  const path = paths[query.format]?.[query.operation ?? 'generate']
  if (path === undefined) throw noAddress(query)
  return {
    url: `${trimSlashes(query.baseUrl)}${path}`,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${query.secret}` },
  }
}

/** The API version of requests that the gateway writes itself. A newer one has fewer parameters. */
const VERSION = '2023-06-01'

export const ANTHROPIC_STYLE_FORMATS: readonly Format[] = ['messages']
export const ANTHROPIC_STYLE_OPTIONS = ['version', 'betas'] as const

/** The base URL has no version in it, as Anthropic's own SDK takes it. */
export function anthropicStyleTarget(query: CallQuery): CallTarget {
  if (query.format !== 'messages') throw noAddress(query)
  const path = query.operation === 'count-tokens' ? '/v1/messages/count_tokens' : '/v1/messages'
  const { clientHeaders, options, betas } = query
  return {
    url: `${trimSlashes(query.baseUrl)}${path}`,
    headers: {
      'content-type': 'application/json',
      ...vendorHeaders(clientHeaders),
      'x-api-key': query.secret,
      'anthropic-version': options.version ?? clientHeaders?.get('anthropic-version') ?? VERSION,
      ...(betas !== undefined && betas.length > 0 && { 'anthropic-beta': betas.join(',') }),
    },
  }
}

/** The vendor itself takes every beta that we let through. */
export const takesForwardedBeta: TakesBeta = (beta, { betas }) => isForwarded(beta, betas)

/** The paths of Cohere's API. The base URL has no version in it, as Cohere's own SDK takes it. */
const COHERE_PATHS: Paths = { cohere: { embed: '/v2/embed' }, rerank: { rerank: '/v2/rerank' } }

export const COHERE_STYLE_FORMATS = Object.keys(COHERE_PATHS) as readonly Format[]

export function cohereStyleTarget(query: CallQuery): CallTarget {
  return bearerTarget(query, COHERE_PATHS)
}

/** The paths of Voyage's API, under a base URL that ends in the version. */
const VOYAGE_PATHS: Paths = { voyage: { embed: '/embeddings', rerank: '/rerank' } }

export const VOYAGE_STYLE_FORMATS = Object.keys(VOYAGE_PATHS) as readonly Format[]

export function voyageStyleTarget(query: CallQuery): CallTarget {
  return bearerTarget(query, VOYAGE_PATHS)
}

export const GOOGLE_STYLE_FORMATS: readonly Format[] = ['content-generation']

/** The base URL has no version in it, as Google's own SDK takes it; model and method stand in the path. */
export function googleStyleTarget(query: CallQuery): CallTarget {
  if (query.format !== 'content-generation') throw noAddress(query)
  return {
    url: `${trimSlashes(query.baseUrl)}/v1beta/${resourceOf(query.upstreamModel)}:${methodOf(query)}`,
    headers: { 'content-type': 'application/json', 'x-goog-api-key': query.secret },
  }
}

function methodOf({ operation, stream }: CallQuery): string {
  if (operation === 'count-tokens') return 'countTokens'
  if (operation === 'embed') return 'batchEmbedContents'
  // Without this the service sends one JSON list instead of events.
  return stream ? 'streamGenerateContent?alt=sse' : 'generateContent'
}

/** The name of a tuned model already includes its path. */
function resourceOf(model: string): string {
  const path = encodeURIComponent(model).replaceAll('%2F', '/').replaceAll('%3A', ':')
  return /^(models|tunedModels)\//.test(path) ? path : `models/${path}`
}

export function trimSlashes(baseUrl: string): string {
  // Nearly none has any, and looking for them all costs more than the rest of an address.
  return baseUrl.endsWith('/') ? baseUrl.replace(/\/+$/, '') : baseUrl
}

/** Cannot happen by configuration: routes exist only for formats of their supplier type. */
export function noAddress({ format, operation }: CallQuery): Error {
  return new Error(`no address for ${operation ?? 'generate'} in ${format}`)
}
