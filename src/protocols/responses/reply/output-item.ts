import type { TokenLogprob } from '../../../conversation/answer.ts'
import type { Citation, ThinkingPart, ToolCallPart } from '../../../conversation/part.ts'
import type { Proof } from '../../../conversation/proof.ts'
import type { JsonObject } from '../../../wire/json-values.ts'
import { encodeCitation } from '../content.ts'
import { sealThought } from '../reasoning.ts'

/** Sends one event of the stream. The receiver adds the sequence number. */
export type Emit = (type: string, fields: JsonObject) => void

/** The position of an item and how to send its events. */
export interface ItemPlace {
  readonly id: string
  readonly index: number
  readonly emit: Emit
}

/** An item that is being written. */
export interface OpenItem {
  append(text: string): void
  addProof(proof: Proof): void
  cite(citation: Citation): void
  /** Returns false when the item cannot hold log probabilities. */
  addLogprobs(logprobs: readonly TokenLogprob[]): boolean
  /** Closes the item and returns it for the whole response. */
  close(status: 'completed' | 'incomplete'): JsonObject
}

/** A reasoning item: the thinking as one summary, and its sealed signature. */
export class ReasoningItem implements OpenItem {
  readonly #place: ItemPlace
  readonly #isRedacted: boolean
  readonly #pieces: string[] = []
  #proof: Proof | null

  constructor(place: ItemPlace, { proof, isRedacted }: Pick<ThinkingPart, 'proof' | 'isRedacted'>) {
    this.#place = place
    this.#proof = proof
    this.#isRedacted = isRedacted
    const item = { id: place.id, type: 'reasoning', summary: [], status: 'in_progress' }
    place.emit('response.output_item.added', { output_index: place.index, item })
  }

  append(text: string): void {
    if (this.#pieces.length === 0) {
      this.#emit('response.reasoning_summary_part.added', { part: { type: 'summary_text', text: '' } })
    }
    this.#pieces.push(text)
    this.#emit('response.reasoning_summary_text.delta', { delta: text })
  }

  addProof(proof: Proof): void {
    this.#proof = proof
  }

  cite(): void {}

  addLogprobs(): boolean {
    return false
  }

  close(status: 'completed' | 'incomplete'): JsonObject {
    const { id, index, emit } = this.#place
    const text = this.#pieces.join('')
    const part = { type: 'summary_text', text }
    if (this.#pieces.length > 0) {
      this.#emit('response.reasoning_summary_text.done', { text })
      this.#emit('response.reasoning_summary_part.done', { part })
    }
    const item = {
      id,
      type: 'reasoning',
      summary: this.#pieces.length > 0 ? [part] : [],
      encrypted_content: sealThought(this.#proof, this.#isRedacted),
      status,
    }
    emit('response.output_item.done', { output_index: index, item })
    return item
  }

  #emit(type: string, fields: JsonObject): void {
    const { id, index, emit } = this.#place
    emit(type, { item_id: id, output_index: index, summary_index: 0, ...fields })
  }
}

export class CallItem implements OpenItem {
  readonly #place: ItemPlace
  readonly #call: ToolCallPart
  readonly #pieces: string[] = []

  constructor(place: ItemPlace, call: ToolCallPart) {
    this.#place = place
    this.#call = call
    place.emit('response.output_item.added', {
      output_index: place.index,
      item: this.#item('', 'in_progress'),
    })
  }

  append(text: string): void {
    this.#pieces.push(text)
    const { id, index, emit } = this.#place
    const type = this.#isCustom ? 'custom_tool_call_input' : 'function_call_arguments'
    emit(`response.${type}.delta`, { item_id: id, output_index: index, delta: text })
  }

  addProof(): void {}

  cite(): void {}

  addLogprobs(): boolean {
    return false
  }

  close(status: 'completed' | 'incomplete'): JsonObject {
    const { id, index, emit } = this.#place
    // Clients parse the arguments, and an empty text is not JSON.
    if (!this.#isCustom && this.#pieces.length === 0) this.append('{}')
    const input = this.#pieces.join('')
    const place = { item_id: id, output_index: index }
    if (this.#isCustom) emit('response.custom_tool_call_input.done', { ...place, input })
    else emit('response.function_call_arguments.done', { ...place, name: this.#call.name, arguments: input })
    const item = this.#item(input, status)
    emit('response.output_item.done', { output_index: index, item })
    return item
  }

  get #isCustom(): boolean {
    return this.#call.kind === 'custom'
  }

  #item(input: string, status: string): JsonObject {
    const { id: call_id, name, namespace } = this.#call
    return {
      id: this.#place.id,
      type: this.#isCustom ? 'custom_tool_call' : 'function_call',
      status,
      call_id,
      name,
      ...(namespace !== null && { namespace }),
      ...(this.#isCustom ? { input } : { arguments: input }),
    }
  }
}

interface OpenContent {
  readonly type: 'text' | 'refusal'
  readonly pieces: string[]
  readonly citations: JsonObject[]
  readonly logprobs: JsonObject[]
}

/** A message. Consecutive texts and refusals are its content parts. */
export class MessageItem implements OpenItem {
  readonly #place: ItemPlace
  readonly #content: JsonObject[] = []
  #open: OpenContent | null = null

  constructor(place: ItemPlace) {
    this.#place = place
    place.emit('response.output_item.added', {
      output_index: place.index,
      item: { id: place.id, type: 'message', role: 'assistant', status: 'in_progress', content: [] },
    })
  }

  startContent(type: OpenContent['type']): void {
    this.#endContent()
    this.#open = { type, pieces: [], citations: [], logprobs: [] }
    this.#emit('response.content_part.added', { part: wireContent(this.#open, '') })
  }

  append(text: string): void {
    if (this.#open === null) return
    this.#open.pieces.push(text)
    if (this.#open.type === 'refusal') this.#emit('response.refusal.delta', { delta: text })
    else this.#emit('response.output_text.delta', { delta: text, logprobs: [] })
  }

  addProof(): void {}

  cite(citation: Citation): void {
    if (this.#open?.type !== 'text') return
    const { citations, pieces } = this.#open
    const annotation = encodeCitation(citation, pieces.join('').length)
    this.#emit('response.output_text.annotation.added', { annotation_index: citations.length, annotation })
    citations.push(annotation)
  }

  addLogprobs(logprobs: readonly TokenLogprob[]): boolean {
    if (this.#open?.type !== 'text') return false
    for (const logprob of logprobs) this.#open.logprobs.push(encodeLogprob(logprob))
    return true
  }

  close(status: 'completed' | 'incomplete'): JsonObject {
    this.#endContent()
    const { id, index, emit } = this.#place
    const item = { id, type: 'message', role: 'assistant', status, content: this.#content }
    emit('response.output_item.done', { output_index: index, item })
    return item
  }

  #endContent(): void {
    if (this.#open === null) return
    const text = this.#open.pieces.join('')
    const part = wireContent(this.#open, text)
    if (this.#open.type === 'refusal') this.#emit('response.refusal.done', { refusal: text })
    else this.#emit('response.output_text.done', { text, logprobs: this.#open.logprobs })
    this.#emit('response.content_part.done', { part })
    this.#content.push(part)
    this.#open = null
  }

  #emit(type: string, fields: JsonObject): void {
    const { id, index, emit } = this.#place
    emit(type, { item_id: id, output_index: index, content_index: this.#content.length, ...fields })
  }
}

// Copies the lists, because they grow after an event has used them.
function wireContent({ type, citations, logprobs }: OpenContent, text: string): JsonObject {
  if (type === 'refusal') return { type: 'refusal', refusal: text }
  return { type: 'output_text', text, annotations: [...citations], logprobs: [...logprobs] }
}

function encodeLogprob({ token, logprob, top }: TokenLogprob): JsonObject {
  return {
    ...tokenFields(token),
    logprob,
    top_logprobs: top.map((other) => ({ ...tokenFields(other.token), logprob: other.logprob })),
  }
}

function tokenFields(token: string): JsonObject {
  return { token, bytes: [...Buffer.from(token)] }
}
