import type {
  ImagePart,
  OpaquePart,
  Part,
  TextPart,
  ThinkingPart,
  ToolResultPart,
} from '../../../conversation/part.ts'
import { isProofFor } from '../../../conversation/proof.ts'
import { GatewayError } from '../../../errors/gateway-error.ts'
import { isObject, type JsonObject } from '../../../wire/json-values.ts'
import type { SupplyContext } from '../../translation.ts'
import { FORMAT } from '../format.ts'
import { parseInput } from '../reply/encode-reply.ts'
import { encodeCache } from './cache.ts'

const IMAGE_TYPES: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp'])

/** The target of a request, and the parameters that it cannot take. */
export interface Encoding {
  readonly context: SupplyContext
  readonly dropped: Set<string>
}

/** A user's parts: results first, then the images moved out of them, then the rest. */
export function encodeUserParts(parts: readonly Part[], encoding: Encoding): JsonObject[] {
  const results: JsonObject[] = []
  const moved: JsonObject[] = []
  const others: JsonObject[] = []
  for (const part of parts) {
    if (part.type === 'tool-result') {
      const encoded = encodeResult(part, encoding)
      results.push(encoded.result)
      moved.push(...encoded.moved)
    } else others.push(...encodePart(part, encoding))
  }
  return [...results, ...moved, ...others]
}

/** An assistant's parts. Suppliers reject a turn with signed thoughts that does not start with one. */
export function encodeAssistantParts(parts: readonly Part[], encoding: Encoding): JsonObject[] {
  const blocks = parts.flatMap((part) => {
    if (part.type !== 'image') return encodePart(part, encoding)
    // The format has no images in assistant turns.
    encoding.dropped.add('image')
    return []
  })
  const first = blocks[0]
  if (first === undefined || isThought(first) || !blocks.some(isThought)) return blocks
  return [...blocks.filter(isThought), ...blocks.filter((block) => !isThought(block))]
}

export function isThought(block: JsonObject): boolean {
  return block.type === 'thinking' || block.type === 'redacted_thinking'
}

function encodePart(part: Part, encoding: Encoding): JsonObject[] {
  switch (part.type) {
    case 'text':
      return encodeText(part)
    case 'refusal':
      return isBlank(part.text) ? [] : [{ type: 'text', text: part.text }]
    case 'image':
      return [encodeImage(part, encoding)]
    case 'thinking':
      return encodeThinking(part, encoding)
    case 'tool-call': {
      const input = part.kind === 'custom' ? { input: part.input } : parseInput(part.input)
      return [{ type: 'tool_use', id: part.id, name: part.name, input }]
    }
    case 'tool-result':
      return [encodeResult(part, encoding).result]
    case 'opaque':
      return encodeOpaque(part, encoding)
  }
}

export function encodeText({ text, cache }: Pick<TextPart, 'text' | 'cache'>): JsonObject[] {
  return isBlank(text) ? [] : [{ type: 'text', text, ...encodeCache(cache) }]
}

// Suppliers reject blank texts.
function isBlank(text: string): boolean {
  return text.trim() === ''
}

/** Suppliers reject thoughts that they did not sign, so those are left out. */
function encodeThinking({ text, proof, isRedacted }: ThinkingPart, { context }: Encoding): JsonObject[] {
  const isOwn = proof?.on === 'thinking' && isProofFor(proof, { format: FORMAT, route: context.route })
  if (!isOwn || proof.value === '') return []
  return isRedacted
    ? [{ type: 'redacted_thinking', data: proof.value }]
    : [{ type: 'thinking', thinking: text, signature: proof.value }]
}

function encodeImage({ source, detail, cache }: ImagePart, { context, dropped }: Encoding): JsonObject {
  if (!context.traits.vision) refuseImage('This model does not accept images.')
  if (detail !== null && detail !== 'auto') dropped.add('detail')
  if (source.type === 'url') {
    return { type: 'image', source: { type: 'url', url: source.url }, ...encodeCache(cache) }
  }
  if (!IMAGE_TYPES.has(source.mediaType)) {
    refuseImage('Images for this model must be of type image/jpeg, image/png, image/gif or image/webp.')
  }
  const { mediaType, data } = source
  return { type: 'image', source: { type: 'base64', media_type: mediaType, data }, ...encodeCache(cache) }
}

function refuseImage(message: string): never {
  throw new GatewayError('invalid_request', message)
}

function encodeOpaque({ format, kind, value }: OpaquePart, { dropped }: Encoding): JsonObject[] {
  if (format === FORMAT && isObject(value)) return [value]
  dropped.add(kind)
  return []
}

interface EncodedResult {
  readonly result: JsonObject
  /** Images that the model does not accept inside a result. */
  readonly moved: readonly JsonObject[]
}

function encodeResult(part: ToolResultPart, encoding: Encoding): EncodedResult {
  const takesImages = encoding.context.traits.toolResultImages
  const content: JsonObject[] = []
  const moved: JsonObject[] = []
  for (const inner of part.parts) {
    const isMoved = inner.type === 'image' && !takesImages
    const target = isMoved ? moved : content
    target.push(...encodePart(inner, encoding))
  }
  if (moved.length > 0) content.push({ type: 'text', text: '(The images of this result follow it.)' })
  const result = {
    type: 'tool_result',
    tool_use_id: part.callId,
    ...(content.length > 0 && { content }),
    ...(part.isError && { is_error: true }),
    ...encodeCache(part.cache),
  }
  return { result, moved }
}
