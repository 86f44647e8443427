import type { Finish, FinishReason } from '../../../conversation/answer.ts'

/** What the format's own words mean. Calls end with STOP too, so `tool-call` is decided elsewhere. */
const REASONS: ReadonlyMap<string, FinishReason> = new Map([
  ['STOP', 'stop'],
  ['MAX_TOKENS', 'length'],
  // The supplier would go on if asked again with a token of its own, which no other format can carry.
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
  /** The supplier's word; null when it gave none. */
  readonly reason: string | null
  readonly message: string | null
  readonly hasCalls: boolean
}

export function decodeFinish({ reason, message, hasCalls }: EndedCandidate): Finish {
  const known = REASONS.get(reason ?? '') ?? 'other'
  const isCall = hasCalls && (known === 'stop' || known === 'other')
  // SAFETY says no more than `filter` does; the other words tell people why.
  const explanation = known === 'filter' ? (message ?? (reason === 'SAFETY' ? null : reason)) : null
  return { reason: isCall ? 'tool-call' : known, stopSequence: null, explanation }
}

interface EndedChoice {
  readonly finish: Finish
  /** A call whose arguments were no JSON object; such a call cannot be told. */
  readonly malformedCall: string | null
  /** Whether anything at all was said. */
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
      // A refusal in words is an answer; one without would look like an answer that got lost.
      return hasParts ? 'STOP' : 'SAFETY'
    case 'other':
      return 'OTHER'
  }
}
