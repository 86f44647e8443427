import type { Format } from '../vocabulary/supply.ts'
import { allowedBetas } from './anthropic/betas.ts'
import { type CallQuery, type CallTarget, noAddress, trimSlashes } from './supplier-type.ts'

/** The version this program was written for; a newer one takes away parameters that clients still send. */
const VERSION = '2023-06-01'

export const ANTHROPIC_STYLE_FORMATS: readonly Format[] = ['messages']
export const ANTHROPIC_STYLE_OPTIONS = ['version', 'betas'] as const

/** The base URL has no version in it, as Anthropic's own SDK takes it. */
export function anthropicStyleTarget(query: CallQuery): CallTarget {
  if (query.format !== 'messages') throw noAddress(query)
  const path = query.operation === 'count-tokens' ? '/v1/messages/count_tokens' : '/v1/messages'
  const betas = allowedBetas(query.clientHeaders, query.options.betas)
  return {
    url: `${trimSlashes(query.baseUrl)}${path}`,
    headers: {
      'content-type': 'application/json',
      'x-api-key': query.secret,
      'anthropic-version': query.options.version ?? VERSION,
      ...(betas !== null && { 'anthropic-beta': betas }),
    },
  }
}
