import type { Format, Supplier } from '../vocabulary/supply.ts'
import { GOOGLE_STYLE_FORMATS } from './styles.ts'
import { trimSlashes } from './supplier-type.ts'

/** How to list the models of a supplier, page by page. */
export interface ModelList {
  /** The format whose calls carry the credential as the list wants it. */
  readonly format: Format
  /** Where a page is; the cursor is that of the page before, null for the first. */
  address(baseUrl: string, cursor: string | null): string
  /** Returns null when the body is not a model list. */
  read(body: unknown): ModelPage | null
  /** A model's name as routes have it. */
  plainName(name: string): string
}

export interface ModelPage {
  readonly names: readonly string[]
  /** null on the last page. */
  readonly cursor: string | null
}

const openaiStyle: ModelList = {
  format: 'chat-completion',
  address: (baseUrl) => `${trimSlashes(baseUrl)}/models`,
  read: (body) => {
    // Some compatible servers omit the envelope.
    const names = namesIn(Array.isArray(body) ? body : memberOf(body, 'data'), 'id')
    return names && { names, cursor: null }
  },
  plainName: (name) => name,
}

const anthropicStyle: ModelList = {
  format: 'messages',
  address: (baseUrl, cursor) => {
    const after = cursor === null ? '' : `&after_id=${encodeURIComponent(cursor)}`
    return `${trimSlashes(baseUrl)}/v1/models?limit=1000${after}`
  },
  read: (body) => {
    const names = namesIn(memberOf(body, 'data'), 'id')
    const cursor = memberOf(body, 'has_more') === true ? textOf(memberOf(body, 'last_id')) : null
    return names && { names, cursor }
  },
  plainName: (name) => name,
}

const googleStyle: ModelList = {
  format: 'content-generation',
  address: (baseUrl, cursor) => {
    const after = cursor === null ? '' : `&pageToken=${encodeURIComponent(cursor)}`
    return `${trimSlashes(baseUrl)}/v1beta/models?pageSize=1000${after}`
  },
  read: (body) => {
    const names = namesIn(memberOf(body, 'models'), 'name')
    return names && { names: names.map(withoutCollection), cursor: textOf(memberOf(body, 'nextPageToken')) }
  },
  plainName: withoutCollection,
}

/** The list of a supplier; null when suppliers of its type have none that is read here. */
export function modelListOf({ type, formats }: Pick<Supplier, 'type' | 'formats'>): ModelList | null {
  switch (type) {
    case 'openai':
    case 'openai-compatible':
      return openaiStyle
    case 'anthropic':
      return anthropicStyle
    case 'google':
      return googleStyle
    case 'sandbox':
      return sandboxList(formats)
    case 'azure-openai':
    case 'bedrock':
    case 'vertex':
      return null
  }
}

/** The simulator has two lists at one origin; its first format says which vendor it plays. */
function sandboxList([format]: readonly Format[]): ModelList {
  const isGoogle = format !== undefined && GOOGLE_STYLE_FORMATS.includes(format)
  const style = isGoogle ? googleStyle : openaiStyle
  return {
    ...style,
    address: (baseUrl, cursor) => {
      const origin = trimSlashes(baseUrl).replace(/\/v1(beta)?$/, '')
      return style.address(isGoogle ? origin : `${origin}/v1`, cursor)
    },
  }
}

function withoutCollection(name: string): string {
  return name.replace(/^models\//, '')
}

function namesIn(list: unknown, field: string): string[] | null {
  if (!Array.isArray(list)) return null
  return list.map((item) => textOf(memberOf(item, field))).filter((name) => name !== null)
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  return (value as Readonly<Record<string, unknown>>)[name]
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}
