import type { Turn } from '../../../conversation/conversation.ts'
import type { ImagePart, OpaquePart, Part, TextPart, ToolResultPart } from '../../../conversation/part.ts'
import { isProofFor } from '../../../conversation/proof.ts'
import { asObject, type JsonObject } from '../../../wire/json-values.ts'
import type { SupplyContext } from '../../translation.ts'
import { type ContentOptions, type ContentPart, contentOfOpaque, encodePart } from '../content.ts'
import { FORMAT } from '../format.ts'
import { encodeReasoning } from '../reasoning.ts'

/** Encodes turns as input items. */
export class ItemEncoder {
  readonly items: JsonObject[] = []
  readonly #context: SupplyContext
  readonly #dropped: Set<string>
  /** Images from tool results, if the model does not accept them there. They follow all results of the turn. */
  #moved: ImagePart[] = []

  constructor(context: SupplyContext, dropped: Set<string>) {
    this.#context = context
    this.#dropped = dropped
  }

  add({ role, parts }: Turn): void {
    const content: ContentPart[] = []
    const flush = () => this.#addMessage(role, content.splice(0))
    for (const part of parts) {
      if (isContent(part)) {
        content.push(...this.#takeMoved(), part)
        continue
      }
      flush()
      this.#addItem(part)
    }
    content.push(...this.#takeMoved())
    flush()
  }

  addMessage(role: 'developer' | 'user', content: readonly ContentPart[]): void {
    this.#addMessage(role === 'developer' ? 'system' : 'user', content)
  }

  #takeMoved(): ImagePart[] {
    const moved = this.#moved
    this.#moved = []
    return moved
  }

  #addItem(part: Exclude<Part, ContentPart> | OpaquePart): void {
    switch (part.type) {
      case 'thinking':
        if (part.proof !== null && isProofFor(part.proof, { format: FORMAT, route: this.#context.route })) {
          this.items.push(encodeReasoning({ ...part, proof: part.proof }))
        }
        return
      case 'tool-call': {
        const { id, name, kind, input, namespace } = part
        const call = { call_id: id, name, ...(namespace !== null && { namespace }) }
        // No item id: with one, the supplier would look for the reasoning item that belongs to it.
        if (kind === 'custom') this.items.push({ type: 'custom_tool_call', ...call, input })
        else this.items.push({ type: 'function_call', ...call, arguments: input === '' ? '{}' : input })
        return
      }
      case 'tool-result':
        this.#addResult(part)
        return
      case 'opaque':
        if (part.format === FORMAT) this.items.push(asObject(part.value) ?? {})
        else this.#dropped.add(part.kind)
    }
  }

  #addMessage(role: Turn['role'], content: readonly ContentPart[]): void {
    const options = this.#contentOptions(role === 'assistant' ? 'assistant' : 'user')
    const parts = this.#encodeParts(content, options)
    if (parts.length === 0) return
    const system = this.#context.traits.developerRole ? 'developer' : 'system'
    this.items.push({ type: 'message', role: role === 'system' ? system : role, content: parts })
  }

  #encodeParts(parts: readonly ContentPart[], options: ContentOptions): JsonObject[] {
    const encoded: JsonObject[] = []
    for (const part of parts) {
      const wire = encodePart(part, options)
      if (wire === null) this.#dropped.add(part.type === 'opaque' ? part.kind : part.type)
      else encoded.push(wire)
    }
    return encoded
  }

  #contentOptions(role: ContentOptions['role']): ContentOptions {
    return { role, hasCacheBreakpoints: this.#context.traits.cacheBreakpoints }
  }

  #addResult(result: ToolResultPart): void {
    const type = result.kind === 'custom' ? 'custom_tool_call_output' : 'function_call_output'
    this.items.push({ type, call_id: result.callId, output: this.#encodeOutput(result) })
  }

  /** Plain text is sent as a string, because some suppliers refuse a list. */
  #encodeOutput(result: ToolResultPart): string | JsonObject[] {
    const parts = this.#keepImages(withErrorMark(result))
    const options = this.#contentOptions('user')
    const isPlain = parts.every((part) => part.type === 'text')
    if (isPlain && !(options.hasCacheBreakpoints && hasCacheHint(result))) return joinText(parts)
    return this.#encodeParts(withResultCache(parts, result), options)
  }

  #keepImages(parts: ToolResultPart['parts']): ToolResultPart['parts'] {
    if (this.#context.traits.toolResultImages) return parts
    this.#moved.push(...parts.filter((part) => part.type === 'image'))
    return parts.filter((part) => part.type !== 'image')
  }
}

function isContent(part: Part): part is ContentPart {
  if (part.type === 'opaque') return part.format === FORMAT && contentOfOpaque(part) !== null
  return part.type === 'text' || part.type === 'image' || part.type === 'refusal'
}

// This format has no error field, and suppliers refuse unknown fields.
function withErrorMark({ parts, isError }: ToolResultPart): ToolResultPart['parts'] {
  if (!isError) return parts
  const [first, ...rest] = parts
  if (first?.type === 'text') return [{ ...first, text: `Error: ${first.text}` }, ...rest]
  return [{ type: 'text', text: 'Error', cache: null, citations: [], proof: null }, ...parts]
}

function joinText(parts: ToolResultPart['parts']): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
}

function hasCacheHint({ cache, parts }: ToolResultPart): boolean {
  return cache !== null || parts.some((part) => part.type !== 'opaque' && part.cache !== null)
}

/** Moves the cache mark of a result to its last part. */
function withResultCache(parts: ToolResultPart['parts'], { cache }: ToolResultPart): ToolResultPart['parts'] {
  const last = parts.at(-1)
  if (cache === null || last === undefined || last.type === 'opaque') return parts
  const marked: TextPart | ImagePart = { ...last, cache }
  return [...parts.slice(0, -1), marked]
}
