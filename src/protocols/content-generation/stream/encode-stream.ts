import { type AnswerPart, type Finish, finishOf, type TokenLogprob } from '../../../conversation/answer.ts'
import type { AnswerEvent } from '../../../conversation/answer-event.ts'
import type { Citation, ThinkingPart } from '../../../conversation/part.ts'
import type { Proof } from '../../../conversation/proof.ts'
import type { Usage } from '../../../conversation/usage.ts'
import type { GatewayError } from '../../../errors/gateway-error.ts'
import type { JsonObject } from '../../../wire/json-values.ts'
import type { ReplyContext, StreamEncoder } from '../../translation.ts'
import type { StreamShape } from '../address.ts'
import { sealed } from '../parts.ts'
import { moveCitation, showCall, showText, showThought, showWhole } from '../reply/encode-reply.ts'
import { encodeFinish } from '../reply/finish.ts'
import { encodeGrounding } from '../reply/grounding.ts'
import { encodeLogprobs } from '../reply/logprobs.ts'
import { encodeUsage, estimateUsage } from '../reply/usage.ts'
import { framesOf, type StreamFrames, streamError } from './frames.ts'

interface OpenChoice {
  open: AnswerPart | null
  proof: Proof | null
  /** Whether any text of the open part has been sent. */
  hasWords: boolean
  /** Arguments of the open call, which is sent only when complete. */
  input: string[]
  hasParts: boolean
  malformedCall: string | null
  finish: Finish
  readonly texts: string[]
  textLength: number
  openedAt: number
  readonly citations: Citation[]
  readonly logprobs: TokenLogprob[]
}

type ChoiceEvent = Exclude<AnswerEvent, { type: 'answer-start' | 'usage' | 'answer-end' }>

/** Encodes an answer as chunks, each with only the new parts. The last chunk has the finish reasons and the usage. */
export class GenerationEncoder implements StreamEncoder {
  readonly #context: ReplyContext
  readonly #frames: StreamFrames
  readonly #choices = new Map<number, OpenChoice>()
  readonly #responseId: string
  #usage: Usage | null = null
  #characters = 0
  #isOver = false

  constructor(context: ReplyContext, shape: StreamShape) {
    this.#context = context
    this.#frames = framesOf(shape)
    this.#responseId = context.newId('')
  }

  push(event: AnswerEvent): string {
    if (this.#isOver) return ''
    switch (event.type) {
      case 'answer-start':
        return ''
      case 'usage':
        this.#usage = event.usage
        return ''
      case 'answer-end':
        this.#isOver = true
        return this.#frames.chunk(this.#lastChunk()) + this.#frames.close()
      default:
        return this.#pushToChoice(event, this.#choice(event.choice))
    }
  }

  fail(error: GatewayError, isEndWithheld = false): string {
    if (this.#isOver && !isEndWithheld) return ''
    this.#isOver = true
    return this.#frames.chunk(streamError(error)) + this.#frames.close()
  }

  #pushToChoice(event: ChoiceEvent, choice: OpenChoice): string {
    switch (event.type) {
      case 'part-start':
        this.#characters += event.part.type === 'tool-call' ? event.part.name.length : 0
        openPart(choice, event.part)
        return ''
      case 'part-delta':
        this.#characters += event.text.length
        return this.#show(event.choice, choice, showDelta(choice, event.text))
      case 'part-proof':
        choice.proof = event.proof
        return ''
      case 'part-citation':
        choice.citations.push(moveCitation(event.citation, choice.openedAt))
        return ''
      case 'part-logprobs':
        for (const logprob of event.logprobs) choice.logprobs.push(logprob)
        return ''
      case 'part-end':
        return this.#show(event.choice, choice, showEnd(choice))
      case 'choice-end':
        choice.finish = event.finish
        return ''
    }
  }

  #show(index: number, choice: OpenChoice, part: JsonObject | null): string {
    if (part === null) return ''
    choice.hasParts = true
    return this.#frames.chunk({
      candidates: [{ content: { role: 'model', parts: [part] }, index }],
      ...this.#name(),
    })
  }

  #lastChunk(): JsonObject {
    const inOrder = [...this.#choices].sort(([one], [other]) => one - other)
    return {
      candidates: inOrder.map(([index, choice]) => ({
        content: { role: 'model', parts: [{ text: '' }] },
        ...encodeFinish(choice),
        index,
        safetyRatings: [],
        ...encodeGrounding(choice.citations, choice.texts.join('')),
        ...encodeLogprobs(choice.logprobs),
      })),
      usageMetadata:
        this.#usage === null
          ? estimateUsage(this.#context.promptTokens, this.#characters)
          : encodeUsage(this.#usage),
      ...this.#name(),
    }
  }

  #name(): JsonObject {
    return { modelVersion: this.#context.model, responseId: this.#responseId }
  }

  #choice(index: number): OpenChoice {
    const known = this.#choices.get(index)
    if (known !== undefined) return known
    const opened: OpenChoice = {
      open: null,
      proof: null,
      hasWords: false,
      input: [],
      hasParts: false,
      malformedCall: null,
      finish: finishOf('other'),
      texts: [],
      textLength: 0,
      openedAt: 0,
      citations: [],
      logprobs: [],
    }
    this.#choices.set(index, opened)
    return opened
  }
}

function openPart(choice: OpenChoice, part: AnswerPart): void {
  choice.open = part
  choice.proof = 'proof' in part ? part.proof : null
  choice.hasWords = false
  choice.openedAt = choice.textLength
}

function showDelta(choice: OpenChoice, text: string): JsonObject | null {
  const { open } = choice
  if (open === null || text === '') return null
  switch (open.type) {
    case 'text':
    case 'refusal':
      choice.texts.push(text)
      choice.textLength += text.length
      return showText(text, null)
    case 'thinking':
      choice.hasWords = true
      return showThought(text, { ...open, proof: null })
    case 'tool-call':
      choice.input.push(text)
      return null
    case 'image':
    case 'opaque':
      return null
  }
}

/** The last piece of a part: a complete call, or a signature. */
function showEnd(choice: OpenChoice): JsonObject | null {
  const { open, proof } = choice
  choice.open = null
  choice.proof = null
  switch (open?.type) {
    case 'text':
      return proof === null ? null : showText('', proof)
    case 'thinking':
      return proof === null ? null : showLateProof({ ...open, proof }, choice.hasWords)
    case 'tool-call':
      return showEndedCall(choice, { ...open, proof })
    case 'image':
    case 'opaque':
      return showWhole(open)
    default:
      return null
  }
}

function showLateProof(thought: ThinkingPart, hasWords: boolean): JsonObject | null {
  if (thought.isRedacted || !hasWords) return showThought('', thought)
  return { text: '', thought: true, ...sealed(thought.proof) }
}

function showEndedCall(choice: OpenChoice, call: AnswerPart & { type: 'tool-call' }): JsonObject | null {
  const shown = showCall({ ...call, input: call.input + choice.input.join('') })
  choice.input = []
  if (shown === null) choice.malformedCall ??= call.name
  return shown
}
