import type {
  ImageSource,
  OpaquePart,
  Part,
  TextPart,
  ThinkingPart,
  ToolCallPart,
  ToolResultPart,
} from '../../../conversation/part.ts'
import { type Proof, readProof } from '../../../conversation/proof.ts'
import { FORMAT } from '../format.ts'
import { decodeCitation } from '../reply/citations.ts'
import { decodeCache } from './cache.ts'
import {
  type AnyBlock,
  asKnownBlock,
  type ImageBlock,
  type MessagesContent,
  type TextBlock,
  type ToolResultBlock,
  type ToolUseBlock,
} from './schema.ts'

export type Role = 'user' | 'assistant' | 'system'

/** The parts of one message, in its order; empty texts are left out. */
export function decodeContent(content: MessagesContent, role: Role): Part[] {
  if (typeof content === 'string') return decodeText({ type: 'text', text: content })
  return content.flatMap((block) => decodeBlock(block, role))
}

/** A block that does not belong to the role is carried as it is: what it means is for its own suppliers to say. */
function decodeBlock(block: AnyBlock, role: Role): Part[] {
  const known = asKnownBlock(block)
  switch (known?.type) {
    case 'text':
      return decodeText(known)
    case 'image':
      return [role === 'system' ? asOpaque(block) : decodeImage(known)]
    case 'thinking':
      return [role === 'assistant' ? decodeThinking(known.thinking, known.signature ?? '') : asOpaque(block)]
    case 'redacted_thinking':
      return [role === 'assistant' ? decodeRedacted(known.data) : asOpaque(block)]
    case 'tool_use':
      return [role === 'assistant' ? decodeToolUse(known) : asOpaque(block)]
    case 'tool_result':
      return [role === 'user' ? decodeToolResult(known) : asOpaque(block)]
    case undefined:
      return [asOpaque(block)]
  }
}

export function asOpaque(block: AnyBlock): OpaquePart {
  return { type: 'opaque', format: FORMAT, kind: block.type, value: block }
}

function decodeText({ text, citations, cache_control }: TextBlock): TextPart[] {
  if (text === '') return []
  const cited = (citations ?? []).flatMap((citation) => decodeCitation(citation) ?? [])
  return [{ type: 'text', text, cache: decodeCache(cache_control), citations: cited, proof: null }]
}

function decodeImage(block: ImageBlock): Part {
  const source = decodeImageSource(block.source)
  if (source === null) return asOpaque(block)
  return { type: 'image', source, detail: null, cache: decodeCache(block.cache_control) }
}

function decodeImageSource(source: ImageBlock['source']): ImageSource | null {
  switch (source.type) {
    case 'base64':
      return base64Image(source.media_type, source.data)
    case 'url':
      return decodeAddress(source.url)
    case 'file':
      return null
  }
}

// Some clients put the picture itself where an address belongs.
function decodeAddress(url: string): ImageSource {
  // Only what stands before the comma is matched: a pattern would try every place of a long text for it.
  const comma = url.indexOf(',')
  const [mediaType = '', ...options] = url.slice('data:'.length, Math.max(0, comma)).split(';')
  const isPicture = /^data:/i.test(url) && mediaType !== '' && options.at(-1)?.toLowerCase() === 'base64'
  return isPicture ? base64Image(mediaType, url.slice(comma + 1)) : { type: 'url', url, mediaType: null }
}

function base64Image(mediaType: string, data: string): ImageSource {
  const type = mediaType.trim().toLowerCase()
  return {
    type: 'base64',
    mediaType: type === 'image/jpg' ? 'image/jpeg' : type,
    data: /\s/.test(data) ? data.replace(/\s+/g, '') : data,
  }
}

export function decodeThinking(text: string, signature: string): ThinkingPart {
  return { type: 'thinking', text, proof: readSignature(signature), isRedacted: false }
}

function decodeRedacted(data: string): ThinkingPart {
  return { type: 'thinking', text: '', proof: readSignature(data), isRedacted: true }
}

// Thoughts that never had a signature were given one by us, since clients of this format demand it.
function readSignature(value: string): Proof | null {
  if (value === '') return null
  const proof = readProof(value, { format: FORMAT, on: 'thinking' })
  return proof.origin === 'none' ? null : proof
}

function decodeToolUse({ id, name, input }: ToolUseBlock): ToolCallPart {
  return {
    type: 'tool-call',
    id,
    name,
    kind: 'function',
    input: JSON.stringify(input ?? {}),
    namespace: null,
    proof: null,
  }
}

/** Without the name of the tool, which only the conversation as a whole knows. */
function decodeToolResult(block: ToolResultBlock): ToolResultPart {
  return {
    type: 'tool-result',
    callId: block.tool_use_id,
    name: null,
    kind: 'function',
    parts: decodeResultContent(block.content),
    isError: block.is_error === true,
    cache: decodeCache(block.cache_control),
  }
}

function decodeResultContent(content: ToolResultBlock['content']): ToolResultPart['parts'] {
  return decodeContent(content ?? [], 'user').flatMap((part) =>
    part.type === 'text' || part.type === 'image' || part.type === 'opaque' ? [part] : [],
  )
}
