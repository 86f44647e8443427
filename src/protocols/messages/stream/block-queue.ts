import type { AnswerEvent } from '../../../conversation/answer-event.ts'
import type { JsonObject } from '../../../wire/json-values.ts'
import { isTooDeep } from '../nesting.ts'
import type { Origin } from '../reply/decode-answer.ts'
import { BlockDecoder } from './block-decoder.ts'

interface QueuedBlock {
  readonly decoder: BlockDecoder
  /** What it has to say, as long as an earlier block is still open. */
  readonly held: AnswerEvent[]
  isClosed: boolean
}

/**
 * The open blocks of a stream, in the order in which they opened. The first one speaks at once; a supplier that
 * opens another before it has closed the first makes that one wait, so that only one part is open at a time.
 * Every method gives null for a block that is not there.
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
    return this.#tell(block, decoder.open())
  }

  add(index: unknown, delta: JsonObject): AnswerEvent[] | null {
    const block = this.#open.get(index)
    const events = block?.decoder.add(delta) ?? null
    return block === undefined || events === null ? null : this.#tell(block, events)
  }

  close(index: unknown): AnswerEvent[] | null {
    const block = this.#open.get(index)
    if (block === undefined) return null
    const events = this.#tell(block, block.decoder.close())
    block.isClosed = true
    this.#open.delete(index)
    return [...events, ...this.#advance()]
  }

  closeAll(): AnswerEvent[] {
    return [...this.#open.keys()].flatMap((index) => this.close(index) ?? [])
  }

  #tell(block: QueuedBlock, events: AnswerEvent[]): AnswerEvent[] {
    if (block === this.#queue[0]) return events
    for (const event of events) block.held.push(event)
    return []
  }

  /** Lets go of the closed blocks at the front, and lets the next one speak. */
  #advance(): AnswerEvent[] {
    const events: AnswerEvent[] = []
    while (this.#queue[0]?.isClosed) {
      this.#queue.shift()
      for (const event of this.#queue[0]?.held.splice(0) ?? []) events.push(event)
    }
    return events
  }
}
