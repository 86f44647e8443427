import type { TextFormat } from '../captures/suppliers-by-format.ts'
import { type Agent, type AgentTask, TASK } from './agent.ts'
import type { Run } from './run-agent.ts'
import type { Settled } from './traffic.ts'

/** Everything that was not as it must be; empty after a good run. */
export function findProblems(
  { agent, task }: { agent: Agent; task: AgentTask },
  supplier: TextFormat,
  { ended, written, traffic }: Run,
): readonly string[] {
  const problems = [
    ended.exitCode === null && 'it did not end in time',
    ended.exitCode !== null && ended.exitCode !== 0 && `it ended with ${ended.exitCode}`,
    task.writesFile && written !== TASK.words && `the file holds ${JSON.stringify(written)}`,
    !task.output.test(ended.output) && 'the last answer did not reach it',
    traffic.settled.length < task.turns && `only ${traffic.settled.length} turns`,
    task.judge?.(traffic) ?? null,
    ...traffic.settled.map((settled) => findMisfit(settled, { agent, task }, supplier)),
    ...traffic.refusals,
    ...traffic.troubles,
  ]
  return problems.filter((problem) => problem !== false && problem !== null)
}

function findMisfit(
  settled: Settled,
  { agent, task }: { agent: Agent; task: AgentTask },
  supplier: TextFormat,
): string | null {
  const { client_format, supplier_format, outcome } = settled
  if (outcome !== 'completed') return `a request was ${outcome}`
  if (client_format !== agent.format) return `it spoke ${client_format}`
  if (!task.switchesSupplier && supplier_format !== supplier)
    return `the supplier was spoken to in ${supplier_format}`
  if (settled.attempts.length !== 1) return `a request took ${settled.attempts.length} attempts`
  // An agent that gets no usable stream may quietly ask for a whole answer instead.
  return settled.stream || task.asksWhole ? null : 'a request was not streamed'
}
