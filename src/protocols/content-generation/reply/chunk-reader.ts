import { finishOf } from '../../../conversation/answer.ts'
import type { AnswerEvent } from '../../../conversation/answer-event.ts'
import { asArray, asObject, asText, type JsonObject } from '../../../wire/json-values.ts'
import type { SupplyContext } from '../../translation.ts'
import { CandidateReader } from './candidate-reader.ts'
import { blockReasonOf } from './read-reply.ts'
import { decodeUsage } from './usage.ts'

/**
 * Reads the pieces of an answer into events. A whole reply is an answer in one piece, so both ways of answering are
 * read by the same hands.
 */
export class ChunkReader {
  readonly #context: Pick<SupplyContext, 'upstreamModel' | 'route'>
  readonly #candidates = new Map<number, CandidateReader>()
  #blockExplanation: string | null = null
  #seed: string | null = null

  constructor(context: Pick<SupplyContext, 'upstreamModel' | 'route'>) {
    this.#context = context
  }

  /** Whether every candidate has said why it ended, or the prompt was refused altogether. */
  get isComplete(): boolean {
    if (this.#candidates.size === 0) return this.#blockExplanation !== null
    return [...this.#candidates.values()].every(({ finishReason }) => finishReason !== null)
  }

  read(chunk: JsonObject): AnswerEvent[] {
    const events = this.#start(chunk)
    asArray(chunk.candidates).forEach((item, position) => {
      const candidate = asObject(item)
      if (candidate === null) return
      for (const event of this.#candidate(candidate, position).read(candidate)) events.push(event)
    })
    const reason = blockReasonOf(chunk)
    if (reason !== null)
      this.#blockExplanation = asText(asObject(chunk.promptFeedback)?.blockReasonMessage) ?? reason
    const usage = decodeUsage(chunk.usageMetadata)
    if (usage !== null) events.push({ type: 'usage', usage })
    return events
  }

  /** No more can come. Endings are told only now: parts of other candidates may follow the first of them. */
  close(): AnswerEvent[] {
    const events: AnswerEvent[] = []
    const inOrder = [...this.#candidates].sort(([one], [other]) => one - other)
    for (const [, candidate] of inOrder) for (const event of candidate.close()) events.push(event)
    if (inOrder.length === 0) {
      const finish = { ...finishOf('filter'), explanation: this.#blockExplanation }
      events.push({ type: 'choice-end', choice: 0, finish })
    }
    return [...events, { type: 'answer-end' }]
  }

  #start({ responseId }: JsonObject): AnswerEvent[] {
    if (this.#seed !== null) return []
    const id = asText(responseId)
    // Two answers must not give the same id to their calls, and without a name of its own nothing tells them apart.
    this.#seed = id ?? crypto.randomUUID()
    return [{ type: 'answer-start', id: id ?? '' }]
  }

  #candidate({ index }: JsonObject, position: number): CandidateReader {
    const place = typeof index === 'number' && Number.isSafeInteger(index) && index >= 0 ? index : position
    const known = this.#candidates.get(place)
    if (known !== undefined) return known
    const opened = new CandidateReader({ ...this.#context, index: place, seed: this.#seed ?? '' })
    this.#candidates.set(place, opened)
    return opened
  }
}
