import type { AnswerPart } from '../../../conversation/answer.ts'
import type { AnswerEvent } from '../../../conversation/answer-event.ts'
import { textPart } from '../../../conversation/part.ts'
import { asArray, asText, isObject, type JsonObject, tryParseJson } from '../../../wire/json-values.ts'
import { isTooDeep } from '../measure.ts'
import { decodeCitation } from '../reply/citations.ts'
import {
  makeOpaque,
  makeProof,
  makeRedacted,
  makeThought,
  type Origin,
  openCall,
} from '../reply/decode-reply.ts'

interface QueuedBlock {
  readonly decoder: BlockDecoder
  /** Its events, while an earlier block is still open. */
  readonly held: AnswerEvent[]
  isClosed: boolean
}

/**
 * The open blocks of a stream, in the order they opened. Only one part may be open at a time: the first block emits
 * its events immediately, the others hold theirs until it closes. Every method returns null for an unknown block.
 */
export class BlockQueue {
  hasCalls = false
  readonly #origin: Origin
  readonly #queue: QueuedBlock[] = []
  readonly #open = new Map<unknown, QueuedBlock>()

  constructor(origin: Origin) {
    this.#origin = origin
  }

  get isOpen(): boolean {
    return this.#queue.length > 0
  }

  open(index: unknown, content: JsonObject): AnswerEvent[] | null {
    const isSound = typeof content.type === 'string' && !isTooDeep(content)
    if (this.#open.has(index) || !isSound) return null
    if (content.type === 'tool_use') this.hasCalls = true
    const decoder = new BlockDecoder(content, this.#origin)
    const block: QueuedBlock = { decoder, held: [], isClosed: false }
    this.#queue.push(block)
    this.#open.set(index, block)
    return this.#emit(block, decoder.open())
  }

  add(index: unknown, delta: JsonObject): AnswerEvent[] | null {
    const block = this.#open.get(index)
    const events = block?.decoder.add(delta) ?? null
    return block === undefined || events === null ? null : this.#emit(block, events)
  }

  close(index: unknown): AnswerEvent[] | null {
    const block = this.#open.get(index)
    if (block === undefined) return null
    const events = this.#emit(block, block.decoder.close())
    block.isClosed = true
    this.#open.delete(index)
    return [...events, ...this.#advance()]
  }

  closeAll(): AnswerEvent[] {
    return [...this.#open.keys()].flatMap((index) => this.close(index) ?? [])
  }

  #emit(block: QueuedBlock, events: AnswerEvent[]): AnswerEvent[] {
    if (block === this.#queue[0]) return events
    for (const event of events) block.held.push(event)
    return []
  }

  /** Removes the closed blocks at the front and releases the events of the next one. */
  #advance(): AnswerEvent[] {
    const events: AnswerEvent[] = []
    while (this.#queue[0]?.isClosed) {
      this.#queue.shift()
      for (const event of this.#queue[0]?.held.splice(0) ?? []) events.push(event)
    }
    return events
  }
}

const CHOICE = { choice: 0 } as const
const PART_END: AnswerEvent = { type: 'part-end', ...CHOICE }

type Kind = 'text' | 'thinking' | 'redacted' | 'call' | 'other'

const KINDS: ReadonlyMap<unknown, Kind> = new Map([
  ['text', 'text'],
  ['thinking', 'thinking'],
  ['redacted_thinking', 'redacted'],
  ['tool_use', 'call'],
])

/** Reads the events of one block. */
class BlockDecoder {
  readonly #kind: Kind
  readonly #origin: Origin
  #block: JsonObject
  #isPartOpen = false
  /** Pieces of tool input. Kept only for blocks that are emitted whole. */
  #input = ''
  /** Members that deltas added to a block that is emitted whole. */
  readonly #gathered: Record<string, unknown> = {}
  #hasInput = false

  constructor(block: JsonObject, origin: Origin) {
    this.#kind = KINDS.get(block.type) ?? 'other'
    this.#block = block
    this.#origin = origin
  }

  open(): AnswerEvent[] {
    const block = this.#block
    switch (this.#kind) {
      case 'text':
        return [
          ...this.#addText(block.text),
          ...asArray(block.citations).flatMap((each) => this.#addCitation(each)),
        ]
      case 'thinking':
        return [
          ...this.#openPart(makeThought('', null)),
          ...this.#addText(block.thinking),
          ...this.#addProof(block.signature),
        ]
      case 'redacted':
        return this.#openPart(makeRedacted(block, this.#origin))
      case 'call':
        return this.#openPart(openCall(block))
      case 'other':
        return []
    }
  }

  /** null when this kind of block cannot have such a delta. */
  add(delta: JsonObject): AnswerEvent[] | null {
    if (this.#kind === 'other') return this.#gather(delta)
    switch (delta.type) {
      case 'text_delta':
        return this.#kind === 'text' ? this.#addText(delta.text) : null
      case 'citations_delta':
        return this.#kind === 'text' ? this.#addCitation(delta.citation) : null
      case 'thinking_delta':
        return this.#kind === 'thinking' ? this.#addText(delta.thinking) : null
      case 'signature_delta':
        return this.#kind === 'thinking' ? this.#addProof(delta.signature) : null
      case 'input_json_delta':
        return this.#kind === 'call' ? this.#addInput(delta.partial_json) : null
      default:
        return []
    }
  }

  close(): AnswerEvent[] {
    if (this.#kind === 'other') return [...this.#openPart(this.#makeWhole()), PART_END]
    if (this.#kind === 'call' && !this.#hasInput) {
      // Some suppliers send the whole input when they open the block, and omit an empty one.
      return [...this.#addText(JSON.stringify(this.#block.input ?? {})), PART_END]
    }
    return this.#isPartOpen ? [PART_END] : []
  }

  #openPart(part: AnswerPart): AnswerEvent[] {
    this.#isPartOpen = true
    return [{ type: 'part-start', ...CHOICE, part }]
  }

  // A text part opens with its first content, so an empty text block produces no part.
  #openText(): AnswerEvent[] {
    return this.#isPartOpen ? [] : this.#openPart(textPart(''))
  }

  #addText(value: unknown): AnswerEvent[] {
    const text = asText(value)
    return text === null ? [] : [...this.#openText(), { type: 'part-delta', ...CHOICE, text }]
  }

  #addCitation(value: unknown): AnswerEvent[] {
    const citation = decodeCitation(value)
    return citation === null ? [] : [...this.#openText(), { type: 'part-citation', ...CHOICE, citation }]
  }

  #addProof(value: unknown): AnswerEvent[] {
    const proof = makeProof(value, this.#origin)
    return proof === null ? [] : [{ type: 'part-proof', ...CHOICE, proof }]
  }

  #addInput(value: unknown): AnswerEvent[] {
    const events = this.#addText(value)
    this.#hasInput ||= events.length > 0
    return events
  }

  /** Unknown kinds of block are kept whole, so that they can be sent back unchanged. */
  #gather({ type, ...members }: JsonObject): AnswerEvent[] {
    if (type === 'input_json_delta') this.#input += asText(members.partial_json) ?? ''
    else Object.assign(this.#gathered, members)
    return []
  }

  #makeWhole(): AnswerPart {
    const input = this.#input === '' ? undefined : tryParseJson(this.#input)
    const block = { ...this.#block, ...this.#gathered }
    return makeOpaque(isObject(input) && !isTooDeep(input) ? { ...block, input } : block)
  }
}
