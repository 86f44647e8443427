import type { Format } from '../vocabulary/supply.ts'
import {
  type CallQuery,
  type CallTarget,
  noAddress,
  type SupplierOperation,
  trimSlashes,
} from './supplier-type.ts'

type Paths = Readonly<Partial<Record<Format, Readonly<Partial<Record<SupplierOperation, string>>>>>>

/** Where each format lives under a base URL that ends in the version, as OpenAI's own SDK takes it. */
const PATHS: Paths = {
  'chat-completion': { generate: '/chat/completions' },
  responses: { generate: '/responses', 'count-tokens': '/responses/input_tokens' },
  images: { 'generate-image': '/images/generations', 'edit-image': '/images/edits' },
}

export const OPENAI_STYLE_FORMATS = Object.keys(PATHS) as readonly Format[]

export function openaiStyleTarget(query: CallQuery): CallTarget {
  const path = PATHS[query.format]?.[query.operation ?? 'generate']
  if (path === undefined) throw noAddress(query)
  return {
    url: `${trimSlashes(query.baseUrl)}${path}`,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${query.secret}` },
  }
}
