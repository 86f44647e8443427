import { type Answer, finishOf } from '../../../conversation/answer.ts'
import type { AnswerEvent } from '../../../conversation/answer-event.ts'
import { fold } from '../../../conversation/fold.ts'
import { asArray, asObject, asText, isObject, type JsonObject } from '../../../wire/json-values.ts'
import type { ReplyFacts } from '../../protocol.ts'
import type { SupplyContext } from '../../translation.ts'
import { countGenerated, countImages } from '../measure.ts'
import { CandidateReader } from './candidate-reader.ts'
import { decodeUsage, noteSearches, type WebSearches } from './usage.ts'

/** null when the body is not a reply. */
export function decodeReply(body: unknown, context: SupplyContext): Answer | null {
  if (Array.isArray(body)) return decodeChunks(body, context)
  const reply = asObject(body)
  if (reply === null || !isReply(reply)) return null
  const reader = new ChunkReader(context)
  return fold([...reader.read(reply), ...reader.close()])
}

/** A stream comes as the list of its chunks when the wish for events got lost on the way. */
function decodeChunks(chunks: readonly unknown[], context: SupplyContext): Answer | null {
  if (!chunks.every(isChunk)) return null
  const reader = new ChunkReader(context)
  const events = chunks.flatMap((chunk) => reader.read(chunk))
  return reader.isComplete ? fold([...events, ...reader.close()]) : null
}

function isChunk(value: unknown): value is JsonObject {
  return isObject(value) && !isObject(value.error)
}

/** Decodes the chunks of an answer into events. A whole reply is a single chunk. */
export class ChunkReader {
  readonly #context: Pick<SupplyContext, 'upstreamModel' | 'route'>
  readonly #candidates = new Map<number, CandidateReader>()
  #blockExplanation: string | null = null
  #seed: string | null = null
  #searches: WebSearches | null = null

  constructor(context: Pick<SupplyContext, 'upstreamModel' | 'route'>) {
    this.#context = context
  }

  /** Whether every candidate has a finish reason, or the prompt was blocked. */
  get isComplete(): boolean {
    if (this.#candidates.size === 0) return this.#blockExplanation !== null
    return [...this.#candidates.values()].every(({ finishReason }) => finishReason !== null)
  }

  read(chunk: JsonObject): AnswerEvent[] {
    const events = this.#start(chunk)
    asArray(chunk.candidates).forEach((item, position) => {
      const candidate = asObject(item)
      if (candidate === null) return
      this.#searches = noteSearches(this.#searches, candidate)
      for (const event of this.#candidate(candidate, position).read(candidate)) events.push(event)
    })
    const reason = blockReasonOf(chunk)
    if (reason !== null)
      this.#blockExplanation = asText(asObject(chunk.promptFeedback)?.blockReasonMessage) ?? reason
    const usage = decodeUsage(chunk.usageMetadata, this.#searches)
    if (usage !== null) events.push({ type: 'usage', usage })
    return events
  }

  /** Ends the answer. Finish reasons are emitted only now, because other candidates may still have sent parts. */
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
    // Call ids derive from the seed and must differ between answers.
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

/** Reads the facts of a whole reply; null without candidates or a block reason, or when the body holds an error. */
export function readReply(body: unknown): ReplyFacts | null {
  const reply = asObject(body)
  if (reply === null || !isReply(reply)) return null
  let searches: WebSearches | null = null
  let outputCharacters = 0
  let inlineImages = 0
  for (const candidate of asArray(reply.candidates)) {
    searches = noteSearches(searches, asObject(candidate) ?? {})
    outputCharacters += countGenerated(candidate)
    inlineImages += countImages(candidate)
  }
  return { usage: decodeUsage(reply.usageMetadata, searches), outputCharacters, inlineImages }
}

function isReply(reply: JsonObject): boolean {
  if (isObject(reply.error)) return false
  const candidates = asArray(reply.candidates)
  if (candidates.length > 0) return candidates.every(isObject)
  return blockReasonOf(reply) !== null
}

/** Why the prompt was blocked, in which case there are no candidates; null when it was not. */
export function blockReasonOf(reply: JsonObject): string | null {
  const reason = asObject(reply.promptFeedback)?.blockReason
  return typeof reason === 'string' && reason !== '' ? reason : null
}
