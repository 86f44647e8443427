import type { AnswerPart, Finish, TokenLogprob } from './answer.ts'
import type { Citation } from './part.ts'
import type { Proof } from './proof.ts'
import type { Usage } from './usage.ts'

/**
 * One step of an answer as it is being given. Every stream decoder emits these and every stream encoder takes
 * them, in this grammar:
 *
 *   answer-start ( part | usage )* choice-end… usage? answer-end
 *   part = part-start ( part-delta | part-proof | part-citation | part-logprobs )* part-end
 *
 * - Within one choice only one part is open at a time; a decoder whose wire format interleaves parts holds back
 *   the later ones until the earlier one ends.
 * - Parts of different choices may interleave.
 * - Folding the events of a stream gives the same Answer as a reply that is not streamed.
 * - A failure is not an event. The decoder reports it, and no event follows.
 */
export type AnswerEvent =
  | { readonly type: 'answer-start'; readonly id: string }
  /** A part opens. Its text, input and citations follow as deltas. */
  | { readonly type: 'part-start'; readonly choice: number; readonly part: AnswerPart }
  /** More of the open part: text, thinking, refusal, or tool input. */
  | { readonly type: 'part-delta'; readonly choice: number; readonly text: string }
  | { readonly type: 'part-proof'; readonly choice: number; readonly proof: Proof }
  | { readonly type: 'part-citation'; readonly choice: number; readonly citation: Citation }
  | { readonly type: 'part-logprobs'; readonly choice: number; readonly logprobs: readonly TokenLogprob[] }
  | { readonly type: 'part-end'; readonly choice: number }
  | { readonly type: 'choice-end'; readonly choice: number; readonly finish: Finish }
  /** Totals so far, never increments; the last one counts. */
  | { readonly type: 'usage'; readonly usage: Usage }
  | { readonly type: 'answer-end' }
