import { type Finish, type FinishReason, finishOf } from '../../../conversation/answer.ts'
import { asObject, type JsonObject } from '../../../wire/json-values.ts'

/** The contents of an answer that decide its finish reason. */
export interface AnswerContent {
  readonly hasCalls: boolean
  readonly hasRefusal: boolean
}

const REASONS_BY_CUT: ReadonlyMap<unknown, FinishReason> = new Map([
  ['max_output_tokens', 'length'],
  ['content_filter', 'filter'],
])

/** The status does not show whether a response ended with a call, so the contents decide. */
export function decodeFinish(response: JsonObject, { hasCalls, hasRefusal }: AnswerContent): Finish {
  if (response.status === 'incomplete') {
    return finishOf(REASONS_BY_CUT.get(asObject(response.incomplete_details)?.reason) ?? 'other')
  }
  if (hasCalls) return finishOf('tool-call')
  return finishOf(hasRefusal ? 'refusal' : 'stop')
}

export interface WireFinish {
  readonly status: 'completed' | 'incomplete'
  readonly incomplete_details: { readonly reason: 'max_output_tokens' | 'content_filter' } | null
}

export function encodeFinish(
  { reason }: Finish,
  { hasRefusal }: Pick<AnswerContent, 'hasRefusal'>,
): WireFinish {
  switch (reason) {
    case 'length':
    case 'context-full':
      return { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }
    case 'filter':
      return { status: 'incomplete', incomplete_details: { reason: 'content_filter' } }
    case 'refusal':
      // A refusal with text is a complete answer. Without text, only the status shows the refusal.
      return hasRefusal
        ? { status: 'completed', incomplete_details: null }
        : { status: 'incomplete', incomplete_details: { reason: 'content_filter' } }
    case 'stop':
    case 'stop-sequence':
    case 'tool-call':
    case 'pause':
    case 'other':
      return { status: 'completed', incomplete_details: null }
  }
}
