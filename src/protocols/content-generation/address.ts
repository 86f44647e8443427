import { GatewayError } from '../../errors/gateway-error.ts'
import type { RequestAddress } from '../protocol.ts'

const OPERATIONS = {
  generateContent: 'generate',
  streamGenerateContent: 'generate',
  countTokens: 'count-tokens',
} as const satisfies Record<string, 'generate' | 'count-tokens'>

const EMBED_METHODS = ['embedContent', 'batchEmbedContents'] as const
export type EmbedMethod = (typeof EMBED_METHODS)[number]

type Method = keyof typeof OPERATIONS
export type Operation = (typeof OPERATIONS)[Method]

export interface ModelMethod {
  readonly model: string
  readonly method: Method
}

const MAX_SHOWN_CHARACTERS = 64

/** The operation of a path such as `vendor/model-1:countTokens`; null for an unknown method. */
export function operationOf(rest: string): Operation | null {
  const method = splitMethod(rest)?.method ?? ''
  return isMethod(method) ? OPERATIONS[method] : null
}

/** The address of a request for a model's answer. */
export function addressOf(model: string): RequestAddress {
  return { rest: `${model}:generateContent`, query: new URLSearchParams() }
}

/** Splits a path into model and method. Model names may contain slashes and colons, so the last colon counts. */
export function readModelMethod({ rest }: RequestAddress, operation: Operation): ModelMethod {
  const split = splitMethod(rest)
  const known = [...Object.keys(OPERATIONS), ...EMBED_METHODS].join(', ')
  if (split === null)
    throw new GatewayError('not_found', `The path must end in a colon and a method, one of ${known}.`)
  const { model, method } = split
  if (isMethod(method) && OPERATIONS[method] === operation) return { model, method }
  const shown = JSON.stringify(method.slice(0, MAX_SHOWN_CHARACTERS))
  throw new GatewayError('not_found', `The method ${shown} does not exist. Use one of ${known}.`)
}

const UNSERVED_EMBED_METHOD = 'asyncBatchEmbedContent'

/** Whether a path such as `model-1:embedContent` asks for embeddings, served or not. */
export function isEmbedPath(rest: string): boolean {
  const method = splitMethod(rest)?.method ?? ''
  return method === UNSERVED_EMBED_METHOD || isEmbedMethod(method)
}

/** Splits a path that asks for embeddings. */
export function readEmbedMethod({ rest }: RequestAddress): { model: string; method: EmbedMethod } {
  const { model, method } = splitMethod(rest) ?? { model: '', method: '' }
  if (isEmbedMethod(method)) return { model, method }
  const message = `The method ${JSON.stringify(UNSERVED_EMBED_METHOD)} is not served here, because nothing is embedded later. Use batchEmbedContents, with up to 2,048 requests.`
  throw new GatewayError('not_found', message)
}

function isEmbedMethod(name: string): name is EmbedMethod {
  return EMBED_METHODS.some((method) => method === name)
}

function splitMethod(rest: string): { model: string; method: string } | null {
  const colon = rest.lastIndexOf(':')
  if (colon < 1) return null
  return { model: rest.slice(0, colon), method: rest.slice(colon + 1) }
}

function isMethod(name: string): name is Method {
  return Object.hasOwn(OPERATIONS, name)
}

/** How a stream is framed. Official clients ask for `sse`, which is also the default. */
export type StreamShape = 'sse' | 'json'

export function readStreamShape({ query }: RequestAddress): StreamShape {
  const alt = query.get('alt') ?? 'sse'
  if (alt === 'sse' || alt === 'json') return alt
  throw new GatewayError('invalid_request', 'alt must be one of "sse", "json".', { param: 'alt' })
}
