import type { AnswerPart } from '../../../conversation/answer.ts'
import type { AnswerEvent } from '../../../conversation/answer-event.ts'
import { asArray, asObject, asText, type JsonObject } from '../../../wire/json-values.ts'
import { decodeCitation } from '../content.ts'
import { decodeLogprobs, decodeOutputPart } from '../reply/decode-reply.ts'

/**
 * Decodes the events of one output item. Some suppliers send only the `done` events, so these count when nothing was
 * streamed before.
 */
export interface ItemReader {
  /** Takes the item as it was announced. */
  start(item: JsonObject): AnswerEvent[]
  read(event: JsonObject): AnswerEvent[]
  /** Takes the final item, or what is known of it. */
  finish(item: JsonObject): AnswerEvent[]
}

/** What has been emitted of a content part. */
interface ContentState {
  readonly index: unknown
  isOpen: boolean
  isEnded: boolean
  annotations: number
  hasLogprobs: boolean
}

const EMPTY_TEXT: AnswerPart = { type: 'text', text: '', cache: null, citations: [], proof: null }

/** Decodes a message. Its content parts follow one another, and the first content opens each part. */
export class MessageReader implements ItemReader {
  readonly #contents = new Map<unknown, ContentState>()
  #current: ContentState | null = null

  start(): AnswerEvent[] {
    return []
  }

  read(event: JsonObject): AnswerEvent[] {
    switch (event.type) {
      case 'response.output_text.delta':
        return this.#appendText(event, event.delta)
      case 'response.refusal.delta':
        return this.#append(event.content_index, { type: 'refusal', text: '' }, event.delta)
      case 'response.output_text.annotation.added':
        return this.#cite(this.#stateOf(event.content_index), event.annotation)
      case 'response.output_text.done':
        return this.#isEmitted(event.content_index) ? [] : this.#appendText(event, event.text)
      case 'response.refusal.done':
        if (this.#isEmitted(event.content_index)) return []
        return this.#append(event.content_index, { type: 'refusal', text: '' }, event.refusal)
      case 'response.content_part.done':
        return this.#endContent(event.content_index, asObject(event.part) ?? {})
      default:
        return []
    }
  }

  finish(item: JsonObject): AnswerEvent[] {
    const events: AnswerEvent[] = []
    for (const [index, part] of asArray(item.content).entries()) {
      for (const event of this.#endContent(index, asObject(part) ?? {})) events.push(event)
    }
    events.push(...this.#closeCurrent())
    return events
  }

  #appendText(event: JsonObject, text: unknown): AnswerEvent[] {
    const events = this.#append(event.content_index, EMPTY_TEXT, text)
    return [...events, ...this.#addLogprobs(this.#stateOf(event.content_index), event.logprobs)]
  }

  #append(index: unknown, part: AnswerPart, delta: unknown): AnswerEvent[] {
    const text = asText(delta)
    const state = this.#stateOf(index)
    if (text === null || state.isEnded) return []
    return [...this.#open(state, part), { type: 'part-delta', choice: 0, text }]
  }

  #open(state: ContentState, part: AnswerPart): AnswerEvent[] {
    if (state.isOpen) return []
    const events = this.#closeCurrent()
    state.isOpen = true
    this.#current = state
    return [...events, { type: 'part-start', choice: 0, part }]
  }

  #closeCurrent(): AnswerEvent[] {
    if (this.#current === null) return []
    this.#current.isOpen = false
    this.#current.isEnded = true
    this.#current = null
    return [{ type: 'part-end', choice: 0 }]
  }

  /** Emits the rest of a content part and ends it. */
  #endContent(index: unknown, part: JsonObject): AnswerEvent[] {
    const state = this.#stateOf(index)
    if (state.isEnded) return []
    const events = state.isOpen ? [] : this.#emitWhole(state, part)
    if (state.isOpen && part.type === 'output_text') {
      for (const annotation of asArray(part.annotations).slice(state.annotations)) {
        events.push(...this.#cite(state, annotation))
      }
      if (!state.hasLogprobs) events.push(...this.#addLogprobs(state, part.logprobs))
    }
    if (state.isOpen) events.push(...this.#closeCurrent())
    state.isEnded = true
    return events
  }

  #emitWhole(state: ContentState, part: JsonObject): AnswerEvent[] {
    if (part.type === 'output_text') return this.#append(state.index, EMPTY_TEXT, part.text)
    if (part.type === 'refusal') return this.#append(state.index, { type: 'refusal', text: '' }, part.refusal)
    const other = decodeOutputPart(part)
    return other === null ? [] : this.#emitOther(state, other)
  }

  #emitOther(state: ContentState, part: AnswerPart): AnswerEvent[] {
    if (part.type !== 'text') return this.#open(state, part)
    return [...this.#open(state, { ...part, text: '' }), { type: 'part-delta', choice: 0, text: part.text }]
  }

  #cite(state: ContentState, annotation: unknown): AnswerEvent[] {
    if (!state.isOpen) return []
    state.annotations++
    const citation = decodeCitation(annotation)
    return citation === null ? [] : [{ type: 'part-citation', choice: 0, citation }]
  }

  #addLogprobs(state: ContentState, wire: unknown): AnswerEvent[] {
    const logprobs = decodeLogprobs(wire)
    if (logprobs.length === 0 || !state.isOpen) return []
    state.hasLogprobs = true
    return [{ type: 'part-logprobs', choice: 0, logprobs }]
  }

  #isEmitted(index: unknown): boolean {
    const state = this.#stateOf(index)
    return state.isOpen || state.isEnded
  }

  #stateOf(index: unknown): ContentState {
    const key = index ?? 0
    const known = this.#contents.get(key)
    if (known !== undefined) return known
    const state = { index: key, isOpen: false, isEnded: false, annotations: 0, hasLogprobs: false }
    this.#contents.set(key, state)
    return state
  }
}
