import type { TokenLogprob } from '../../../conversation/answer.ts'
import type { Citation, ThinkingPart, ToolCallPart } from '../../../conversation/part.ts'
import type { Proof } from '../../../conversation/proof.ts'
import type { JsonObject } from '../../../wire/json-values.ts'
import { sealThought } from '../reasoning-item.ts'

/** Sends one event of the stream; its number is given by the sender. */
export type Emit = (type: string, fields: JsonObject) => void

/** Where an item stands and how its events are sent. */
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
  /** False when log probabilities do not belong here. */
  addLogprobs(logprobs: readonly TokenLogprob[]): boolean
  /** Ends the item and gives it as it stands in the whole response. */
  close(status: 'completed' | 'incomplete'): JsonObject
}

/** A thought: all of it is one summary, with its signature sealed. */
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
    // Clients parse the arguments of a function; an empty text is none.
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
