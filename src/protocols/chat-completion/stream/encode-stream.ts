import type { AnswerPart, Finish, TokenLogprob } from '../../../conversation/answer.ts'
import type { AnswerEvent } from '../../../conversation/answer-event.ts'
import type { Citation } from '../../../conversation/part.ts'
import { type Proof, sealProof } from '../../../conversation/proof.ts'
import type { Usage } from '../../../conversation/usage.ts'
import type { GatewayError } from '../../../errors/gateway-error.ts'
import type { JsonObject } from '../../../wire/json-values.ts'
import { encodeServiceTier, encodeStreamError, encodeUsage } from '../../token-details.ts'
import type { ReplyContext, StreamEncoder } from '../../translation.ts'
import { encodeCitation, encodeLogprobs } from '../reply/annotations.ts'
import {
  encodeAnswerImage,
  encodeCall,
  NO_INPUT,
  type ReplyOptions,
  THINKING_SEPARATOR,
} from '../reply/encode-reply.ts'
import { encodeFinish } from '../reply/finish.ts'
import { encodeCallSignature } from '../thinking.ts'

const DONE = 'data: [DONE]\n\n'

type ChoiceEvent = Extract<AnswerEvent, { choice: number }>

/** Writes answer events as chat-completion chunks. */
export class ChatStreamEncoder implements StreamEncoder {
  readonly #options: ReplyOptions
  /** The constant text before and after the choices of every chunk. */
  readonly #head: string
  readonly #tail: string
  readonly #choices = new Map<number, ChoiceEncoder>()
  #usage: Usage | null = null

  constructor(context: ReplyContext, options: ReplyOptions) {
    this.#options = options
    const head = JSON.stringify({
      id: context.newId('chatcmpl-'),
      object: 'chat.completion.chunk',
      created: Math.floor(context.createdAtMs / 1000),
      model: context.model,
    })
    this.#head = `data: ${head.slice(0, -1)},"choices":[`
    this.#tail = options.wantsUsage ? '],"usage":null}\n\n' : ']}\n\n'
  }

  push(event: AnswerEvent): string {
    switch (event.type) {
      case 'answer-start':
        return ''
      case 'usage':
        this.#usage = event.usage
        return ''
      case 'answer-end':
        return this.#usageChunk() + DONE
      default:
        return this.#pushToChoice(event)
    }
  }

  fail(error: GatewayError): string {
    return encodeStreamError(error)
  }

  #pushToChoice(event: ChoiceEvent): string {
    let frames = ''
    for (const choice of this.#choice(event.choice).push(event)) frames += this.#head + choice + this.#tail
    return frames
  }

  #choice(index: number): ChoiceEncoder {
    const known = this.#choices.get(index)
    if (known !== undefined) return known
    const created = new ChoiceEncoder(index, this.#options.wantsFunctionCall)
    this.#choices.set(index, created)
    return created
  }

  #usageChunk(): string {
    if (!this.#options.wantsUsage || this.#usage === null) return ''
    const tail = { ...encodeServiceTier(this.#usage), usage: encodeUsage(this.#usage) }
    return `${this.#head}],${JSON.stringify(tail).slice(1)}\n\n`
  }
}

/** Encodes one choice of a stream. Returns the JSON texts of its `choices` entries. */
class ChoiceEncoder {
  readonly #head: string
  readonly #wantsFunctionCall: boolean
  #hasBegun = false
  #part: AnswerPart | null = null
  /** True once the open part has text. */
  #hasText = false
  #callCount = 0
  #hasThought = false
  #hasRefusal = false
  #textStart = 0
  #textLength = 0

  constructor(index: number, wantsFunctionCall: boolean) {
    this.#head = `{"index":${index},"delta":`
    this.#wantsFunctionCall = wantsFunctionCall
  }

  push(event: ChoiceEvent): readonly string[] {
    if (this.#hasBegun) return this.#pushOn(event)
    this.#hasBegun = true
    const startsWithCall = event.type === 'part-start' && event.part.type === 'tool-call'
    const opening = this.#delta({ role: 'assistant', content: startsWithCall ? null : '', refusal: null })
    return [opening, ...this.#pushOn(event)]
  }

  #pushOn(event: ChoiceEvent): readonly string[] {
    switch (event.type) {
      case 'part-start':
        return this.#openPart(event.part)
      case 'part-delta':
        return this.#addText(event.text)
      case 'part-proof':
        return this.#addProof(event.proof)
      case 'part-citation':
        return this.#addCitation(event.citation)
      case 'part-logprobs':
        return [this.#entry({}, event.logprobs, null)]
      case 'part-end':
        return this.#closePart()
      case 'choice-end':
        return this.#end(event.finish)
    }
  }

  #openPart(part: AnswerPart): readonly string[] {
    this.#part = part
    this.#hasText = false
    switch (part.type) {
      case 'text':
        this.#textStart += this.#textLength
        this.#textLength = 0
        return this.#addText(part.text)
      case 'thinking':
      case 'refusal':
        return this.#addText(part.text)
      case 'image':
        return [this.#delta({ images: [encodeAnswerImage(part)] })]
      case 'tool-call':
        this.#callCount++
        return [...this.#openCall(part), ...this.#addText(part.input)]
      case 'opaque':
        return []
    }
  }

  #openCall(part: Extract<AnswerPart, { type: 'tool-call' }>): readonly string[] {
    if (!this.#wantsFunctionCall) return [this.#callDelta(encodeCall(part, ''))]
    return this.#isExtraCall() ? [] : [this.#delta({ function_call: { name: part.name, arguments: '' } })]
  }

  // The deprecated form holds one call only.
  #isExtraCall(): boolean {
    return this.#wantsFunctionCall && this.#callCount > 1
  }

  #addText(text: string): readonly string[] {
    if (text === '' || this.#part === null) return []
    const isFirst = !this.#hasText
    this.#hasText = true
    switch (this.#part.type) {
      case 'text':
        this.#textLength += text.length
        return [this.#delta({ content: text })]
      case 'thinking':
        return [this.#delta({ reasoning_content: isFirst ? this.#startThought(text) : text })]
      case 'refusal':
        this.#hasRefusal = true
        return [this.#delta({ refusal: text })]
      case 'tool-call':
        return this.#addInput(this.#part.kind, text)
      case 'image':
      case 'opaque':
        return []
    }
  }

  #startThought(text: string): string {
    const started = this.#hasThought ? THINKING_SEPARATOR + text : text
    this.#hasThought = true
    return started
  }

  #addInput(kind: 'function' | 'custom', text: string): readonly string[] {
    if (this.#isExtraCall()) return []
    if (this.#wantsFunctionCall) return [this.#delta({ function_call: { arguments: text } })]
    return [
      this.#callDelta(kind === 'function' ? { function: { arguments: text } } : { custom: { input: text } }),
    ]
  }

  #addProof(proof: Proof): readonly string[] {
    if (this.#part?.type !== 'tool-call' || this.#wantsFunctionCall) return []
    return [this.#callDelta(encodeCallSignature(sealProof(proof)))]
  }

  #addCitation(citation: Citation): readonly string[] {
    if (this.#part?.type !== 'text') return []
    const place = { start: this.#textStart, length: this.#textLength }
    return [this.#delta({ annotations: [encodeCitation(citation, place)] })]
  }

  #closePart(): readonly string[] {
    const lacksInput = this.#part?.type === 'tool-call' && this.#part.kind === 'function' && !this.#hasText
    const frames = lacksInput ? this.#addInput('function', NO_INPUT) : []
    this.#part = null
    return frames
  }

  #end(finish: Finish): readonly string[] {
    const explanation = finish.reason === 'refusal' && !this.#hasRefusal ? finish.explanation : null
    const hasRefusal = this.#hasRefusal || explanation !== null
    const reason = encodeFinish(finish, { hasRefusal, wantsFunctionCall: this.#wantsFunctionCall })
    const ending = this.#entry({}, null, reason)
    return explanation === null ? [ending] : [this.#delta({ refusal: explanation }), ending]
  }

  #callDelta(call: JsonObject): string {
    return this.#delta({ tool_calls: [{ index: this.#callCount - 1, ...call }] })
  }

  #delta(delta: JsonObject): string {
    return this.#entry(delta, null, null)
  }

  #entry(delta: JsonObject, logprobs: readonly TokenLogprob[] | null, reason: string | null): string {
    const logprobsJson = logprobs === null ? 'null' : JSON.stringify(encodeLogprobs(logprobs))
    const reasonJson = reason === null ? 'null' : JSON.stringify(reason)
    return `${this.#head}${JSON.stringify(delta)},"logprobs":${logprobsJson},"finish_reason":${reasonJson}}`
  }
}
