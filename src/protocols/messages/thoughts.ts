import type { Answer, AnswerPart } from '../../conversation/answer.ts'
import type { AnswerEvent } from '../../conversation/answer-event.ts'
import type { StreamEncoder } from '../translation.ts'
import type { MessagesRequest } from './request/schema.ts'

/** Clients that have not asked for thinking read the first block as the answer, so they get no thought, not even an empty one. */
export function asksForThoughts({ thinking }: Pick<MessagesRequest, 'thinking'>): boolean {
  return thinking !== undefined && thinking !== null && thinking.type !== 'disabled'
}

/** The answer without thoughts and signatures. What later turns need of them is remembered by call id. */
export function withoutThoughts(answer: Answer): Answer {
  const choices = answer.choices.map((choice) => ({
    ...choice,
    parts: choice.parts.filter(({ type }) => type !== 'thinking').map(withoutProof),
  }))
  return { ...answer, choices }
}

function withoutProof(part: AnswerPart): AnswerPart {
  return part.type === 'tool-call' && part.proof !== null ? { ...part, proof: null } : part
}

/** The same for a stream. This format has one answer, whose parts follow one another. */
export class ThoughtlessEncoder implements StreamEncoder {
  readonly #encoder: StreamEncoder
  #isThinking = false

  constructor(encoder: StreamEncoder) {
    this.#encoder = encoder
  }

  push(event: AnswerEvent): string {
    switch (event.type) {
      case 'part-start':
        if (event.choice !== 0) return ''
        this.#isThinking = event.part.type === 'thinking'
        return this.#isThinking ? '' : this.#encoder.push({ ...event, part: withoutProof(event.part) })
      case 'part-proof':
        return ''
      case 'part-delta':
        return this.#isThinking ? '' : this.#encoder.push(event)
      case 'part-end':
        if (!this.#isThinking) return this.#encoder.push(event)
        this.#isThinking = event.choice !== 0
        return ''
      default:
        return this.#encoder.push(event)
    }
  }

  fail(...failure: Parameters<StreamEncoder['fail']>): string {
    return this.#encoder.fail(...failure)
  }
}
