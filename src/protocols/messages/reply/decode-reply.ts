import type { Answer, AnswerEnding, AnswerPart } from '../../../conversation/answer.ts'
import type { OpaquePart, ThinkingPart, ToolCallPart } from '../../../conversation/part.ts'
import type { Proof } from '../../../conversation/proof.ts'
import { asArray, asObject, asText, isObject, type JsonObject } from '../../../wire/json-values.ts'
import type { ReplyFacts } from '../../protocol.ts'
import type { SupplyContext } from '../../translation.ts'
import { FORMAT } from '../format.ts'
import { countBlock, isTooDeep } from '../measure.ts'
import { decodeCitation } from './citations.ts'
import { decodeFinish, hasToolCalls } from './finish.ts'
import { decodeUsage } from './usage.ts'

/** Reads a whole message; null when the content is missing or malformed, or the body holds an error. */
export function decodeReply(body: unknown, origin: Origin): Answer | null {
  const reply = asObject(body)
  if (reply === null || isObject(reply.error) || !Array.isArray(reply.content)) return null
  const blocks = asArray(reply.content)
  if (!blocks.every((block) => isObject(block)) || isTooDeep(blocks)) return null
  const parts = blocks.flatMap((block) => {
    const part = decodeAnswerBlock(block, origin)
    return part === null ? [] : [part]
  })
  const finish = decodeFinish(reply, hasToolCalls(parts))
  return {
    id: asText(reply.id) ?? '',
    choices: [{ index: 0, parts, finish, logprobs: null }],
    usage: decodeUsage(reply.usage),
  }
}

/** How a whole message ended. */
export function readEnding(body: unknown): AnswerEnding | null {
  const reply = asObject(body)
  if (reply === null || isObject(reply.error) || !Array.isArray(reply.content)) return null
  const hasCalls = reply.content.some((block) => asObject(block)?.type === 'tool_use')
  return { id: asText(reply.id) ?? '', reasons: [decodeFinish(reply, hasCalls).reason] }
}

export type Origin = Pick<SupplyContext, 'upstreamModel' | 'route'>

/** A supplier's block as a part of the answer; null for an empty text. */
function decodeAnswerBlock(block: JsonObject, origin: Origin): AnswerPart | null {
  switch (block.type) {
    case 'text':
      return decodeText(block)
    case 'thinking':
      return makeThought(asText(block.thinking) ?? '', makeProof(block.signature, origin))
    case 'redacted_thinking':
      return makeRedacted(block, origin)
    case 'tool_use':
      return { ...openCall(block), input: JSON.stringify(block.input ?? {}) }
    default:
      return makeOpaque(block)
  }
}

function decodeText(block: JsonObject): AnswerPart | null {
  const text = asText(block.text) ?? ''
  const citations = asArray(block.citations).flatMap((citation) => decodeCitation(citation) ?? [])
  if (text === '' && citations.length === 0) return null
  return { type: 'text', text, cache: null, citations, proof: null }
}

export function makeThought(text: string, proof: Proof | null): ThinkingPart {
  return { type: 'thinking', text, proof, isRedacted: false }
}

export function makeRedacted({ data }: JsonObject, origin: Origin): ThinkingPart {
  return { type: 'thinking', text: '', proof: makeProof(data, origin), isRedacted: true }
}

/** A call whose input has not arrived yet. */
export function openCall({ id, name }: JsonObject): ToolCallPart {
  return {
    type: 'tool-call',
    id: asText(id) ?? '',
    name: asText(name) ?? '',
    kind: 'function',
    input: '',
    namespace: null,
    proof: null,
  }
}

export function makeOpaque(block: JsonObject): OpaquePart {
  return { type: 'opaque', format: FORMAT, kind: asText(block.type) ?? 'unknown', value: block }
}

export function makeProof(value: unknown, { upstreamModel, route }: Origin): Proof | null {
  const signature = asText(value)
  if (signature === null) return null
  return { origin: FORMAT, model: upstreamModel, route, on: 'thinking', value: signature, itemId: null }
}

/** Reads the facts of a whole reply; null when the content is missing or malformed, or the body holds an error. */
export function readReply(body: unknown): ReplyFacts | null {
  const reply = asObject(body)
  if (reply === null || isObject(reply.error) || !Array.isArray(reply.content)) return null
  let outputCharacters = 0
  for (const item of reply.content) {
    const block = asObject(item)
    if (block === null) return null
    outputCharacters += countBlock(block)
  }
  return { usage: decodeUsage(reply.usage), outputCharacters }
}
