import type { Finish, FinishReason } from '../../../conversation/answer.ts'

/** Finish reasons of this format. Calls end with STOP too, so `tool-call` is decided below. */
const REASONS: ReadonlyMap<string, FinishReason> = new Map([
  ['STOP', 'stop'],
  ['MAX_TOKENS', 'length'],
  // The supplier could continue with a continuation token, which no other format has.
  ['CONTINUATION', 'length'],
  ['SAFETY', 'filter'],
  ['RECITATION', 'filter'],
  ['BLOCKLIST', 'filter'],
  ['PROHIBITED_CONTENT', 'filter'],
  ['SPII', 'filter'],
  ['IMAGE_SAFETY', 'filter'],
  ['IMAGE_PROHIBITED_CONTENT', 'filter'],
  ['IMAGE_RECITATION', 'filter'],
  ['IMAGE_OTHER', 'filter'],
])

interface EndedCandidate {
  /** The supplier's finish reason; null when there is none. */
  readonly reason: string | null
  readonly message: string | null
  readonly hasCalls: boolean
}

export function decodeFinish({ reason, message, hasCalls }: EndedCandidate): Finish {
  const known = REASONS.get(reason ?? '') ?? 'other'
  const isCall = hasCalls && (known === 'stop' || known === 'other')
  // SAFETY adds nothing to `filter`; the other reasons explain it.
  const explanation = known === 'filter' ? (message ?? (reason === 'SAFETY' ? null : reason)) : null
  return { reason: isCall ? 'tool-call' : known, stopSequence: null, explanation }
}

interface EndedChoice {
  readonly finish: Finish
  /** The name of a call whose arguments are not a JSON object and cannot be encoded. */
  readonly malformedCall: string | null
  /** Whether the answer has any parts. */
  readonly hasParts: boolean
}

interface WireFinish {
  readonly finishReason: string
  readonly finishMessage?: string
}

export function encodeFinish({ finish, malformedCall, hasParts }: EndedChoice): WireFinish {
  if (malformedCall !== null) {
    const finishMessage = `The arguments of the call to ${malformedCall} are not a JSON object.`
    return { finishReason: 'MALFORMED_FUNCTION_CALL', finishMessage }
  }
  const isExplained = finish.explanation !== null && finish.explanation !== ''
  return {
    finishReason: wordFor(finish.reason, hasParts),
    ...(isExplained && { finishMessage: finish.explanation ?? '' }),
  }
}

function wordFor(reason: FinishReason, hasParts: boolean): string {
  switch (reason) {
    case 'stop':
    case 'stop-sequence':
    case 'tool-call':
    case 'pause':
      return 'STOP'
    case 'length':
    case 'context-full':
      return 'MAX_TOKENS'
    case 'filter':
      return 'SAFETY'
    case 'refusal':
      // A refusal with text is an answer. An empty one would look like a lost answer.
      return hasParts ? 'STOP' : 'SAFETY'
    case 'other':
      return 'OTHER'
  }
}
