import type { Format } from '../vocabulary/supply.ts'
import { type CallQuery, type CallTarget, noAddress, trimSlashes } from './supplier-type.ts'

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
  // Without this the service sends one JSON list instead of events.
  return stream ? 'streamGenerateContent?alt=sse' : 'generateContent'
}

/** A tuned model's name already says where it lives. */
function resourceOf(model: string): string {
  const path = encodeURIComponent(model).replaceAll('%2F', '/').replaceAll('%3A', ':')
  return /^(models|tunedModels)\//.test(path) ? path : `models/${path}`
}
