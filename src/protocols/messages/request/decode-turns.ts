import type { Instruction, Turn } from '../../../conversation/conversation.ts'
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
import { textIn } from '../block-text.ts'
import { FORMAT } from '../format.ts'
import { decodeCitation } from '../reply/citations.ts'
import { decodeCache } from './cache.ts'
import {
  type AnyBlock,
  asKnownBlock,
  type ImageBlock,
  type MessagesContent,
  type MessagesRequest,
  type TextBlock,
  type ToolResultBlock,
  type ToolUseBlock,
} from './schema.ts'

interface OpenTurn {
  readonly role: Role
  readonly parts: Part[]
}

interface DecodedTurns {
  readonly instructions: readonly Instruction[]
  readonly turns: readonly Turn[]
}

/** Decodes the prompt: adjacent turns of one role are merged, tool results come first. */
export function decodeTurns({
  system,
  messages,
}: Pick<MessagesRequest, 'system' | 'messages'>): DecodedTurns {
  const instructions = decodeInstructions(system ?? '')
  const turns: OpenTurn[] = []
  for (const { role, content } of messages) {
    if (role === 'system' && turns.length === 0) append(instructions, decodeInstructions(content))
    else addTurn(turns, { role, parts: decodeContent(content, role) })
  }
  const names = toolNames(turns)
  return {
    instructions,
    turns: turns.map((turn, index) => ({
      role: turn.role,
      parts: turn.role === 'user' ? arrange(turn.parts, { before: turns[index - 1], names }) : turn.parts,
    })),
  }
}

function decodeInstructions(content: MessagesContent): Instruction[] {
  return decodeContent(content, 'system').flatMap((part) =>
    part.type === 'text' ? [{ text: part.text, cache: part.cache }] : [],
  )
}

function addTurn(turns: OpenTurn[], turn: OpenTurn): void {
  if (turn.parts.length === 0) return
  const last = turns.at(-1)
  if (last?.role === turn.role) append(last.parts, turn.parts)
  else turns.push(turn)
}

// Spreading into push would overflow the stack for a message of a million blocks.
function append<Item>(target: Item[], items: readonly Item[]): void {
  for (const item of items) target.push(item)
}

function toolNames(turns: readonly OpenTurn[]): ReadonlyMap<string, string> {
  const calls = turns.flatMap(({ parts }) => parts.filter((part) => part.type === 'tool-call'))
  return new Map(calls.map(({ id, name }) => [id, name]))
}

interface ResultContext {
  readonly before: OpenTurn | undefined
  readonly names: ReadonlyMap<string, string>
}

/** Moves results to the front, each once, in the order of their calls. */
function arrange(parts: readonly Part[], { before, names }: ResultContext): readonly Part[] {
  const results = new Map<string, ToolResultPart>()
  for (const part of parts) {
    if (part.type === 'tool-result') {
      results.set(part.callId, { ...part, name: names.get(part.callId) ?? null })
    }
  }
  if (results.size === 0) return parts
  const inOrder: ToolResultPart[] = []
  for (const call of before?.parts ?? []) {
    const answer = call.type === 'tool-call' ? results.get(call.id) : undefined
    if (answer === undefined) continue
    inOrder.push(answer)
    results.delete(answer.callId)
  }
  return [...inOrder, ...results.values(), ...parts.filter(({ type }) => type !== 'tool-result')]
}

type Role = 'user' | 'assistant' | 'system'

/** The parts of one message, in order, without empty texts. */
function decodeContent(content: MessagesContent, role: Role): Part[] {
  if (typeof content === 'string') return decodeText({ type: 'text', text: content })
  return content.flatMap((block) => decodeBlock(block, role))
}

/** A block that does not belong to the role is kept as is; suppliers of this format decide what it means. */
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
      return block.type === 'compaction' ? decodeCompaction(block) : [asOpaque(block)]
  }
}

/** A summary of what came before. Without content the compaction failed, and the block means nothing. */
function decodeCompaction(block: AnyBlock): Part[] {
  const { content } = block as { readonly content?: unknown }
  if (content === null || content === undefined || content === '') return []
  return [{ ...asOpaque(block), ...(typeof content === 'string' && { text: content }) }]
}

function asOpaque(block: AnyBlock): OpaquePart {
  const text = textIn(block)
  return { type: 'opaque', format: FORMAT, kind: block.type, value: block, ...(text !== null && { text }) }
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

// Some clients send a data URL.
function decodeAddress(url: string): ImageSource {
  // A regular expression over the whole URL would backtrack over megabytes of data, so only its head is matched.
  const comma = url.indexOf(',')
  const [mediaType = '', ...options] = url.slice('data:'.length, Math.max(0, comma)).split(';')
  const isDataUrl = /^data:/i.test(url) && mediaType !== '' && options.at(-1)?.toLowerCase() === 'base64'
  return isDataUrl ? base64Image(mediaType, url.slice(comma + 1)) : { type: 'url', url, mediaType: null }
}

function base64Image(mediaType: string, data: string): ImageSource {
  const type = mediaType.trim().toLowerCase()
  return {
    type: 'base64',
    mediaType: type === 'image/jpg' ? 'image/jpeg' : type,
    data: /\s/.test(data) ? data.replace(/\s+/g, '') : data,
  }
}

function decodeThinking(text: string, signature: string): ThinkingPart {
  return { type: 'thinking', text, proof: readSignature(signature), isRedacted: false }
}

function decodeRedacted(data: string): ThinkingPart {
  return { type: 'thinking', text: '', proof: readSignature(data), isRedacted: true }
}

// Clients of this format require a signature, so the gateway adds a placeholder to unsigned thoughts.
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

/** The tool's name is filled in later, from the call. */
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
