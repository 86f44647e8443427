import type { TextFormat } from '../captures/suppliers-by-format.ts'
import { type Agent, TASK, TURNS } from './agent.ts'
import type { Run } from './run-agent.ts'
import type { Settled } from './traffic.ts'

/** What the sandbox says of the second call, whose result alone holds the words. */
const LAST_ANSWER = new RegExp(`returned: .*${TASK.words}`)

/** Everything that was not as it must be; empty after a good run. */
export function findProblems(agent: Agent, supplier: TextFormat, run: Run): readonly string[] {
  const { ended, written, traffic } = run
  const problems = [
    ended.exitCode === null && 'it did not end in time',
    ended.exitCode !== null && ended.exitCode !== 0 && `it ended with ${ended.exitCode}`,
    written !== TASK.words && `the file holds ${JSON.stringify(written)}`,
    !LAST_ANSWER.test(ended.output) && 'the last answer did not reach it',
    traffic.settled.length < TURNS && `only ${traffic.settled.length} turns`,
    ...traffic.settled.map((settled) => findMisfit(settled, agent, supplier)),
    ...traffic.refusals,
    ...traffic.troubles,
  ]
  return problems.filter((problem) => problem !== false && problem !== null)
}

function findMisfit(settled: Settled, agent: Agent, supplier: TextFormat): string | null {
  const { client_format, supplier_format, outcome } = settled
  if (outcome !== 'completed') return `a request was ${outcome}`
  if (client_format !== agent.format) return `it spoke ${client_format}`
  if (supplier_format !== supplier) return `the supplier was spoken to in ${supplier_format}`
  if (settled.attempts.length !== 1) return `a request took ${settled.attempts.length} attempts`
  // An agent that gets no usable stream may quietly ask for a whole answer instead.
  return settled.stream ? null : 'a request was not streamed'
}
