import { type AnswerPart, type Finish, finishOf } from '../../../conversation/answer.ts'
import type { AnswerEvent } from '../../../conversation/answer-event.ts'
import type { Citation } from '../../../conversation/part.ts'
import type { Proof } from '../../../conversation/proof.ts'
import type { Usage } from '../../../conversation/usage.ts'
import type { GatewayError } from '../../../errors/gateway-error.ts'
import { errorEnvelope } from '../../../errors/render-error.ts'
import { isObject, type JsonObject } from '../../../wire/json-values.ts'
import type { ReplyContext, StreamEncoder } from '../../translation.ts'
import { encodeCitation } from '../reply/citations.ts'
import { dressError } from '../reply/dress-error.ts'
import { encodeAnswerPart, sealSignature } from '../reply/encode-reply.ts'
import { encodeFinish } from '../reply/finish.ts'
import { encodeUsage } from '../reply/usage.ts'

/** The open part and the state of its block. */
interface OpenPart {
  readonly part: AnswerPart
  proof: Proof | null
  /** A text block opens with its first content, so empty blocks are never sent. */
  isBlockOpen: boolean
  hasInput: boolean
}

/** Encodes one answer as a messages stream. Blocks are numbered as they open, one open at a time. */
export class MessagesStreamEncoder implements StreamEncoder {
  readonly #context: ReplyContext
  #open: OpenPart | null = null
  #blockIndex = 0
  #hasCalls = false
  #finish: Finish = finishOf('other')
  #usage: Usage | null = null
  #isOver = false

  constructor(context: ReplyContext) {
    this.#context = context
  }

  push(event: AnswerEvent): string {
    // This format has one answer, so other choices are ignored.
    if (this.#isOver || ('choice' in event && event.choice !== 0)) return ''
    switch (event.type) {
      case 'answer-start':
        return this.#start()
      case 'part-start':
        return this.#openPart(event.part)
      case 'part-delta':
        return this.#addText(event.text)
      case 'part-proof':
        if (this.#open !== null) this.#open.proof = event.proof
        return ''
      case 'part-citation':
        return this.#addCitation(event.citation)
      case 'part-logprobs':
        return ''
      case 'part-end':
        return this.#closePart()
      case 'choice-end':
        this.#finish = event.finish
        return ''
      case 'usage':
        this.#usage = event.usage
        return ''
      case 'answer-end':
        return this.#end()
    }
  }

  fail(error: GatewayError, isEndWithheld = false): string {
    if (this.#isOver && !isEndWithheld) return ''
    this.#isOver = true
    return errorFrame(error, this.#context.requestId)
  }

  /** Clients show context usage from this event, so it carries an estimate if the supplier has not reported yet. */
  #start(): string {
    const message = {
      id: this.#context.newId('msg_'),
      type: 'message',
      role: 'assistant',
      model: this.#context.model,
      container: null,
      context_management: null,
      content: [],
      diagnostics: null,
      stop_reason: null,
      stop_sequence: null,
      stop_details: null,
      usage: encodeUsage(null, this.#context.promptTokens),
    }
    return frame({ type: 'message_start', message })
  }

  #openPart(part: AnswerPart): string {
    const open: OpenPart = { part, proof: proofOf(part), isBlockOpen: false, hasInput: false }
    this.#open = open
    switch (part.type) {
      case 'text':
      case 'refusal':
        return this.#addText(part.text)
      case 'thinking':
        return part.isRedacted
          ? ''
          : this.#openBlock({ type: 'thinking', thinking: '', signature: '' }) + this.#addText(part.text)
      case 'tool-call':
        return this.#openCall(part.id, part.name) + this.#addText(part.input)
      case 'opaque':
      case 'image':
        return ''
    }
  }

  /** The signature of a call goes before it, in an empty thought. */
  #openCall(id: string, name: string): string {
    this.#hasCalls = true
    const proof = this.#open?.proof ?? null
    const thought =
      proof === null
        ? ''
        : this.#writeWhole({ type: 'thinking', thinking: '', signature: sealSignature(proof) })
    return thought + this.#openBlock({ type: 'tool_use', id, name, input: {}, caller: { type: 'direct' } })
  }

  #addText(text: string): string {
    const open = this.#open
    if (open === null || text === '') return ''
    switch (open.part.type) {
      case 'text':
      case 'refusal':
        return this.#openText() + this.#delta({ type: 'text_delta', text })
      case 'thinking':
        return open.part.isRedacted ? '' : this.#delta({ type: 'thinking_delta', thinking: text })
      case 'tool-call':
        open.hasInput = true
        return this.#delta({ type: 'input_json_delta', partial_json: text })
      case 'opaque':
      case 'image':
        return ''
    }
  }

  #addCitation(citation: Citation): string {
    if (this.#open?.part.type !== 'text') return ''
    return this.#openText() + this.#delta({ type: 'citations_delta', citation: encodeCitation(citation) })
  }

  #openText(): string {
    return this.#open?.isBlockOpen ? '' : this.#openBlock({ type: 'text', text: '', citations: [] })
  }

  #closePart(): string {
    const open = this.#open
    if (open === null) return ''
    const last = this.#lastWords(open)
    const stop = open.isBlockOpen ? this.#closeBlock() : ''
    this.#open = null
    return last + stop
  }

  /** The deltas that are known only when the part ends. */
  #lastWords({ part, proof, hasInput }: OpenPart): string {
    switch (part.type) {
      case 'thinking':
        if (part.isRedacted)
          return this.#writeWhole({ type: 'redacted_thinking', data: sealSignature(proof) })
        return this.#delta({ type: 'signature_delta', signature: sealSignature(proof) })
      case 'tool-call':
        // Clients parse the joined pieces, and an empty string is not JSON.
        return hasInput ? '' : this.#delta({ type: 'input_json_delta', partial_json: '{}' })
      case 'opaque':
        return encodeAnswerPart(part)
          .map((block) => this.#writeWhole(block))
          .join('')
      case 'text':
      case 'refusal':
      case 'image':
        return ''
    }
  }

  #end(): string {
    const closing = this.#closePart()
    const delta = { container: null, ...encodeFinish(this.#finish, this.#hasCalls) }
    const usage = encodeUsage(this.#usage, this.#context.promptTokens)
    this.#isOver = true
    return (
      closing +
      frame({ type: 'message_delta', delta, usage, context_management: null }) +
      frame({ type: 'message_stop' })
    )
  }

  #openBlock(block: JsonObject): string {
    if (this.#open !== null) this.#open.isBlockOpen = true
    return frame({ type: 'content_block_start', index: this.#blockIndex, content_block: block })
  }

  #delta(delta: JsonObject): string {
    return frame({ type: 'content_block_delta', index: this.#blockIndex, delta })
  }

  #closeBlock(): string {
    return frame({ type: 'content_block_stop', index: this.#blockIndex++ })
  }

  /** A complete block. Clients read input and signatures only from deltas. */
  #writeWhole(block: JsonObject): string {
    const { opening, deltas } = takeApart(block)
    const start = frame({ type: 'content_block_start', index: this.#blockIndex, content_block: opening })
    return start + deltas.map((delta) => this.#delta(delta)).join('') + this.#closeBlock()
  }
}

function takeApart(block: JsonObject): { opening: JsonObject; deltas: JsonObject[] } {
  if (block.type === 'thinking') {
    const signature = { type: 'signature_delta', signature: block.signature }
    return { opening: { ...block, signature: '' }, deltas: [signature] }
  }
  if (!isObject(block.input)) return { opening: block, deltas: [] }
  const input = { type: 'input_json_delta', partial_json: JSON.stringify(block.input) }
  return { opening: { ...block, input: {} }, deltas: [input] }
}

function proofOf(part: AnswerPart): Proof | null {
  return 'proof' in part ? part.proof : null
}

/** One event. Clients skip frames without an event name. */
export function frame(data: JsonObject & { readonly type: string }): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`
}

/** The error event that ends a failed stream, with the request id if it is known. */
export function errorFrame(error: GatewayError, requestId?: string): string {
  return frame({ ...dressError(errorEnvelope(error), requestId) })
}
