import type { AnswerPart, TokenLogprob } from '../../../conversation/answer.ts'
import type { AnswerEvent } from '../../../conversation/answer-event.ts'
import { type Citation, textPart } from '../../../conversation/part.ts'
import type { Proof } from '../../../conversation/proof.ts'
import { asObject, asText, type JsonObject } from '../../../wire/json-values.ts'
import type { SupplyContext } from '../../translation.ts'
import { decodeCitations, decodeLogprobs } from '../reply/annotations.ts'
import {
  type CallPiece,
  type MessageContent,
  makeCallId,
  makeProof,
  readMessageContent,
} from '../reply/decode-reply.ts'
import { decodeFinish } from '../reply/finish.ts'
import { thinkingPart } from '../thinking.ts'
import { CallInput } from './call-input.ts'

/** A part of the answer that is not complete yet. Its events are emitted once it is first in the queue. */
interface Segment {
  /** The part as it opens. An image is complete from the start. */
  part: AnswerPart
  /** Text received but not emitted yet. */
  held: string
  citations: Citation[]
  /** A signature that came after the part was opened. */
  proof: Proof | null
  /** For a text part: its start in the whole text of the message. */
  readonly start: number
  isEmitted: boolean
}

interface Call extends Segment {
  part: Extract<AnswerPart, { type: 'tool-call' }>
  readonly sentId: string | null
  /** All input received so far, emitted or not. */
  readonly input: CallInput
  isOver: boolean
}

/**
 * Decodes the deltas of one choice. Only one part may be open at a time, but suppliers may interleave calls. So parts
 * wait in a queue: the first one is emitted as it arrives, and the next one follows when the first is complete.
 */
export class ChoiceDecoder {
  readonly #index: number
  readonly #answerId: string
  readonly #context: SupplyContext
  readonly #queue: Segment[] = []
  /** The latest text part in the queue. */
  #lastText: Segment | null = null
  #callCount = 0
  #hasNamedCall = false
  #lastCall: Call | undefined
  readonly #callIds = new Set<string>()
  /** The first call with each id. The map below holds the latest call with each index. */
  readonly #callsById = new Map<string, Call>()
  readonly #callsByIndex = new Map<number, Call>()
  #logprobs: TokenLogprob[] = []
  #textLength = 0
  #hasRefusal = false
  #finishReason: string | null = null

  constructor(index: number, answerId: string, context: SupplyContext) {
    this.#index = index
    this.#answerId = answerId
    this.#context = context
  }

  get hasFinished(): boolean {
    return this.#finishReason !== null
  }

  push({ delta, message, finish_reason, logprobs }: JsonObject): AnswerEvent[] {
    // A few suppliers send whole messages instead of deltas.
    const wire = asObject(delta) ?? asObject(message)
    if (wire !== null) this.#take(readMessageContent(wire))
    for (const token of decodeLogprobs(logprobs) ?? []) this.#logprobs.push(token)
    this.#finishReason = asText(finish_reason) ?? this.#finishReason
    return this.#flush(false)
  }

  /** Call this when the choice is complete. */
  end(): AnswerEvent[] {
    const events = this.#flush(true)
    if (this.#logprobs.length > 0) events.push(this.#takeLogprobs())
    const contents = { hasCalls: this.#hasNamedCall, hasRefusal: this.#hasRefusal }
    const finish = decodeFinish(this.#finishReason, contents)
    events.push({ type: 'choice-end', choice: this.#index, finish })
    return events
  }

  #take(content: MessageContent): void {
    if (content.thinking !== '') this.#addText(thinkingPart(''), content.thinking)
    if (content.text !== '') this.#addText(textPart(''), content.text)
    if (content.refusal !== '') this.#addText({ type: 'refusal', text: '' }, content.refusal)
    for (const image of content.images) this.#queue.push(newSegment(image))
    content.calls.forEach((piece, position) => {
      this.#addCallPiece(piece, position)
    })
    if (content.annotations) this.#addCitations(content.annotations)
  }

  #addText(opening: AnswerPart, text: string): void {
    const last = this.#queue.at(-1)
    if (last?.part.type === opening.type) last.held += text
    else this.#openText({ ...newSegment(opening), held: text, start: this.#textLength })
    if (opening.type === 'text') this.#textLength += text.length
    if (opening.type === 'refusal') this.#hasRefusal = true
  }

  #openText(opened: Segment): void {
    this.#queue.push(opened)
    if (opened.part.type === 'text') this.#lastText = opened
  }

  #addCitations(annotations: unknown): void {
    const carrier = this.#lastText
    if (carrier === null) return
    for (const citation of decodeCitations(annotations, carrier.start)) carrier.citations.push(citation)
  }

  #addCallPiece(piece: CallPiece, position: number): void {
    const call = this.#findCall(piece, position) ?? this.#openCall(piece, position)
    if (call.isOver) return
    if (call.part.name === '' && piece.name !== null) call.part = { ...call.part, name: piece.name }
    this.#hasNamedCall ||= call.part.name !== ''
    if (piece.signature !== null) this.#addProof(call, piece.signature)
    // Some suppliers repeat the whole input at the end.
    if (piece.input === '' || (piece.input === call.input.text && call.input.isWhole)) return
    call.input.add(piece.input)
    call.held += piece.input
  }

  #addProof(call: Call, signature: string): void {
    const proof = makeProof(signature, this.#context)
    if (call.isEmitted) call.proof = proof
    else call.part = { ...call.part, proof }
  }

  #openCall({ index, id, name, kind }: CallPiece, position: number): Call {
    const place = { answerId: this.#answerId, choice: this.#index, number: this.#callCount }
    const callId = id === null || this.#callIds.has(id) ? makeCallId(place) : id
    const call: Call = {
      ...newSegment(null),
      part: {
        type: 'tool-call',
        id: callId,
        name: name ?? '',
        kind,
        input: '',
        namespace: null,
        proof: null,
      },
      sentId: id,
      input: new CallInput(),
      isOver: false,
    }
    this.#callCount += 1
    this.#lastCall = call
    this.#callIds.add(callId)
    if (id !== null && !this.#callsById.has(id)) this.#callsById.set(id, call)
    this.#callsByIndex.set(index ?? position, call)
    this.#queue.push(call)
    return call
  }

  /** The call a piece belongs to, or undefined when it starts a new one. */
  #findCall(piece: CallPiece, position: number): Call | undefined {
    if (piece.index === null && piece.id !== null) return this.#callsById.get(piece.id)
    // A piece without index, id and name continues the latest call.
    if (piece.index === null && piece.name === null) return this.#lastCall
    const latest = this.#callsByIndex.get(piece.index ?? position)
    return latest !== undefined && isAnotherCall(latest, piece) ? undefined : latest
  }

  #flush(isLast: boolean): AnswerEvent[] {
    const events: AnswerEvent[] = []
    for (let first = this.#queue[0]; first !== undefined; first = this.#queue[0]) {
      const isNameless = first.part.type === 'tool-call' && first.part.name === ''
      if (isNameless && !isLast) break
      if (!isNameless) this.#emitSegment(first, events)
      if (!isLast && !(this.#queue.length > 1 && isOver(first))) break
      if (!isNameless) events.push({ type: 'part-end', choice: this.#index })
      if (isCall(first)) first.isOver = true
      if (first === this.#lastText) this.#lastText = null
      this.#queue.shift()
    }
    return events
  }

  #emitSegment(segment: Segment, events: AnswerEvent[]): void {
    const choice = this.#index
    if (!segment.isEmitted) events.push({ type: 'part-start', choice, part: segment.part })
    segment.isEmitted = true
    if (segment.held !== '') events.push({ type: 'part-delta', choice, text: segment.held })
    segment.held = ''
    for (const citation of segment.citations) events.push({ type: 'part-citation', choice, citation })
    segment.citations = []
    if (segment.proof !== null) events.push({ type: 'part-proof', choice, proof: segment.proof })
    segment.proof = null
    if (this.#logprobs.length > 0) events.push(this.#takeLogprobs())
  }

  #takeLogprobs(): AnswerEvent {
    const logprobs = this.#logprobs
    this.#logprobs = []
    return { type: 'part-logprobs', choice: this.#index, logprobs }
  }
}

function newSegment<Part extends AnswerPart | null>(part: Part): Omit<Segment, 'part'> & { part: Part } {
  return { part, held: '', citations: [], proof: null, start: 0, isEmitted: false }
}

function isCall(segment: Segment): segment is Call {
  return segment.part.type === 'tool-call'
}

/** True when the next part may start. More pieces of a call may follow until its input is whole. */
function isOver(segment: Segment): boolean {
  return !isCall(segment) || segment.part.kind === 'custom' || segment.input.isWhole
}

// Some suppliers reuse an index for the next call. A new id, or more input after a whole one, shows that.
function isAnotherCall(latest: Call, { id, name, input }: CallPiece): boolean {
  if (name === null) return false
  if (id !== null && latest.sentId !== null) return id !== latest.sentId
  return input !== '' && input !== latest.input.text && latest.input.isWhole
}
