import type { Answer } from '../../../conversation/answer.ts'
import type { Conversation } from '../../../conversation/conversation.ts'
import type { Part } from '../../../conversation/part.ts'
import type { Tool } from '../../../conversation/tool.ts'
import { GEN_AI } from './names.ts'
import type { SpanAttributes } from './span-facts.ts'

/** The longest text of one part, and the longest attribute. Telemetry systems refuse spans that are much larger. */
const MAX_PART_CHARACTERS = 8_000
const MAX_ATTRIBUTE_CHARACTERS = 64_000

/** Adds what was asked and answered, in the JSON that the conventions describe. */
export function putContent(
  attributes: SpanAttributes,
  { conversation, answer }: { readonly conversation: Conversation | null; readonly answer: Answer | null },
): void {
  if (conversation !== null) {
    const { instructions, turns, tools } = conversation
    const system = instructions.map(({ text }) => ({ type: 'text', content: cut(text) }))
    if (system.length > 0) attributes.put(GEN_AI.systemInstructions, newest(system))
    const messages = turns.map(({ role, parts }) => ({
      role: roleOf(role, parts),
      parts: parts.map(describe),
    }))
    attributes.put(GEN_AI.inputMessages, newest(messages))
    if (tools.length > 0) attributes.put(GEN_AI.toolDefinitions, newest(tools.map(describeTool)))
  }
  if (answer !== null) {
    const choices = answer.choices.map(({ parts, finish }) => ({
      role: 'assistant',
      parts: parts.map(describe),
      finish_reason: finishReasonOf(finish.reason),
    }))
    attributes.put(GEN_AI.outputMessages, newest(choices))
  }
}

const FINISH_REASONS: Readonly<Record<string, string>> = {
  stop: 'stop',
  'stop-sequence': 'stop',
  length: 'length',
  'context-full': 'length',
  'tool-call': 'tool_call',
  filter: 'content_filter',
  refusal: 'content_filter',
}

export function finishReasonOf(reason: string): string {
  return FINISH_REASONS[reason] ?? reason
}

/** As JSON. The oldest items are left out when all of them would be too long. */
function newest(items: readonly unknown[]): string {
  const texts: string[] = []
  let length = 2
  for (let place = items.length - 1; place >= 0; place -= 1) {
    const text = JSON.stringify(items[place])
    length += text.length + 1
    if (length > MAX_ATTRIBUTE_CHARACTERS) break
    texts.push(text)
  }
  return `[${texts.reverse().join(',')}]`
}

function cut(text: string): string {
  return text.length <= MAX_PART_CHARACTERS ? text : `${text.slice(0, MAX_PART_CHARACTERS)}…`
}

/** Results of tools are parts of a user's turn here, and a role of their own in the conventions. */
function roleOf(role: string, parts: readonly Part[]): string {
  return parts.length > 0 && parts.every(({ type }) => type === 'tool-result') ? 'tool' : role
}

function describe(part: Part): unknown {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return { type: 'text', content: cut(part.text) }
    case 'thinking':
      return { type: 'reasoning', content: cut(part.text) }
    case 'tool-call':
      return { type: 'tool_call', id: part.id, name: part.name, arguments: cut(part.input) }
    case 'tool-result':
      return { type: 'tool_call_response', id: part.callId, response: part.parts.map(describe) }
    case 'image':
      // Without its bytes, and without an address that may hold a signature.
      return { type: 'blob', modality: 'image', mime_type: part.source.mediaType }
    case 'opaque':
      return { type: part.kind, content: cut(part.text ?? '') }
  }
}

function describeTool(tool: Tool): unknown {
  if (tool.type === 'web-search') return { type: tool.type }
  if (tool.type === 'hosted') return { type: tool.kind }
  return { type: tool.type, name: tool.name, description: cut(tool.description ?? '') }
}
