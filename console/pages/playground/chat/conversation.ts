/** A conversation with one or several models. Every change returns a new one. */

import type { Answer } from '../../../parts/wire/ask.ts'
import type { Attachment, Question, ToolResult, Turn } from '../../../parts/wire/question.ts'

/** What the user says. */
export interface Said {
  readonly text: string
  readonly files: readonly Attachment[]
}

/** A request and its response. */
export interface Step {
  /** The results that the user gave for the calls of the step before. */
  readonly results: readonly ToolResult[]
  readonly question: Question
  readonly answer: Answer
}

/** What one model answers: several steps if it calls functions. */
export interface Reply {
  readonly model: string
  readonly steps: readonly Step[]
}

/** A message of the user and the replies to it, one for each model. */
export interface Round {
  readonly id: number
  readonly said: Said
  readonly replies: readonly Reply[]
}

export type Rounds = readonly Round[]

/** Names a step of a conversation. */
export interface Place {
  readonly round: number
  readonly model: string
}

// Suppliers refuse calls without results.
const NO_RESULT = 'No result was given.'

/** The conversation so far, as a model is to see it. A model that has not answered sees what another one did. */
export function turnsOf(rounds: Rounds, model: string): Turn[] {
  return rounds.flatMap(({ said, replies }): Turn[] => {
    const own = replies.find((reply) => reply.model === model)
    const reply = [own, ...replies].find((each) => each !== undefined && isAnswered(each))
    // Many models refuse two user turns in a row.
    if (reply === undefined) return []
    return [userTurn(said), ...stepTurns(reply.steps, NO_RESULT)]
  })
}

export function userTurn({ text, files }: Said): Turn {
  return { role: 'user', text, ...(files.length > 0 && { files }) }
}

function isAnswered({ steps }: Reply): boolean {
  return steps.some(({ answer }) => answer.text !== '' || answer.calls.length > 0)
}

/** The turns of a reply. The calls of its last step get a result, if one is given here. */
function stepTurns(steps: readonly Step[], missing: string | null): Turn[] {
  return steps.flatMap(({ answer: { text, calls } }, index): Turn[] => {
    if (text === '' && calls.length === 0) return []
    const turn: Turn = { role: 'assistant', text, ...(calls.length > 0 && { calls }) }
    const results =
      steps[index + 1]?.results ?? (missing === null ? [] : calls.map((call) => ({ call, output: missing })))
    return results.length === 0 ? [turn] : [turn, { role: 'tool', results }]
  })
}

/** The turns for the next request of a model in a round: what was said before, and the results of its calls. */
export function turnsFor(rounds: Rounds, place: Place, results: readonly ToolResult[]): Turn[] {
  const before = rounds.filter(({ id }) => id < place.round)
  const round = rounds.find(({ id }) => id === place.round)
  if (round === undefined) return []
  const steps = replyAt(round, place.model)?.steps ?? []
  const last: Turn[] = results.length === 0 ? [] : [{ role: 'tool', results }]
  return [
    ...turnsOf(before, place.model),
    userTurn(round.said),
    ...(results.length === 0 ? [] : stepTurns(steps, null)),
    ...last,
  ]
}

export function replyAt(round: Round | undefined, model: string): Reply | undefined {
  return round?.replies.find((reply) => reply.model === model)
}

export function isRunning({ phase }: Answer): boolean {
  return phase === 'waiting' || phase === 'answering'
}

export function isReplyRunning({ steps }: Reply): boolean {
  return steps.some(({ answer }) => isRunning(answer))
}

/** The calls that wait for results. */
export function openCalls({ steps }: Reply): Answer['calls'] {
  const last = steps.at(-1)?.answer
  return last === undefined || last.phase !== 'done' ? [] : last.calls
}

/** The last text of a reply, which is what users copy and edit. */
export function textOf({ steps }: Reply): string {
  return steps.findLast(({ answer }) => answer.text !== '')?.answer.text ?? ''
}

/** Changes the reply of a model in a round. */
export function changeReply(
  rounds: Rounds,
  { round, model }: Place,
  change: (reply: Reply) => Reply,
): Rounds {
  return rounds.map((each) =>
    each.id === round
      ? { ...each, replies: each.replies.map((reply) => (reply.model === model ? change(reply) : reply)) }
      : each,
  )
}

export function changeAnswer(
  rounds: Rounds,
  place: Place & { readonly step: number },
  answer: Answer,
): Rounds {
  return changeReply(rounds, place, (reply) => ({
    ...reply,
    steps: reply.steps.map((step, index) => (index === place.step ? { ...step, answer } : step)),
  }))
}

/** Everything up to a round. What followed it is gone. */
export function upTo(rounds: Rounds, round: number): Rounds {
  return rounds.filter(({ id }) => id <= round)
}

/** Puts words into the mouth of a model. Its calls before stay. */
export function rewrite(rounds: Rounds, place: Place, text: string): Rounds {
  return changeReply(upTo(rounds, place.round), place, (reply) => {
    const last = reply.steps.findLastIndex(({ answer }) => answer.text !== '')
    const steps = reply.steps.map((step, index) =>
      index === last ? { ...step, answer: { ...step.answer, text } } : step,
    )
    return { ...reply, steps }
  })
}
