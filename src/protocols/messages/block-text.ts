import { asObject, asText, isObject, type JsonObject } from '../../wire/json-values.ts'
import type { AnyBlock } from './request/schema.ts'

/** The text of a block that says nothing else, for suppliers that do not know its kind; null when it is not text. */
export function textIn(block: AnyBlock): string | null {
  const fields = block as JsonObject
  switch (block.type) {
    case 'document':
      return documentText(fields)
    case 'search_result':
      return quoted(joined(fields.content), [asText(fields.title), asText(fields.source)])
    case 'compaction':
      // A summary of the turns that it stands for.
      return asText(fields.content)
    default:
      return null
  }
}

function documentText({ source, title, context }: JsonObject): string | null {
  const from = asObject(source)
  const text =
    from?.type === 'text' ? asText(from.data) : from?.type === 'content' ? joined(from.content) : null
  return quoted(text, [asText(title), asText(context)])
}

/** Text blocks one after the other; null when there is something else among them. */
function joined(content: unknown): string | null {
  if (!Array.isArray(content)) return asText(content)
  const texts = content.map((item) => (isObject(item) && item.type === 'text' ? asText(item.text) : null))
  return texts.includes(null) ? null : texts.join('\n')
}

function quoted(text: string | null, heads: readonly (string | null)[]): string | null {
  if (text === null) return null
  const lines = heads.filter((head) => head !== null && head !== '')
  return ['<document>', ...lines, text, '</document>'].join('\n')
}
