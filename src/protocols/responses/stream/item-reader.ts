import type { AnswerPart } from '../../../conversation/answer.ts'
import type { AnswerEvent } from '../../../conversation/answer-event.ts'
import { asText, type JsonObject } from '../../../wire/json-values.ts'
import type { SupplyContext } from '../../translation.ts'
import { thinkingTextOf } from '../reasoning.ts'
import { decodeOutputItem, proofOf } from '../reply/decode-reply.ts'
import { decodeCall, inputText } from '../request/decode-items.ts'
import { type ItemReader, MessageReader } from './message-reader.ts'

export function openReader(item: JsonObject, context: SupplyContext): ItemReader {
  switch (item.type) {
    case 'message':
      return new MessageReader()
    case 'reasoning':
      return new ReasoningReader(context)
    case 'function_call':
    case 'custom_tool_call':
      return new CallReader(item.type === 'custom_tool_call' ? 'custom' : 'function')
    default:
      return new WholeReader(context)
  }
}

class ReasoningReader implements ItemReader {
  readonly #context: SupplyContext
  #isOpen = false
  /** The text to emit: the thinking itself or its summary, whichever arrives first. */
  #source: 'summary' | 'content' | null = null
  #lastIndex: unknown = null
  /** Indexes emitted from that source. Only compared, because a supplier's value may not convert to a string. */
  readonly #emitted = new Set<unknown>()

  constructor(context: SupplyContext) {
    this.#context = context
  }

  start(): AnswerEvent[] {
    return []
  }

  read(event: JsonObject): AnswerEvent[] {
    switch (event.type) {
      case 'response.reasoning_summary_text.delta':
        return this.#append('summary', event.summary_index, event.delta)
      case 'response.reasoning_text.delta':
        return this.#append('content', event.content_index, event.delta)
      case 'response.reasoning_summary_text.done':
        return this.#appendUnlessStreamed('summary', event.summary_index, event.text)
      case 'response.reasoning_text.done':
        return this.#appendUnlessStreamed('content', event.content_index, event.text)
      default:
        return []
    }
  }

  finish(item: JsonObject): AnswerEvent[] {
    const events = this.#source === null ? this.#append('content', 0, thinkingTextOf(item)) : []
    const proof = proofOf(item, this.#context)
    if (proof !== null) events.push(...this.#open(), { type: 'part-proof', choice: 0, proof })
    if (this.#isOpen) events.push({ type: 'part-end', choice: 0 })
    return events
  }

  #appendUnlessStreamed(source: 'summary' | 'content', index: unknown, text: unknown): AnswerEvent[] {
    return this.#emitted.has(index) ? [] : this.#append(source, index, text)
  }

  #append(source: 'summary' | 'content', index: unknown, delta: unknown): AnswerEvent[] {
    const text = asText(delta)
    if (text === null || (this.#source !== null && this.#source !== source)) return []
    const isNext = this.#source !== null && index !== this.#lastIndex
    this.#source = source
    this.#lastIndex = index
    this.#emitted.add(index)
    return [...this.#open(), { type: 'part-delta', choice: 0, text: isNext ? `\n\n${text}` : text }]
  }

  #open(): AnswerEvent[] {
    if (this.#isOpen) return []
    this.#isOpen = true
    const part: AnswerPart = { type: 'thinking', text: '', proof: null, isRedacted: false }
    return [{ type: 'part-start', choice: 0, part }]
  }
}

class CallReader implements ItemReader {
  readonly #kind: 'function' | 'custom'
  #isOpen = false
  #hasInput = false

  constructor(kind: 'function' | 'custom') {
    this.#kind = kind
  }

  start(item: JsonObject): AnswerEvent[] {
    // A call without a name is emitted when it ends.
    return asText(item.name) === null ? [] : this.#open(item)
  }

  read(event: JsonObject): AnswerEvent[] {
    switch (event.type) {
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        return this.#append(event.delta)
      case 'response.function_call_arguments.done':
        return this.#hasInput ? [] : this.#append(event.arguments)
      case 'response.custom_tool_call_input.done':
        return this.#hasInput ? [] : this.#append(event.input)
      default:
        return []
    }
  }

  finish(item: JsonObject): AnswerEvent[] {
    const opening = this.#open(item)
    const input = this.#hasInput ? [] : this.#append(this.#kind === 'custom' ? item.input : item.arguments)
    return [...opening, ...input, { type: 'part-end', choice: 0 }]
  }

  #open(item: JsonObject): AnswerEvent[] {
    if (this.#isOpen) return []
    this.#isOpen = true
    return [{ type: 'part-start', choice: 0, part: { ...decodeCall(item, this.#kind), input: '' } }]
  }

  #append(value: unknown): AnswerEvent[] {
    const text = inputText(value)
    if (text === '' || !this.#isOpen) return []
    this.#hasInput = true
    return [{ type: 'part-delta', choice: 0, text }]
  }
}

/** Decodes items that are useful only as a whole. */
class WholeReader implements ItemReader {
  readonly #context: SupplyContext

  constructor(context: SupplyContext) {
    this.#context = context
  }

  start(): AnswerEvent[] {
    return []
  }

  read(): AnswerEvent[] {
    return []
  }

  finish(item: JsonObject): AnswerEvent[] {
    return decodeOutputItem(item, this.#context).flatMap((part): AnswerEvent[] => [
      { type: 'part-start', choice: 0, part },
      { type: 'part-end', choice: 0 },
    ])
  }
}
