import type { AnswerPart } from '../../../../conversation/answer.ts'
import type { AnswerEvent } from '../../../../conversation/answer-event.ts'
import type { Proof } from '../../../../conversation/proof.ts'
import type { Usage } from '../../../../conversation/usage.ts'
import { hiddenCharacters } from '../../../../conversation/usage-report.ts'
import type { GatewayError } from '../../../../errors/gateway-error.ts'
import type { SupplierFailure } from '../../../../errors/supplier-failure.ts'
import type { StreamTap } from '../../../../protocols/protocol.ts'
import type { StreamDecoder, StreamEncoder } from '../../../../protocols/translation.ts'
import { charactersOf, countedUsage, estimateUsage } from './estimate-usage.ts'

export interface TranslatingParts {
  readonly decoder: StreamDecoder
  readonly steps: readonly EventStep[]
  readonly encoder: StreamEncoder
  /** Our estimate of the prompt, used when the supplier reports no usage. */
  readonly promptTokens: number
}

const bytesOf = new TextEncoder()

/** A tap that translates the supplier's stream into the client's format. */
export class TranslatingTap implements StreamTap {
  readonly #parts: TranslatingParts
  hasContent = false
  isTerminated = false
  usage: Usage | null = null
  outputCharacters = 0
  inlineImages = 0
  /** Of the parts before the last one. */
  #charactersBefore = 0

  constructor(parts: TranslatingParts) {
    this.#parts = parts
  }

  get isComplete(): boolean {
    return this.isTerminated
  }

  get failure(): SupplierFailure | null {
    return this.isTerminated ? null : this.#parts.decoder.failure
  }

  push(bytes: Uint8Array): Uint8Array | null {
    return this.isTerminated ? null : this.#passOn(this.#parts.decoder.push(bytes))
  }

  end(): Uint8Array | null {
    return this.isTerminated ? null : this.#passOn(this.#parts.decoder.end())
  }

  get finalReply(): unknown {
    return this.#parts.encoder.finalReply
  }

  fail(error: GatewayError, isEndWithheld = false): string {
    return this.#parts.encoder.fail(error, isEndWithheld)
  }

  /**
   * Writes events that have passed all steps. `outputTokens` is given when the answer ends before the supplier has
   * reported all of its usage.
   */
  write(events: readonly AnswerEvent[], outputTokens?: number): Uint8Array | null {
    let frames = ''
    for (const event of events) {
      this.#note(event)
      if (event.type === 'answer-end') frames += this.#ownUsage(outputTokens)
      frames += this.#parts.encoder.push(event)
    }
    return frames === '' ? null : bytesOf.encode(frames)
  }

  #passOn(decoded: readonly AnswerEvent[]): Uint8Array | null {
    return this.write(passThrough(decoded, this.#parts.steps))
  }

  /** Sent only to the client. `usage` stays as it is, so that our count is not taken for the supplier's. */
  #ownUsage(outputTokens: number | undefined): string {
    const { promptTokens, encoder } = this.#parts
    if (outputTokens !== undefined) {
      const usage = { ...(this.usage ?? countedUsage(promptTokens, 0)), output: outputTokens, reasoning: 0 }
      return encoder.push({ type: 'usage', usage })
    }
    if (this.usage !== null) return ''
    return encoder.push({ type: 'usage', usage: estimateUsage(promptTokens, this.outputCharacters) })
  }

  #note(event: AnswerEvent): void {
    // A start event is not content: the supplier may still fail before its first output.
    if (event.type !== 'answer-start' && event.type !== 'usage') this.hasContent = true
    if (event.type === 'part-start') this.#noteStart(event.part)
    else if (event.type === 'part-delta') this.outputCharacters += event.text.length
    else if (event.type === 'part-proof') this.#noteProof(event.proof)
    else if (event.type === 'usage') this.usage = event.usage
    else if (event.type === 'answer-end') this.isTerminated = true
  }

  #noteStart(part: AnswerPart): void {
    this.#charactersBefore = this.outputCharacters
    this.outputCharacters += charactersOf(part)
    if (part.type === 'image') this.inlineImages += 1
  }

  /** A signature holds the whole thought, of which only a summary may be shown. */
  #noteProof({ on, value }: Proof): void {
    if (on !== 'thinking') return
    this.outputCharacters += hiddenCharacters(value, this.outputCharacters - this.#charactersBefore)
  }
}

/** A synchronous step that every event of an answer passes through. */
export interface EventStep {
  /** Returns the events that replace this one, usually itself. */
  push(event: AnswerEvent): readonly AnswerEvent[]
}

export function passThrough(
  events: readonly AnswerEvent[],
  steps: readonly EventStep[],
): readonly AnswerEvent[] {
  let current = events
  for (const step of steps) current = current.flatMap((event) => step.push(event))
  return current
}
