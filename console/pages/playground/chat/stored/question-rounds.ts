import { NO_ANSWER } from '../../../../parts/wire/ask.ts'
import type { Question, ToolResult } from '../../../../parts/wire/question.ts'
import { type Round, type Rounds, type Said, type Step, turnsFor } from '../conversation.ts'

export interface AskedBefore {
  readonly rounds: Rounds
  /** The last message, which nobody has answered yet. */
  readonly draft: Said
}

/** The conversation of a request, with its last message ready to be sent again. */
export function roundsOf({ turns, ...manner }: Question): AskedBefore {
  const rounds: { id: number; said: Said; steps: Step[] }[] = []
  let results: readonly ToolResult[] = []
  const asRounds = (): Round[] =>
    rounds.map(({ id, said, steps }) => ({ id, said, replies: [{ model: manner.model, steps }] }))
  for (const turn of turns) {
    if (turn.role === 'user') {
      const id = rounds.length + 1
      rounds.push({ id, said: { text: turn.text, files: turn.files ?? [] }, steps: [] })
      results = []
    } else if (turn.role === 'tool') {
      results = turn.results
    } else {
      // A conversation may begin with words of the model.
      if (rounds.length === 0) rounds.push({ id: 1, said: { text: '…', files: [] }, steps: [] })
      const round = rounds.length
      const question = { ...manner, turns: turnsFor(asRounds(), { round, model: manner.model }, results) }
      const calls = (turn.calls ?? []).map((call, index) => ({ ...call, index }))
      const answer = { ...NO_ANSWER, phase: 'done' as const, text: turn.text, calls }
      rounds.at(-1)?.steps.push({ results, question, answer })
      results = []
    }
  }
  const last = rounds.at(-1)
  if (last === undefined || last.steps.length > 0)
    return { rounds: asRounds(), draft: { text: '', files: [] } }
  rounds.pop()
  return { rounds: asRounds(), draft: last.said }
}
