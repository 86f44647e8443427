import type { AnswerPart, TokenLogprob } from '../../../conversation/answer.ts'
import type { AnswerEvent } from '../../../conversation/answer-event.ts'
import { type Citation, textPart } from '../../../conversation/part.ts'
import type { Proof } from '../../../conversation/proof.ts'
import { asObject, asText, type JsonObject } from '../../../wire/json-values.ts'
import type { SupplyContext } from '../../translation.ts'
import { decodeCitations, decodeLogprobs } from '../reply/annotations.ts'
import { type CallPiece, makeCallId, makeProof, readSaying, type Saying } from '../reply/decode-reply.ts'
import { decodeFinish } from '../reply/finish.ts'
import { thought } from '../thinking.ts'
import { CallInput } from './call-input.ts'

/** A part of the answer in the making: it is told once it stands first in the queue. */
interface Segment {
  /** As it opens; complete for a picture. */
  part: AnswerPart
  /** Text that has come but not been told. */
  held: string
  citations: Citation[]
  /** A signature that came after the part was opened. */
  proof: Proof | null
  /** Of a text: where in the whole text of the message it begins. */
  readonly start: number
  isTold: boolean
}

interface Call extends Segment {
  part: Extract<AnswerPart, { type: 'tool-call' }>
  readonly sentId: string | null
  /** The whole input so far, told or not. */
  readonly input: CallInput
  isOver: boolean
}

/**
 * Reads the pieces of one choice. Only one part may be open at a time, but suppliers may interleave calls; so parts
 * queue up, the first one is told as it comes, and gives way to the next when nothing more of it is to be expected.
 */
export class ChoiceDecoder {
  readonly #index: number
  readonly #answerId: string
  readonly #context: SupplyContext
  readonly #queue: Segment[] = []
  /** The text in the queue that came last. */
  #lastText: Segment | null = null
  #callCount = 0
  #hasNamedCall = false
  #lastCall: Call | undefined
  readonly #callIds = new Set<string>()
  /** The first call with each id, and the latest with each index. */
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
    // A few suppliers send whole messages where a delta is due.
    const said = asObject(delta) ?? asObject(message)
    if (said !== null) this.#take(readSaying(said))
    for (const token of decodeLogprobs(logprobs) ?? []) this.#logprobs.push(token)
    this.#finishReason = asText(finish_reason) ?? this.#finishReason
    return this.#tell(false)
  }

  /** Nothing more comes for this choice. */
  end(): AnswerEvent[] {
    const events = this.#tell(true)
    if (this.#logprobs.length > 0) events.push(this.#takeLogprobs())
    const contents = { hasCalls: this.#hasNamedCall, hasRefusal: this.#hasRefusal }
    const finish = decodeFinish(this.#finishReason, contents)
    events.push({ type: 'choice-end', choice: this.#index, finish })
    return events
  }

  #take(saying: Saying): void {
    if (saying.thinking !== '') this.#addText(thought(''), saying.thinking)
    if (saying.text !== '') this.#addText(textPart(''), saying.text)
    if (saying.refusal !== '') this.#addText({ type: 'refusal', text: '' }, saying.refusal)
    for (const image of saying.images) this.#queue.push(segment(image))
    saying.calls.forEach((piece, position) => {
      this.#addCallPiece(piece, position)
    })
    if (saying.annotations) this.#addCitations(saying.annotations)
  }

  #addText(opening: AnswerPart, text: string): void {
    const last = this.#queue.at(-1)
    if (last?.part.type === opening.type) last.held += text
    else this.#openText({ ...segment(opening), held: text, start: this.#textLength })
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
    // Some suppliers close with the whole input once more.
    if (piece.input === '' || (piece.input === call.input.text && call.input.isWhole)) return
    call.input.add(piece.input)
    call.held += piece.input
  }

  #addProof(call: Call, signature: string): void {
    const proof = makeProof(signature, this.#context)
    if (call.isTold) call.proof = proof
    else call.part = { ...call.part, proof }
  }

  #openCall({ index, id, name, kind }: CallPiece, position: number): Call {
    const place = { answerId: this.#answerId, choice: this.#index, number: this.#callCount }
    const callId = id === null || this.#callIds.has(id) ? makeCallId(place) : id
    const call: Call = {
      ...segment(null),
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

  /** The call a piece belongs to; undefined when it begins a new one. */
  #findCall(piece: CallPiece, position: number): Call | undefined {
    if (piece.index === null && piece.id !== null) return this.#callsById.get(piece.id)
    // A piece that tells nothing of whose it is goes on with the latest call.
    if (piece.index === null && piece.name === null) return this.#lastCall
    const latest = this.#callsByIndex.get(piece.index ?? position)
    return latest !== undefined && isAnotherCall(latest, piece) ? undefined : latest
  }

  #tell(isLast: boolean): AnswerEvent[] {
    const events: AnswerEvent[] = []
    for (let first = this.#queue[0]; first !== undefined; first = this.#queue[0]) {
      const isNameless = first.part.type === 'tool-call' && first.part.name === ''
      if (isNameless && !isLast) break
      if (!isNameless) this.#tellSegment(first, events)
      if (!isLast && !(this.#queue.length > 1 && isOver(first))) break
      if (!isNameless) events.push({ type: 'part-end', choice: this.#index })
      if (isCall(first)) first.isOver = true
      if (first === this.#lastText) this.#lastText = null
      this.#queue.shift()
    }
    return events
  }

  #tellSegment(told: Segment, events: AnswerEvent[]): void {
    const choice = this.#index
    if (!told.isTold) events.push({ type: 'part-start', choice, part: told.part })
    told.isTold = true
    if (told.held !== '') events.push({ type: 'part-delta', choice, text: told.held })
    told.held = ''
    for (const citation of told.citations) events.push({ type: 'part-citation', choice, citation })
    told.citations = []
    if (told.proof !== null) events.push({ type: 'part-proof', choice, proof: told.proof })
    told.proof = null
    if (this.#logprobs.length > 0) events.push(this.#takeLogprobs())
  }

  #takeLogprobs(): AnswerEvent {
    const logprobs = this.#logprobs
    this.#logprobs = []
    return { type: 'part-logprobs', choice: this.#index, logprobs }
  }
}

function segment<Part extends AnswerPart | null>(part: Part): Omit<Segment, 'part'> & { part: Part } {
  return { part, held: '', citations: [], proof: null, start: 0, isTold: false }
}

function isCall(told: Segment): told is Call {
  return told.part.type === 'tool-call'
}

/** Whether a part can give way to the next: a call only once its input is whole, since pieces may still come. */
function isOver(told: Segment): boolean {
  return !isCall(told) || told.part.kind === 'custom' || told.input.isWhole
}

// Suppliers reuse an index for the next call; only a new id, or a new beginning after a whole input, tells.
function isAnotherCall(latest: Call, { id, name, input }: CallPiece): boolean {
  if (name === null) return false
  if (id !== null && latest.sentId !== null) return id !== latest.sentId
  return input !== '' && input !== latest.input.text && latest.input.isWhole
}
