import type { Choice, Performance, Step } from '../../performance/performance.ts'
import { countTokens, TOKENS_PER_MADE_IMAGE } from '../../performance/tokens.ts'
import type { Refusal } from '../../refusal.ts'
import type { Frame } from '../face.ts'
import {
  type AnswerHead,
  encodeCall,
  encodeCandidate,
  encodeImage,
  encodeTail,
  encodeUsage,
  isShown,
  signStep,
} from './encode-answer.ts'
import { encodeError } from './encode-error.ts'

/** How chunks are put on the wire: as events, or as one list that is sent as it grows. */
export interface ChunkWriter {
  readonly streamType: string
  writeChunk(chunk: unknown, sentFrames: number): string
  /** What closes the stream; empty when nothing does. */
  readonly end: string
}

export const EVENT_WRITER: ChunkWriter = {
  streamType: 'text/event-stream',
  writeChunk: (chunk) => `data: ${JSON.stringify(chunk)}\r\n\r\n`,
  end: '',
}

export const LIST_WRITER: ChunkWriter = {
  streamType: 'application/json; charset=UTF-8',
  writeChunk: (chunk, sentFrames) => `${sentFrames === 0 ? '[' : ',\r\n'}${JSON.stringify(chunk)}`,
  end: ']',
}

export function* encodeFrames(
  performance: Performance,
  head: AnswerHead,
  writer: ChunkWriter,
): Generator<Frame> {
  let sent = 0
  for (const { part, chunk } of writeChunks(performance, head)) {
    yield { part, text: writer.writeChunk(chunk, sent) }
    sent += 1
  }
  if (writer.end !== '') yield { part: 'end', text: writer.end }
}

export function encodeErrorFrame(refusal: Refusal, sentFrames: number, writer: ChunkWriter): string {
  return writer.writeChunk(encodeError(refusal), sentFrames) + writer.end
}

interface Chunk {
  readonly part: Frame['part']
  readonly chunk: object
}

function* writeChunks(performance: Performance, head: AnswerHead): Generator<Chunk> {
  const { choices, usage } = performance
  const tail = encodeTail(head)
  const meter = new RunningUsage(performance)
  for (const [index, choice] of choices.entries()) {
    for (const part of writeParts(choice, head)) {
      const candidates = [encodeCandidate([part], index, null)]
      yield { part: 'content', chunk: { candidates, ...meter.count(part), ...tail } }
    }
    const isLast = index === choices.length - 1
    const total = isLast && usage !== null ? { usageMetadata: encodeUsage(usage) } : {}
    const candidates = [encodeCandidate(closingParts(choice, head), index, choice)]
    yield { part: isLast ? 'usage' : 'finish', chunk: { candidates, ...total, ...tail } }
  }
}

/** Every chunk reports what has been used so far; only the last one has the whole. */
class RunningUsage {
  readonly #performance: Performance
  #said = 0
  #thought = 0
  #images = 0

  constructor(performance: Performance) {
    this.#performance = performance
  }

  count({ text, thought, inlineData }: StreamPart): { usageMetadata?: object } {
    const { usage, hasLateUsage } = this.#performance
    if (usage === null || hasLateUsage === true) return {}
    const characters = text?.length ?? 0
    if (thought === true) this.#thought += characters
    else this.#said += characters
    if (inlineData !== undefined) this.#images += 1
    const reasoning = countTokens(this.#thought)
    const imageOutput = this.#images * TOKENS_PER_MADE_IMAGE
    const output = reasoning + countTokens(this.#said) + imageOutput
    return { usageMetadata: encodeUsage({ ...usage, output, reasoning, imageOutput }) }
  }
}

interface StreamPart {
  readonly text?: string
  readonly thought?: true
  readonly functionCall?: object
  readonly inlineData?: object
  readonly thoughtSignature?: string
}

function* writeParts({ steps, image }: Choice, head: AnswerHead): Generator<StreamPart> {
  for (const [position, step] of steps.entries()) {
    const signature = () => signStep(step, { steps, position, head })
    switch (step.type) {
      case 'think':
        if (!isShown(step, head)) break
        for (const text of step.pieces) yield { text, thought: true }
        yield { text: '', thought: true, ...signature() }
        break
      case 'say':
        for (const text of step.pieces) yield { text }
        break
      case 'call':
        for (const part of encodeCall(step, { position, head })) yield { ...part, ...signature() }
        break
      case 'refuse':
    }
  }
  yield* encodeImage(image)
}

/** The last chunk may bring the signature of words that came before it. */
function closingParts({ steps, finish }: Choice, head: AnswerHead): readonly object[] {
  if (finish === 'refusal') return []
  const position = steps.findLastIndex((step: Step) => step.type === 'say')
  const said = steps[position]
  return [{ text: '', ...(said === undefined ? {} : signStep(said, { steps, position, head })) }]
}
