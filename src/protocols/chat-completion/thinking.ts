import type { ThinkingPart } from '../../conversation/part.ts'
import { readProof } from '../../conversation/proof.ts'
import { asArray, asObject, asText, type JsonObject } from '../../wire/json-values.ts'

/** These two extensions of chat-completion carry the signatures of other formats when they are not sealed. */
const THINKING_BLOCKS_FORMAT = 'messages'
const THOUGHT_SIGNATURE_FORMAT = 'content-generation'

/** Decodes the thinking of a client's assistant message. The official format has none, so this reads common extensions. */
export function decodeThinking(message: JsonObject): ThinkingPart[] {
  const blocks = asArray(message.thinking_blocks).flatMap(decodeBlock)
  if (blocks.length > 0) return blocks
  const text = readThinkingText(message)
  return text === '' ? [] : [thinkingPart(text)]
}

/** Reads the thinking text of a message or delta, under any name that suppliers use. */
export function readThinkingText(message: JsonObject): string {
  return (
    asText(message.reasoning_content) ??
    asText(message.reasoning) ??
    asArray(message.reasoning_details).map(readDetail).join('')
  )
}

function readDetail(detail: unknown): string {
  const { text, summary } = asObject(detail) ?? {}
  return asText(text) ?? asText(summary) ?? ''
}

export function thinkingPart(text: string): ThinkingPart {
  return { type: 'thinking', text, proof: null, isRedacted: false }
}

function decodeBlock(block: unknown): ThinkingPart[] {
  const { type, thinking, signature, data } = asObject(block) ?? {}
  const isRedacted = type === 'redacted_thinking'
  const sealed = asText(isRedacted ? data : signature)
  const text = isRedacted ? '' : (asText(thinking) ?? '')
  if (sealed === null) return text === '' ? [] : [thinkingPart(text)]
  const proof = readProof(sealed, { format: THINKING_BLOCKS_FORMAT, on: 'thinking' })
  return [{ type: 'thinking', text, proof: proof.origin === 'none' ? null : proof, isRedacted }]
}

/** Reads the signature of a tool call. Returns null when it has none. */
export function readCallSignature(call: JsonObject): string | null {
  return asText(asObject(asObject(call.extra_content)?.google)?.thought_signature)
}

export function encodeCallSignature(value: string): JsonObject {
  return { extra_content: { google: { thought_signature: value } } }
}

export function decodeCallProof(call: JsonObject): ReturnType<typeof readProof> | null {
  const signature = readCallSignature(call)
  if (signature === null) return null
  const proof = readProof(signature, { format: THOUGHT_SIGNATURE_FORMAT, on: 'tool-call' })
  return proof.origin === 'none' ? null : proof
}
