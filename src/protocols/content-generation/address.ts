import { GatewayError } from '../../errors/gateway-error.ts'
import type { RequestAddress } from '../protocol.ts'

const OPERATIONS = {
  generateContent: 'generate',
  streamGenerateContent: 'generate',
  countTokens: 'count-tokens',
} as const satisfies Record<string, 'generate' | 'count-tokens'>

type Method = keyof typeof OPERATIONS
export type Operation = (typeof OPERATIONS)[Method]

export interface ModelMethod {
  readonly model: string
  readonly method: Method
}

const LONGEST_SHOWN = 64

/** What a path such as `vendor/model-1:countTokens` asks for; null when it names no method known here. */
export function operationOf(rest: string): Operation | null {
  const method = splitMethod(rest)?.method ?? ''
  return isMethod(method) ? OPERATIONS[method] : null
}

/** The model and the method of a path. Model names have slashes and colons of their own, so the last colon parts them. */
export function readModelMethod({ rest }: RequestAddress, operation: Operation): ModelMethod {
  const split = splitMethod(rest)
  const known = Object.keys(OPERATIONS).join(', ')
  if (split === null)
    throw new GatewayError('not_found', `The path must end in a colon and a method, one of ${known}.`)
  const { model, method } = split
  if (isMethod(method) && OPERATIONS[method] === operation) return { model, method }
  const shown = JSON.stringify(method.slice(0, LONGEST_SHOWN))
  throw new GatewayError('not_found', `The method ${shown} does not exist; known ones are ${known}.`)
}

function splitMethod(rest: string): { model: string; method: string } | null {
  const colon = rest.lastIndexOf(':')
  if (colon < 1) return null
  return { model: rest.slice(0, colon), method: rest.slice(colon + 1) }
}

function isMethod(name: string): name is Method {
  return Object.hasOwn(OPERATIONS, name)
}

/** How a stream is written. The official clients ask for `sse`; without a word it is the same. */
export type StreamShape = 'sse' | 'json'

export function readStreamShape({ query }: RequestAddress): StreamShape {
  const alt = query.get('alt') ?? 'sse'
  if (alt === 'sse' || alt === 'json') return alt
  throw new GatewayError('invalid_request', 'alt must be one of "sse", "json".', { param: 'alt' })
}
