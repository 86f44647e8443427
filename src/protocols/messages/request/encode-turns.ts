import type { Conversation, Turn } from '../../../conversation/conversation.ts'
import { GatewayError } from '../../../errors/gateway-error.ts'
import type { JsonObject } from '../../../wire/json-values.ts'
import { type Encoding, encodeAssistantParts, encodeText, encodeUserParts } from './encode-blocks.ts'

export interface WireMessage {
  readonly role: 'user' | 'assistant' | 'system'
  readonly content: readonly JsonObject[]
}

/** A message to which adjacent turns of its role are appended. */
interface GrowingMessage extends WireMessage {
  readonly content: JsonObject[]
}

interface EncodedTurns {
  readonly system: readonly JsonObject[]
  readonly messages: readonly WireMessage[]
}

/** The prompt as suppliers require it: user first, alternating roles, each call answered in the next turn. */
export function encodeTurns({ instructions, turns }: Conversation, encoding: Encoding): EncodedTurns {
  const system = instructions.flatMap(encodeText)
  const messages: GrowingMessage[] = []
  for (const turn of turns) append(messages, encodeTurn(turn, messages.at(-1), encoding))
  for (const message of messages) putResultsFirst(message)
  const answered = messages.map((message, index) => pairResults(message, messages, index))
  const sent = startWithUser(endWell(answered, encoding))
  if (sent.length > 0) return { system, messages: sent }
  // Suppliers reject a prompt that has only instructions.
  if (system.length > 0) return { system: [], messages: [{ role: 'user', content: system }] }
  throw new GatewayError('invalid_request', 'The conversation has no content to answer.')
}

function encodeTurn(
  { role, parts }: Turn,
  before: WireMessage | undefined,
  encoding: Encoding,
): GrowingMessage {
  if (role === 'assistant') return { role, content: encodeAssistantParts(parts, encoding) }
  const content = encodeUserParts(parts, encoding)
  if (role === 'user' || content.length === 0) return { role, content }
  // Nothing may come between calls and their results.
  if (encoding.context.traits.inlineSystem && !hasCalls(before)) return { role, content }
  return { role: 'user', content: content.map(asReminder) }
}

function append(messages: GrowingMessage[], message: GrowingMessage): void {
  if (message.content.length === 0) return
  const last = messages.at(-1)
  if (last?.role !== message.role) {
    messages.push(message)
    return
  }
  for (const block of message.content) last.content.push(block)
}

function putResultsFirst({ content }: GrowingMessage): void {
  if (!content.some(isResult)) return
  const results = content.filter(isResult)
  if (results.length === content.length) return
  const others = content.filter((block) => !isResult(block))
  for (const [index, block] of [...results, ...others].entries()) content[index] = block
}

// Moving it to the system prompt would change its meaning and invalidate the prompt cache.
function asReminder(block: JsonObject): JsonObject {
  if (block.type !== 'text') return block
  return { ...block, text: `<system-reminder>\n${block.text}\n</system-reminder>` }
}

/** Puts the results of a user turn in the order of the calls before it. Throws unless calls and results match. */
function pairResults(message: WireMessage, messages: readonly WireMessage[], index: number): WireMessage {
  const before = messages[index - 1]
  if (isPaired(message, before)) return message
  const calls = before?.role === 'assistant' ? before.content.filter(isCall) : []
  const asked = new Set(calls.map(({ id }) => id))
  const results = new Map(message.content.filter(isResult).map((block) => [block.tool_use_id, block]))
  const inOrder = calls.map(({ id }) => results.get(id) ?? refuse(`The tool call "${id}" has no result.`))
  const orphan = [...results.keys()].find((id) => !asked.has(id))
  if (orphan !== undefined)
    refuse(`The tool result for "${orphan}" matches no tool call in the previous turn.`)
  if (results.size === 0) return message
  return { role: message.role, content: [...inOrder, ...message.content.filter((block) => !isResult(block))] }
}

/** Whether the results are already in the order of the calls, as in nearly all turns. */
function isPaired({ content }: WireMessage, before: WireMessage | undefined): boolean {
  let place = 0
  if (before?.role === 'assistant') {
    for (const block of before.content) {
      if (!isCall(block)) continue
      const result = content[place]
      if (result === undefined || !isResult(result) || result.tool_use_id !== block.id) return false
      place += 1
    }
  }
  for (; place < content.length; place += 1) if (isResult(content[place] ?? {})) return false
  return true
}

function refuse(message: string): never {
  throw new GatewayError('invalid_request', message)
}

/** Keeps a last assistant turn only for models that can continue it. */
function endWell(messages: readonly WireMessage[], { context, dropped }: Encoding): readonly WireMessage[] {
  const last = messages.at(-1)
  if (last?.role !== 'assistant' || !last.content.every(isPlain)) return messages
  const earlier = messages.slice(0, -1)
  if (!context.traits.prefill) {
    dropped.add('prefill')
    return earlier
  }
  const content = trimEnd(last.content)
  return content.length === 0 ? earlier : [...earlier, { role: 'assistant', content }]
}

// Suppliers reject a prefill that ends in white space.
function trimEnd(content: readonly JsonObject[]): readonly JsonObject[] {
  const last = content.at(-1)
  if (last === undefined || typeof last.text !== 'string') return content
  return [...content.slice(0, -1), { ...last, text: last.text.trimEnd() }]
}

function startWithUser(messages: readonly WireMessage[]): readonly WireMessage[] {
  const [first] = messages
  if (first === undefined || first.role === 'user') return messages
  return [{ role: 'user', content: [{ type: 'text', text: '(continue)' }] }, ...messages]
}

/** Text or thought. Calls and hosted tool blocks must keep their place. */
function isPlain({ type }: JsonObject): boolean {
  return type === 'text' || type === 'thinking' || type === 'redacted_thinking'
}

function isCall(block: JsonObject): boolean {
  return block.type === 'tool_use'
}

function isResult(block: JsonObject): boolean {
  return block.type === 'tool_result'
}

function hasCalls(message: WireMessage | undefined): boolean {
  return message?.role === 'assistant' && message.content.some(isCall)
}
