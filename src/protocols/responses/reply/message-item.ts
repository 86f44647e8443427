import type { TokenLogprob } from '../../../conversation/answer.ts'
import type { Citation } from '../../../conversation/part.ts'
import type { JsonObject } from '../../../wire/json-values.ts'
import { encodeCitation } from '../citation.ts'
import type { ItemPlace, OpenItem } from './output-item.ts'

interface OpenContent {
  readonly type: 'text' | 'refusal'
  readonly pieces: string[]
  readonly citations: JsonObject[]
  readonly logprobs: JsonObject[]
}

/** A message: texts and refusals that follow one another are its content parts. */
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

// Copies: the events that carry them may be written long before more is added.
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
