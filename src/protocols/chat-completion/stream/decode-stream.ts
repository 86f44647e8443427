import type { AnswerEvent } from '../../../conversation/answer-event.ts'
import { unfold } from '../../../conversation/fold.ts'
import type { SupplierFailure } from '../../../errors/supplier-failure.ts'
import {
  asArray,
  asObject,
  asText,
  isObject,
  type JsonObject,
  tryParseJson,
} from '../../../wire/json-values.ts'
import { closeLastEvent, SseFramer } from '../../../wire/sse-events.ts'
import { decodeErrorEvent } from '../../error-body.ts'
import { decodeEvents, malformed, readSupplierEvent } from '../../supplier-event.ts'
import { decodeUsage } from '../../token-details.ts'
import type { StreamDecoder, SupplyContext } from '../../translation.ts'
import { decodeReply } from '../reply/decode-reply.ts'
import { ChoiceDecoder } from './decode-choice.ts'

/** Limits memory when a supplier sends ever new indices. No supplier offers more choices. */
const MAX_CHOICES = 256

/** Decodes a supplier's chunks into answer events. */
export class ChatStreamDecoder implements StreamDecoder {
  failure: SupplierFailure | null = null
  readonly #context: SupplyContext
  readonly #framer = new SseFramer()
  readonly #choices = new Map<number, ChoiceDecoder>()
  #answerId: string | null = null
  #isOver = false

  constructor(context: SupplyContext) {
    this.#context = context
  }

  push(bytes: Uint8Array): AnswerEvent[] {
    if (this.#isOver) return []
    const framed = this.#framer.push(bytes)
    return framed === null ? [] : decodeEvents(framed, this.#readEvent)
  }

  end(): AnswerEvent[] {
    if (this.#isOver) return []
    const rest = this.#framer.finish()
    const events = rest === null ? [] : this.#readRest(rest)
    if (this.#isOver) return events
    // Some suppliers send no `[DONE]`. The answer is complete when every choice has a finish reason.
    const ending = this.#isWhole() ? this.#complete() : this.#fail(malformed('no end'))
    return [...events, ...ending]
  }

  #readRest(rest: Uint8Array): AnswerEvent[] {
    if (closeLastEvent(rest) !== null) return this.#readEvent(rest)
    return this.#answerId === null ? this.#readWholeReply(rest) : []
  }

  // A supplier that cannot stream may send a whole reply instead.
  #readWholeReply(rest: Uint8Array): AnswerEvent[] {
    const body = tryParseJson(new TextDecoder().decode(rest))
    const answer = decodeReply(body, this.#context)
    if (answer !== null) {
      this.#isOver = true
      return unfold(answer)
    }
    return isObject(asObject(body)?.error) ? this.#fail(decodeErrorEvent(body)) : []
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
    const choices = asArray(chunk.choices)
    const events = choices.length > 0 ? this.#start(chunk) : []
    for (const [position, item] of choices.entries()) {
      const choice = asObject(item)
      if (choice === null) continue
      if (isObject(choice.error)) return this.#fail(decodeErrorEvent(choice))
      const decoder = this.#choice(choice.index, position)
      if (decoder === null) return this.#fail(malformed('too many choices'))
      for (const event of decoder.push(choice)) events.push(event)
    }
    const usage = decodeUsage(chunk.usage ?? asObject(choices[0])?.usage, chunk.service_tier)
    if (usage !== null) events.push(...this.#start(chunk), { type: 'usage', usage })
    return events
  }

  /** The first chunk with content opens the answer. Chunks before it may only report on filters. */
  #start(chunk: JsonObject): AnswerEvent[] {
    if (this.#answerId !== null) return []
    this.#answerId = asText(chunk.id) ?? ''
    return [{ type: 'answer-start', id: this.#answerId }]
  }

  #choice(sent: unknown, position: number): ChoiceDecoder | null {
    const index = Number.isSafeInteger(sent) && Number(sent) >= 0 ? Number(sent) : position
    const known = this.#choices.get(index)
    if (known !== undefined) return known
    if (this.#choices.size >= MAX_CHOICES) return null
    const created = new ChoiceDecoder(index, this.#answerId ?? '', this.#context)
    this.#choices.set(index, created)
    return created
  }

  #isWhole(): boolean {
    return this.#choices.size > 0 && [...this.#choices.values()].every(({ hasFinished }) => hasFinished)
  }

  #complete(): AnswerEvent[] {
    this.#isOver = true
    const endings = [...this.#choices.values()].flatMap((choice) => choice.end())
    return [...endings, { type: 'answer-end' }]
  }

  /** Events already read from the same bytes are still emitted, later ones are not. */
  #fail(failure: SupplierFailure): AnswerEvent[] {
    this.failure = failure
    this.#isOver = true
    return []
  }
}
