import type { Instruction, Turn } from '../../../conversation/conversation.ts'
import type {
  CacheHint,
  ImagePart,
  OpaquePart,
  Part,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from '../../../conversation/part.ts'
import type { JsonObject } from '../../../wire/json-values.ts'
import { FORMAT, OPAQUE_CALL } from '../format.ts'
import { asKnownCall, type ChatContent, type ChatMessage, type ChatToolCall } from '../schema.ts'
import { decodeCallProof, decodeThinking } from '../thinking.ts'
import { decodeCache, decodeContent, type MessagePart } from './content.ts'

export interface Dialogue {
  readonly instructions: readonly Instruction[]
  readonly turns: readonly Turn[]
}

/** Decodes messages into instructions and turns in normal form. */
export function decodeMessages(messages: readonly ChatMessage[]): Dialogue {
  const builder = new DialogueBuilder()
  for (const message of messages) builder.add(message)
  return builder.finish()
}

type AssistantMessage = Extract<ChatMessage, { role: 'assistant' }>

interface OpenTurn {
  readonly role: Turn['role']
  readonly parts: Part[]
  /** The results of this turn's calls, by call id. A later result replaces an earlier one. */
  readonly results: Map<string, ToolResultPart>
}

interface KnownCall {
  readonly call: ToolCallPart
  readonly turn: OpenTurn
}

class DialogueBuilder {
  readonly #instructions: Instruction[] = []
  readonly #turns: OpenTurn[] = []
  /** The latest call with each id. Some suppliers number their calls from zero in every answer. */
  readonly #calls = new Map<string, KnownCall>()
  /** Ids made up for deprecated function calls without a result yet, by function name. */
  readonly #functionCalls = new Map<string, string[]>()
  #functionCallCount = 0

  add(message: ChatMessage): void {
    switch (message.role) {
      case 'system':
      case 'developer':
        this.#addSystem(decodeMarked(message))
        break
      case 'user':
        this.#addParts('user', decodeMarked(message))
        break
      case 'assistant':
        this.#addAssistant(message)
        break
      case 'tool':
        this.#addResult(message.tool_call_id, message.content, decodeCache(message))
        break
      case 'function':
        this.#addResult(this.#takeFunctionCall(message.name), message.content, decodeCache(message))
    }
  }

  finish(): Dialogue {
    const turns: { role: Turn['role']; parts: Part[] }[] = []
    for (const { role, parts, results } of this.#turns) {
      const before = turns.at(-1)
      // The results of the previous turn have already opened a user turn.
      if (before?.role === role) append(before.parts, parts)
      else turns.push({ role, parts })
      if (results.size === 0) continue
      turns.push({ role: 'user', parts: inOrderOfCalls(parts, results) })
    }
    return { instructions: this.#instructions, turns: turns.map(withResultsFirst) }
  }

  #addSystem(parts: readonly MessagePart[]): void {
    if (this.#turns.length > 0) {
      this.#addParts('system', parts)
      return
    }
    for (const part of parts) {
      if (part.type === 'text') this.#instructions.push({ text: part.text, cache: part.cache })
    }
    // Instructions are text only. Other parts go into a user turn.
    this.#addParts(
      'user',
      parts.filter(({ type }) => type !== 'text'),
    )
  }

  #addParts(role: Turn['role'], parts: readonly Part[]): void {
    if (parts.length > 0) append(this.#openTurn(role).parts, parts)
  }

  #openTurn(role: Turn['role']): OpenTurn {
    const last = this.#turns.at(-1)
    if (last?.role === role && last.results.size === 0) return last
    const turn: OpenTurn = { role, parts: [], results: new Map() }
    this.#turns.push(turn)
    return turn
  }

  #addAssistant(message: AssistantMessage): void {
    const refusal: MessagePart[] = message.refusal ? [{ type: 'refusal', text: message.refusal }] : []
    const calls = (message.tool_calls ?? []).map(decodeCall)
    const { function_call } = message
    if (function_call) calls.push(this.#nameFunctionCall(function_call))
    const parts = [...decodeThinking(message), ...decodeMarked(message), ...refusal, ...calls]
    if (parts.length === 0) return
    const turn = this.#openTurn('assistant')
    append(turn.parts, parts)
    for (const call of calls) if (call.type === 'tool-call') this.#calls.set(call.id, { call, turn })
  }

  #nameFunctionCall({ name, arguments: input }: { name: string; arguments: string }): ToolCallPart {
    const id = `call_function_${++this.#functionCallCount}`
    const waiting = this.#functionCalls.get(name)
    if (waiting === undefined) this.#functionCalls.set(name, [id])
    else waiting.push(id)
    return { type: 'tool-call', id, name, kind: 'function', input, namespace: null, proof: null }
  }

  #takeFunctionCall(name: string): string {
    return this.#functionCalls.get(name)?.shift() ?? `call_function_${++this.#functionCallCount}`
  }

  #addResult(callId: string, content: ChatContent | null, cache: CacheHint | null): void {
    const known = this.#calls.get(callId)
    const result: ToolResultPart = {
      type: 'tool-result',
      callId,
      name: known?.call.name ?? null,
      kind: known?.call.kind ?? 'function',
      parts: decodeContent(content).filter(isResultPart),
      isError: false,
      cache,
    }
    if (known === undefined) this.#addParts('user', [result])
    else known.turn.results.set(callId, result)
  }
}

// Spreading into push would overflow the stack for a message with 100,000 parts.
function append(target: Part[], parts: readonly Part[]): void {
  for (const part of parts) target.push(part)
}

function decodeMarked(message: { readonly content?: ChatContent | null }): MessagePart[] {
  const parts = decodeContent(message.content)
  const cache = decodeCache(message)
  const last = parts.at(-1)
  // A mark on the message means the same as a mark on its last part.
  if (cache !== null && (last?.type === 'text' || last?.type === 'image')) {
    parts[parts.length - 1] = { ...last, cache }
  }
  return parts
}

function decodeCall(call: ChatToolCall): ToolCallPart | OpaquePart {
  const known = asKnownCall(call)
  if (known === null) return { type: 'opaque', format: FORMAT, kind: OPAQUE_CALL + call.type, value: call }
  const isFunction = known.type === 'function'
  return {
    type: 'tool-call',
    id: known.id,
    name: isFunction ? known.function.name : known.custom.name,
    kind: known.type,
    input: isFunction ? known.function.arguments : known.custom.input,
    namespace: null,
    proof: decodeCallProof(call as JsonObject),
  }
}

function isResultPart(part: MessagePart): part is TextPart | ImagePart | OpaquePart {
  return part.type !== 'refusal'
}

function inOrderOfCalls(
  parts: readonly Part[],
  results: ReadonlyMap<string, ToolResultPart>,
): ToolResultPart[] {
  const ids = new Set(parts.flatMap((part) => (part.type === 'tool-call' ? [part.id] : [])))
  return [...ids].flatMap((id) => results.get(id) ?? [])
}

function withResultsFirst({ role, parts }: Turn): Turn {
  if (!parts.some(({ type }) => type === 'tool-result')) return { role, parts }
  const results = parts.filter(({ type }) => type === 'tool-result')
  return { role, parts: [...results, ...parts.filter(({ type }) => type !== 'tool-result')] }
}
