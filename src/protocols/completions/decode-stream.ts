import { finishOf } from '../../conversation/answer.ts'
import type { AnswerEvent } from '../../conversation/answer-event.ts'
import { textPart } from '../../conversation/part.ts'
import type { SupplierFailure } from '../../errors/supplier-failure.ts'
import { asArray, asObject, asText, isObject, type JsonObject } from '../../wire/json-values.ts'
import { closeLastEvent, SseFramer } from '../../wire/sse-events.ts'
import { decodeErrorEvent } from '../error-body.ts'
import { decodeEvents, malformed, readSupplierEvent } from '../supplier-event.ts'
import { decodeUsage } from '../token-details.ts'
import type { StreamDecoder } from '../translation.ts'
import { decodeFinish, readIndex } from './reply.ts'

/** Limits memory when a supplier sends ever new indices. */
const MAX_CHOICES = 256

interface OpenChoice {
  hasText: boolean
  /** The word of the supplier; null until the choice has finished. */
  finish: string | null
}

/** Decodes a supplier's chunks into answer events. */
export class CompletionStreamDecoder implements StreamDecoder {
  failure: SupplierFailure | null = null
  readonly #framer = new SseFramer()
  readonly #choices = new Map<number, OpenChoice>()
  #hasBegun = false
  #isOver = false

  push(bytes: Uint8Array): AnswerEvent[] {
    const framed = this.#isOver ? null : this.#framer.push(bytes)
    return framed === null ? [] : decodeEvents(framed, this.#readEvent)
  }

  end(): AnswerEvent[] {
    if (this.#isOver) return []
    const rest = this.#framer.finish()
    const events = rest !== null && closeLastEvent(rest) !== null ? this.#readEvent(rest) : []
    if (this.#isOver) return events
    // Some suppliers send no `[DONE]`. The answer is complete when every choice has a finish reason.
    const isWhole = this.#choices.size > 0 && this.#choices.values().every(({ finish }) => finish !== null)
    return [...events, ...(isWhole ? this.#complete() : this.#fail(malformed('no end')))]
  }

  readonly #readEvent = (bytes: Uint8Array): AnswerEvent[] => {
    if (this.#isOver) return []
    const event = readSupplierEvent(bytes, decodeErrorEvent)
    switch (event.type) {
      case 'ignored':
        return []
      case 'failure':
        return this.#fail(event.failure)
      case 'done':
        return this.#choices.size === 0 ? this.#fail(malformed('no choices')) : this.#complete()
      case 'object':
        return this.#readChunk(event.value)
    }
  }

  #readChunk(chunk: JsonObject): AnswerEvent[] {
    const events: AnswerEvent[] = []
    if (!this.#hasBegun) events.push({ type: 'answer-start', id: asText(chunk.id) ?? '' })
    this.#hasBegun = true
    for (const [position, item] of asArray(chunk.choices).entries()) {
      const choice = asObject(item)
      if (choice === null) continue
      if (isObject(choice.error)) return this.#fail(decodeErrorEvent(choice))
      const index = readIndex(choice.index, position)
      if (this.#choices.size >= MAX_CHOICES && !this.#choices.has(index)) {
        return this.#fail(malformed('too many choices'))
      }
      events.push(...this.#readChoice(index, choice))
    }
    const usage = decodeUsage(chunk.usage, chunk.service_tier)
    if (usage !== null) events.push({ type: 'usage', usage })
    return events
  }

  #readChoice(index: number, { text, finish_reason }: JsonObject): AnswerEvent[] {
    const known = this.#choices.get(index) ?? { hasText: false, finish: null }
    this.#choices.set(index, known)
    known.finish = asText(finish_reason) ?? known.finish
    const written = asText(text) ?? ''
    if (written === '') return []
    const delta: AnswerEvent = { type: 'part-delta', choice: index, text: written }
    if (known.hasText) return [delta]
    known.hasText = true
    return [{ type: 'part-start', choice: index, part: textPart('') }, delta]
  }

  #complete(): AnswerEvent[] {
    this.#isOver = true
    const events: AnswerEvent[] = []
    for (const [choice, { hasText, finish }] of this.#choices) {
      if (hasText) events.push({ type: 'part-end', choice })
      events.push({ type: 'choice-end', choice, finish: finishOf(decodeFinish(finish)) })
    }
    return [...events, { type: 'answer-end' }]
  }

  /** Events already read from the same bytes are still emitted, later ones are not. */
  #fail(failure: SupplierFailure): AnswerEvent[] {
    this.failure = failure
    this.#isOver = true
    return []
  }
}
