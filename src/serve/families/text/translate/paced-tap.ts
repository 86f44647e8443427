import { finishOf } from '../../../../conversation/answer.ts'
import type { AnswerEvent } from '../../../../conversation/answer-event.ts'
import { TokenCounter } from '../../../../conversation/token-estimate.ts'
import type { Usage } from '../../../../conversation/usage.ts'
import type { GatewayError } from '../../../../errors/gateway-error.ts'
import type { SupplierFailure } from '../../../../errors/supplier-failure.ts'
import type { OutputPace, StreamTap } from '../../../../protocols/protocol.ts'
import { tokensOfCharacters } from '../../../../rules/limits/window.ts'
import { textOf } from './estimate-usage.ts'
import type { EventStep, TranslatingTap } from './translating-tap.ts'

/** The last step of an answer that is only forwarded as far as it is allowed. */
export class OutputPacer implements EventStep {
  readonly #counter = new TokenCounter()
  #allowedTokens: number
  /** In order; the first of them has the text that there was no room for. */
  #waiting: AnswerEvent[] = []
  #wantedTokens: number | null = null
  /** Our count with the text that waits. */
  #countWithWaiting = 0
  #characters = 0
  /** For each choice that has begun and not ended, whether a part is open. */
  readonly #open = new Map<number, boolean>()
  /** Our count of what was forwarded. */
  outputTokens = 0

  constructor(allowedTokens: number) {
    this.#allowedTokens = allowedTokens
  }

  get wantedTokens(): number | null {
    return this.#wantedTokens
  }

  push(event: AnswerEvent): readonly AnswerEvent[] {
    if (this.#wantedTokens !== null || !this.#hasRoom(event)) {
      this.#waiting.push(event)
      return NO_EVENTS
    }
    this.#noteOpen(event)
    return [event]
  }

  /** Allows so many tokens altogether, and gives the events that waited for them. */
  release(allowedTokens: number): readonly AnswerEvent[] {
    this.#allowedTokens = allowedTokens
    const wanted = this.#wantedTokens
    if (wanted === null || wanted > allowedTokens) return NO_EVENTS
    const [first, ...others] = this.#waiting
    this.#waiting = []
    this.#wantedTokens = null
    this.outputTokens = this.#countWithWaiting
    if (first === undefined) return NO_EVENTS
    this.#noteOpen(first)
    return [first, ...others.flatMap((event) => this.push(event))]
  }

  /** The events that end the answer here. */
  endings(): readonly AnswerEvent[] {
    this.#waiting = []
    this.#wantedTokens = null
    if (this.#open.size === 0) this.#open.set(0, false)
    const events: AnswerEvent[] = []
    for (const [choice, isPartOpen] of this.#open) {
      if (isPartOpen) events.push({ type: 'part-end', choice })
      events.push({ type: 'choice-end', choice, finish: finishOf('length') })
    }
    return [...events, { type: 'answer-end' }]
  }

  #hasRoom(event: AnswerEvent): boolean {
    const text =
      event.type === 'part-delta' ? event.text : event.type === 'part-start' ? textOf(event.part) : ''
    if (text === '') return true
    this.#counter.add(text)
    this.#characters += text.length
    const { tokens } = this.#counter
    // The supplier may count more than we do, as with prompts.
    const mostTokens = Math.max(tokens, tokensOfCharacters(this.#characters))
    if (mostTokens > this.#allowedTokens) {
      this.#wantedTokens = mostTokens
      this.#countWithWaiting = tokens
      return false
    }
    this.outputTokens = tokens
    return true
  }

  #noteOpen(event: AnswerEvent): void {
    if (event.type === 'part-start') this.#open.set(event.choice, true)
    else if (event.type === 'part-end') this.#open.set(event.choice, false)
    else if (event.type === 'choice-end') this.#open.delete(event.choice)
  }
}

const NO_EVENTS: readonly AnswerEvent[] = []
const NO_BYTES = new Uint8Array()

/** A translated stream that can be held back, and ended where the money ends. */
export class PacedTap implements StreamTap, OutputPace {
  readonly #tap: TranslatingTap
  readonly #pacer: OutputPacer
  /** Set when the answer was cut: what it used then is our own count. */
  #isCut = false

  /** The pacer must be the last step of the tap. */
  constructor(tap: TranslatingTap, pacer: OutputPacer) {
    this.#tap = tap
    this.#pacer = pacer
  }

  get pace(): OutputPace {
    return this
  }

  get outputTokens(): number {
    return this.#pacer.outputTokens
  }

  get wantedTokens(): number | null {
    return this.#pacer.wantedTokens
  }

  allow(outputTokens: number): Uint8Array | null {
    return this.#tap.write(this.#pacer.release(outputTokens))
  }

  cut(): Uint8Array {
    this.#isCut = true
    return this.#tap.write(this.#pacer.endings(), this.outputTokens) ?? NO_BYTES
  }

  push(bytes: Uint8Array): Uint8Array | null {
    return this.#isCut ? null : this.#tap.push(bytes)
  }

  end(): Uint8Array | null {
    return this.#isCut ? null : this.#tap.end()
  }

  /** What is held back is content too: the stream then has to wait for money and not for the supplier. */
  get hasContent(): boolean {
    return this.#tap.hasContent || this.wantedTokens !== null
  }

  get isTerminated(): boolean {
    return this.#tap.isTerminated
  }

  get isComplete(): boolean {
    return this.#tap.isComplete
  }

  /** A failure waits as well: what came before it is paid for first. */
  get failure(): SupplierFailure | null {
    return this.wantedTokens === null ? this.#tap.failure : null
  }

  get usage(): Usage | null {
    return this.#tap.usage
  }

  get outputCharacters(): number {
    return this.#tap.outputCharacters
  }

  get inlineImages(): number {
    return this.#tap.inlineImages
  }

  get finalReply(): unknown {
    return this.#tap.finalReply
  }

  fail(error: GatewayError, isEndWithheld?: boolean): string {
    return this.#tap.fail(error, isEndWithheld)
  }
}
