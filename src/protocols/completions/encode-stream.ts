import type { AnswerPart } from '../../conversation/answer.ts'
import type { AnswerEvent } from '../../conversation/answer-event.ts'
import type { Usage } from '../../conversation/usage.ts'
import type { GatewayError } from '../../errors/gateway-error.ts'
import { encodeServiceTier, encodeStreamError, encodeUsage } from '../token-details.ts'
import type { ReplyContext, StreamEncoder } from '../translation.ts'
import { echoOf, encodeFinish, type ReplyOptions } from './reply.ts'

const DONE = 'data: [DONE]\n\n'

/** Writes answer events as text-completion chunks. */
export class CompletionStreamEncoder implements StreamEncoder {
  readonly #options: ReplyOptions
  /** The constant text before and after the choices of every chunk. */
  readonly #head: string
  readonly #tail: string
  /** The open part of each choice that has begun; null between parts. */
  readonly #open = new Map<number, AnswerPart['type'] | null>()
  #usage: Usage | null = null

  constructor(context: ReplyContext, options: ReplyOptions) {
    this.#options = options
    const head = JSON.stringify({
      id: context.newId('cmpl-'),
      object: 'text_completion',
      created: Math.floor(context.createdAtMs / 1000),
      model: context.model,
    })
    this.#head = `data: ${head.slice(0, -1)},"choices":[`
    this.#tail = options.wantsUsage ? '],"usage":null}\n\n' : ']}\n\n'
  }

  push(event: AnswerEvent): string {
    switch (event.type) {
      case 'usage':
        this.#usage = event.usage
        return ''
      case 'part-start': {
        const opening = this.#begin(event.choice)
        this.#open.set(event.choice, event.part.type)
        const { part } = event
        const isText = part.type === 'text' || part.type === 'refusal'
        return opening + (isText ? this.#text(event.choice, part.text) : '')
      }
      case 'part-delta':
        return this.#isText(event.choice) ? this.#text(event.choice, event.text) : ''
      case 'part-end':
        this.#open.set(event.choice, null)
        return ''
      case 'choice-end':
        return this.#begin(event.choice) + this.#chunk(event.choice, '', encodeFinish(event.finish.reason))
      case 'answer-end':
        return this.#usageChunk() + DONE
      default:
        return ''
    }
  }

  fail(error: GatewayError): string {
    return encodeStreamError(error)
  }

  #isText(choice: number): boolean {
    const open = this.#open.get(choice)
    return open === 'text' || open === 'refusal'
  }

  #begin(choice: number): string {
    if (this.#open.has(choice)) return ''
    this.#open.set(choice, null)
    return this.#text(choice, echoOf(choice, this.#options))
  }

  #text(choice: number, text: string): string {
    return text === '' ? '' : this.#chunk(choice, text, null)
  }

  #chunk(index: number, text: string, reason: string | null): string {
    const choice = `{"text":${JSON.stringify(text)},"index":${index},"logprobs":null,"finish_reason":`
    return `${this.#head}${choice}${reason === null ? 'null' : `"${reason}"`}}${this.#tail}`
  }

  #usageChunk(): string {
    if (!this.#options.wantsUsage || this.#usage === null) return ''
    const tail = { ...encodeServiceTier(this.#usage), usage: encodeUsage(this.#usage) }
    return `${this.#head}],${JSON.stringify(tail).slice(1)}\n\n`
  }
}
