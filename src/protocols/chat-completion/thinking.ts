import type { ThinkingPart } from '../../conversation/part.ts'
import { readProof } from '../../conversation/proof.ts'
import { asArray, asObject, asText, type JsonObject } from '../../wire/json-values.ts'

/** The formats whose own signatures these two extensions of chat-completion carry when nobody has wrapped them. */
const THINKING_BLOCKS_FORMAT = 'messages'
const THOUGHT_SIGNATURE_FORMAT = 'content-generation'

/** The thoughts of an assistant message as a client hands them back. The official format has none; these are customary. */
export function decodeThinking(message: JsonObject): ThinkingPart[] {
  const blocks = asArray(message.thinking_blocks).flatMap(decodeBlock)
  if (blocks.length > 0) return blocks
  const text = readThinkingText(message)
  return text === '' ? [] : [thought(text)]
}

/** The thinking text of a message or a delta, under any of the names suppliers give it. */
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

export function thought(text: string): ThinkingPart {
  return { type: 'thinking', text, proof: null, isRedacted: false }
}

function decodeBlock(block: unknown): ThinkingPart[] {
  const { type, thinking, signature, data } = asObject(block) ?? {}
  const isRedacted = type === 'redacted_thinking'
  const sealed = asText(isRedacted ? data : signature)
  const text = isRedacted ? '' : (asText(thinking) ?? '')
  if (sealed === null) return text === '' ? [] : [thought(text)]
  const proof = readProof(sealed, { format: THINKING_BLOCKS_FORMAT, on: 'thinking' })
  return [{ type: 'thinking', text, proof: proof.origin === 'none' ? null : proof, isRedacted }]
}

/** The signature on a tool call, null when it has none. */
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
