import type { AnswerPart } from '../../../conversation/answer.ts'
import type { AnswerEvent } from '../../../conversation/answer-event.ts'
import { textPart } from '../../../conversation/part.ts'
import type { Proof } from '../../../conversation/proof.ts'
import { asArray, asObject, asText, isObject, type JsonObject } from '../../../wire/json-values.ts'
import { callIdFor, writeJson } from '../function-calls.ts'
import { decodeImage, decodeOpaque, FORMAT } from '../parts.ts'
import { decodeFinish } from './finish.ts'
import { decodeGrounding, TextPlaces } from './grounding.ts'
import { decodeLogprobs } from './logprobs.ts'

interface CandidateOrigin {
  readonly index: number
  readonly upstreamModel: string
  readonly route: string
  /** Unique per answer, so that generated ids are unique too. */
  readonly seed: string
}

type Said = 'text' | 'thinking'

/** Decodes the chunks of one candidate. */
export class CandidateReader {
  /** The supplier's finish reason; null until it ends. */
  finishReason: string | null = null
  readonly #origin: CandidateOrigin
  #finishMessage: string | null = null
  #open: Said | null = null
  #isSigned = false
  #calls = 0
  /** The text so far, because sources refer to positions in it. `#unplaced` is not in it yet. */
  readonly #places = new TextPlaces()
  #unplaced: string[] = []
  #textLength = 0
  #openedAt = 0
  readonly #cited = new Set<string>()

  constructor(origin: CandidateOrigin) {
    this.#origin = origin
  }

  read(candidate: JsonObject): AnswerEvent[] {
    const events: AnswerEvent[] = []
    for (const part of asArray(asObject(candidate.content)?.parts))
      this.#readPart(asObject(part) ?? {}, events)
    this.#readSources(candidate, events)
    const logprobs = decodeLogprobs(candidate.logprobsResult)
    if (logprobs.length > 0) events.push({ type: 'part-logprobs', choice: this.#choice, logprobs })
    this.#readFinish(candidate)
    return events
  }

  /** Ends the candidate. */
  close(): AnswerEvent[] {
    const events: AnswerEvent[] = []
    this.#closePart(events)
    const finish = decodeFinish({
      reason: this.finishReason,
      message: this.#finishMessage,
      hasCalls: this.#calls > 0,
    })
    events.push({ type: 'choice-end', choice: this.#choice, finish })
    return events
  }

  get #choice(): number {
    return this.#origin.index
  }

  // Suppliers may repeat the finish reason.
  #readFinish({ finishReason, finishMessage }: JsonObject): void {
    const reason = asText(finishReason)
    if (reason === null || reason === 'FINISH_REASON_UNSPECIFIED') return
    this.finishReason ??= reason
    this.#finishMessage ??= asText(finishMessage)
  }

  #readPart(part: JsonObject, events: AnswerEvent[]): void {
    if (isObject(part.functionCall)) {
      this.#readCall(part.functionCall, part, events)
      return
    }
    // A draft among the thoughts is not an image of the answer.
    const image = part.thought === true ? null : decodeInlineImage(part.inlineData)
    const whole = image ?? decodeOpaque(part)
    if (whole === null) this.#readSaid(part, events)
    else this.#readWhole(whole, events)
  }

  #readSaid({ text, thought, thoughtSignature }: JsonObject, events: AnswerEvent[]): void {
    const said = asText(text) ?? ''
    // The signature does not tell: calls and plain text carry one too.
    const kind: Said = thought === true ? 'thinking' : 'text'
    const proof = this.#proof(thoughtSignature, kind)
    if (said === '' && (proof === null || this.#open !== kind || this.#isSigned)) {
      if (proof !== null) this.#readWhole({ type: 'thinking', text: '', proof, isRedacted: false }, events)
      return
    }
    if (this.#open !== kind || this.#isSigned) this.#openPart(kind, events)
    if (said !== '') events.push({ type: 'part-delta', choice: this.#choice, text: said })
    if (kind === 'text') this.#noteText(said)
    if (proof === null) return
    events.push({ type: 'part-proof', choice: this.#choice, proof })
    this.#isSigned = true
  }

  #openPart(kind: Said, events: AnswerEvent[]): void {
    this.#closePart(events)
    const part: AnswerPart =
      kind === 'text' ? textPart('') : { type: 'thinking', text: '', proof: null, isRedacted: false }
    events.push({ type: 'part-start', choice: this.#choice, part })
    this.#open = kind
    this.#isSigned = false
    this.#openedAt = this.#textLength
  }

  #closePart(events: AnswerEvent[]): void {
    if (this.#open !== null) events.push({ type: 'part-end', choice: this.#choice })
    this.#open = null
  }

  /** Emits a part that arrives in one piece. */
  #readWhole(part: AnswerPart, events: AnswerEvent[], input = ''): void {
    this.#closePart(events)
    events.push({ type: 'part-start', choice: this.#choice, part })
    if (input !== '') events.push({ type: 'part-delta', choice: this.#choice, text: input })
    events.push({ type: 'part-end', choice: this.#choice })
  }

  #readCall(call: JsonObject, { thoughtSignature }: JsonObject, events: AnswerEvent[]): void {
    const { seed, index } = this.#origin
    const name = asText(call.name) ?? ''
    const part: AnswerPart = {
      type: 'tool-call',
      id: asText(call.id) ?? callIdFor(seed, index, this.#calls, name),
      name,
      kind: 'function',
      input: '',
      namespace: null,
      proof: this.#proof(thoughtSignature, 'tool-call'),
    }
    this.#calls++
    // Arguments that nest too deeply to serialize become broken JSON, which is harmless.
    const input = typeof call.args === 'string' ? call.args : writeJson(call.args ?? {})
    this.#readWhole(part, events, input ?? '{')
  }

  #proof(signature: unknown, on: Proof['on']): Proof | null {
    const value = asText(signature)
    if (value === null) return null
    const { upstreamModel, route } = this.#origin
    return { origin: FORMAT, model: upstreamModel, route, on, value, itemId: null }
  }

  #noteText(text: string): void {
    this.#unplaced.push(text)
    this.#textLength += text.length
  }

  /** Suppliers may repeat sources in every chunk. They can be attached only while a text part is open. */
  #readSources(candidate: JsonObject, events: AnswerEvent[]): void {
    if (this.#open !== 'text' || !(candidate.groundingMetadata || candidate.citationMetadata)) return
    this.#places.append(this.#unplaced.join(''))
    this.#unplaced = []
    for (const citation of decodeGrounding(candidate, this.#places)) {
      const key = JSON.stringify([citation.url, citation.start, citation.end])
      if (this.#cited.has(key)) continue
      this.#cited.add(key)
      const start = citation.start === null ? -1 : citation.start - this.#openedAt
      const end = (citation.end ?? 0) - this.#openedAt
      const place = start < 0 ? { start: null, end: null } : { start, end }
      events.push({ type: 'part-citation', choice: this.#choice, citation: { ...citation, ...place } })
    }
  }
}

function decodeInlineImage(inlineData: unknown): AnswerPart | null {
  const { mimeType, data } = asObject(inlineData) ?? {}
  if (typeof mimeType !== 'string' || typeof data !== 'string' || !/^image\//i.test(mimeType)) return null
  return decodeImage({ inlineData: { mimeType, data } })
}
