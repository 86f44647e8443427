import { trimSlashes } from './styles.ts'
import type { ModelList } from './supplier-type.ts'

export const openaiModels: ModelList = {
  format: 'chat-completion',
  address: (baseUrl) => `${trimSlashes(baseUrl)}/models`,
  read: (body) => {
    // Some compatible servers omit the envelope.
    const names = namesIn(Array.isArray(body) ? body : memberOf(body, 'data'), 'id')
    return names && { names, cursor: null }
  },
  plainName: (name) => name,
}

export const anthropicModels: ModelList = {
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

export const googleModels: ModelList = {
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
