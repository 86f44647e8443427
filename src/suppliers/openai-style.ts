import type { Format } from '../vocabulary/supply.ts'
import type { CallQuery, CallTarget } from './supplier-type.ts'

/** Where each format lives under a base URL that ends in the version, as OpenAI's own SDK takes it. */
const PATHS = {
  'chat-completion': '/chat/completions',
} as const satisfies Partial<Record<Format, string>>

export const OPENAI_STYLE_FORMATS = Object.keys(PATHS) as readonly Format[]

export function openaiStyleTarget({ format, baseUrl, secret }: CallQuery): CallTarget {
  const path = format in PATHS ? PATHS[format as keyof typeof PATHS] : undefined
  if (path === undefined) throw new Error(`no path for ${format}`)
  return {
    url: `${baseUrl}${path}`,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}` },
  }
}
