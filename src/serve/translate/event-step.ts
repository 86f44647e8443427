import type { AnswerEvent } from '../../conversation/answer-event.ts'

/** Something every event of an answer passes through on its way to the client. Synchronous. */
export interface EventStep {
  /** What takes the event's place: usually the event itself. */
  push(event: AnswerEvent): readonly AnswerEvent[]
}

export function passThrough(
  events: readonly AnswerEvent[],
  steps: readonly EventStep[],
): readonly AnswerEvent[] {
  let current = events
  for (const step of steps) current = current.flatMap((event) => step.push(event))
  return current
}
