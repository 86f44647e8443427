import { GatewayError } from '../../../errors/gateway-error.ts'
import { isObject, type JsonObject, tryParseJson } from '../../../wire/json-values.ts'
import { isTooDeep } from '../measure.ts'
import type { BodyHalf } from './pairs.ts'

interface Removal {
  readonly list: 'tools' | 'system' | 'messages'
  readonly gone: BodyHalf
  /** Collects the names of what was removed. */
  readonly removed: Set<string>
}

/**
 * The JSON text of a list without what the features brought into it; null when it had nothing of theirs. Throws when the
 * request is about something of theirs.
 */
export function removeParts(json: string, { list, gone, removed }: Removal): string | null {
  const items = tryParseJson(json)
  if (!Array.isArray(items) || isTooDeep(items)) return null
  const remover = new Remover(gone, removed)
  const rest = items.flatMap((item) => {
    if (!isObject(item)) return [item]
    if (list === 'tools') return remover.tool(item)
    return list === 'system' ? remover.block(item) : remover.message(item)
  })
  return remover.hasChanged ? JSON.stringify(rest) : null
}

class Remover {
  hasChanged = false
  readonly #gone: BodyHalf
  readonly #removed: Set<string>

  constructor(gone: BodyHalf, removed: Set<string>) {
    this.#gone = gone
    this.#removed = removed
  }

  tool(tool: JsonObject): JsonObject[] {
    const { tools = [], toolMembers = [] } = this.#gone
    const type = typeof tool.type === 'string' ? tool.type : ''
    if (tools.some((start) => type.startsWith(start))) return this.#drop(`tools.${type}`)
    return [this.#uncached(this.#without(tool, toolMembers, 'tools'))]
  }

  message(message: JsonObject): JsonObject[] {
    const { messageMembers = [], systemTurns } = this.#gone
    const plain = this.#without(message, messageMembers, 'messages')
    const content = this.#blocks(plain.content)
    // A message that only announced such a thing has nothing left to say.
    if (Array.isArray(content) && content.length === 0 && Array.isArray(message.content)) {
      if (message.content.length > 0) return []
    }
    const isMoved = systemTurns === true && message.role === 'system'
    if (isMoved) this.#drop('messages.role')
    return [{ ...plain, ...(isMoved && { role: 'user' }), ...(content !== undefined && { content }) }]
  }

  block(block: JsonObject): JsonObject[] {
    const { blocks = [], calls = [], matter = [] } = this.#gone
    const type = typeof block.type === 'string' ? block.type : ''
    const kind = isObject(block.source) && block.source.type === 'file' ? 'file' : type
    if (matter.includes(kind)) throw refusalOf(kind)
    const isCall = type === 'server_tool_use' && typeof block.name === 'string' && calls.includes(block.name)
    if (isCall || blocks.includes(type)) return this.#drop(`messages.${type}`)
    const content = type === 'tool_result' ? this.#blocks(block.content) : undefined
    return [this.#uncached(content === undefined ? block : { ...block, content })]
  }

  #blocks(content: unknown): unknown {
    if (!Array.isArray(content)) return content
    return content.flatMap((block) => (isObject(block) ? this.block(block) : [block]))
  }

  #uncached(item: JsonObject): JsonObject {
    const { cacheMembers = [] } = this.#gone
    if (cacheMembers.length === 0 || !isObject(item.cache_control)) return item
    return { ...item, cache_control: this.#without(item.cache_control, cacheMembers, 'cache_control') }
  }

  #without(object: JsonObject, names: readonly string[], place: string): JsonObject {
    const found = names.filter((name) => Object.hasOwn(object, name))
    if (found.length === 0) return object
    for (const name of found) this.#drop(`${place}.${name}`)
    return Object.fromEntries(Object.entries(object).filter(([name]) => !found.includes(name)))
  }

  #drop(name: string): [] {
    this.hasChanged = true
    this.#removed.add(name)
    return []
  }
}

function refusalOf(kind: string): GatewayError {
  const message = `capability_rejected: ${kind}. The supplier of this model takes no content of type "${kind}".`
  return new GatewayError('unsupported_parameter', message, { param: kind })
}
