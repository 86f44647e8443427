import type { Choice, Performance, Step, StepOf } from '../../performance/performance.ts'
import type { Frame } from '../face.ts'
import { isHidden } from './encode-reply.ts'
import { type AnswerHead, FINISH_REASONS, nameCall } from './head.ts'
import { encodeUsage } from './usage.ts'

type WriteChunk = (fields: { choices: readonly unknown[]; usage?: unknown }) => string

export function* encodeFrames(
  performance: Performance,
  head: AnswerHead,
  includeUsage: boolean,
): Generator<Frame> {
  const { choices, usage } = performance
  const write = createChunkWriter(head, includeUsage)
  for (const [index, choice] of choices.entries()) {
    const writer = new ChoiceWriter(write, index, (call) => nameCall(head, index, call))
    yield* writer.writeChoice(choice)
  }
  if (includeUsage && usage !== null) {
    yield { part: 'usage', text: write({ choices: [], usage: encodeUsage(usage) }) }
  }
  yield { part: 'end', text: 'data: [DONE]\n\n' }
}

function createChunkWriter({ id, created, model }: AnswerHead, includeUsage: boolean): WriteChunk {
  const head = { id, object: 'chat.completion.chunk', created, model }
  // Once usage is asked for, every chunk before the last carries an empty one.
  const tail = includeUsage ? { usage: null } : {}
  return ({ choices, ...fields }) => `data: ${JSON.stringify({ ...head, choices, ...tail, ...fields })}\n\n`
}

class ChoiceWriter {
  readonly #write: WriteChunk
  readonly #index: number
  readonly #nameCall: (call: number) => string

  constructor(write: WriteChunk, index: number, nameOf: (call: number) => string) {
    this.#write = write
    this.#index = index
    this.#nameCall = nameOf
  }

  *writeChoice({ steps, finish }: Choice): Generator<Frame> {
    const hasContent =
      steps.length === 0 || steps.some((step) => step.type !== 'call' && step.type !== 'refuse')
    yield this.#writeDelta({ role: 'assistant', content: hasContent ? '' : null, refusal: null })
    let calls = 0
    for (const step of steps) {
      yield* this.#writeStep(step, calls)
      if (step.type === 'call') calls += 1
    }
    yield { part: 'finish', text: this.#writeChunk({}, FINISH_REASONS[finish]) }
  }

  *#writeStep(step: Step, call: number): Generator<Frame> {
    if (isHidden(step)) return
    switch (step.type) {
      case 'think':
        for (const piece of step.pieces) yield this.#writeDelta({ reasoning_content: piece })
        return
      case 'say':
        for (const piece of step.pieces) yield this.#writeDelta({ content: piece })
        return
      case 'refuse':
        for (const piece of step.pieces) yield this.#writeDelta({ refusal: piece })
        return
      case 'call':
        yield* this.#writeCall(step, call)
    }
  }

  *#writeCall(step: StepOf<'call'>, index: number): Generator<Frame> {
    const type = step.input === 'text' ? 'custom' : 'function'
    const inputField = step.input === 'text' ? 'input' : 'arguments'
    const opening = { index, id: this.#nameCall(index), type, [type]: { name: step.tool, [inputField]: '' } }
    yield this.#writeDelta({ tool_calls: [opening] })
    for (const piece of step.pieces) {
      yield this.#writeDelta({ tool_calls: [{ index, [type]: { [inputField]: piece } }] })
    }
  }

  #writeDelta(delta: unknown): Frame {
    return { part: 'content', text: this.#writeChunk(delta, null) }
  }

  #writeChunk(delta: unknown, finishReason: string | null): string {
    return this.#write({
      choices: [{ index: this.#index, delta, finish_reason: finishReason, logprobs: null }],
    })
  }
}
