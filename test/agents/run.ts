import { supplyByFormat, TEXT_FORMATS, type TextFormat } from '../captures/suppliers-by-format.ts'
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts'
import type { Agent, AgentTask } from './agent.ts'
import { AGENTS } from './agents.ts'
import { type Installation, install } from './install.ts'
import { findProblems } from './judge.ts'
import { type Row, renderTable } from './render-table.ts'
import { type Run, runAgent } from './run-agent.ts'

/** Thinks, signs its thoughts and calls, and goes on only when it gets them back: the hardest model to please. */
const UPSTREAM_MODEL = 'sandbox-reasoner'
const OUTPUT_SHOWN = 3_000

/** Words on the command line choose agents and tasks by their names; none chooses all. */
function chooseAgents(wanted: readonly string[]): readonly Agent[] {
  const isWanted = ({ name, command, version }: Agent, task: AgentTask) => {
    const words = `${name} ${command} ${version} ${task.name}`.toLowerCase()
    return wanted.every((word) => words.includes(word.toLowerCase()))
  }
  return AGENTS.map((agent) => ({
    ...agent,
    tasks: agent.tasks.filter((task) => isWanted(agent, task)),
  })).filter(({ tasks }) => tasks.length > 0)
}

/** Its own format first, where bytes are relayed, then others, where they are translated. */
function suppliersFor({ format }: Agent, { suppliers }: AgentTask): readonly TextFormat[] {
  return [format, ...TEXT_FORMATS.filter((other) => other !== format)].slice(0, suppliers)
}

async function tryAgent(agent: Agent, gateway: TestGateway): Promise<readonly Row[]> {
  const installation = await install(agent)
  const rows: Row[] = []
  for (const task of agent.tasks) {
    for (const supplier of suppliersFor(agent, task))
      rows.push(await trySupplier({ agent, task }, supplier, { installation, gateway }))
  }
  return rows
}

async function trySupplier(
  { agent, task }: { agent: Agent; task: AgentTask },
  supplier: TextFormat,
  { installation, gateway }: { installation: Installation; gateway: TestGateway },
): Promise<Row> {
  const { name, version, format } = agent
  const row = { agent: name, version, task: task.name, format, supplier }
  if (installation.type === 'impossible') {
    const nothing = { turns: 0, streamed: 0, framed: 0, compacted: 0 }
    return { ...row, ...nothing, result: `not run: ${installation.reason}`, isPassed: false }
  }
  const run = await runAgent(task, { path: installation.path, supplier }, gateway)
  const problems = findProblems({ agent, task }, supplier, run)
  if (problems.length > 0) showOutput(agent, supplier, run)
  const { settled, framed, compacted } = run.traffic
  return {
    ...row,
    turns: settled.length,
    streamed: settled.filter(({ stream }) => stream).length,
    framed,
    compacted,
    result: problems.length === 0 ? 'passed' : `failed: ${problems.join('; ')}`,
    isPassed: problems.length === 0,
  }
}

function showOutput({ name, version }: Agent, supplier: TextFormat, { ended }: Run): void {
  console.error(`\n${name} ${version} to ${supplier} printed:\n${ended.output.slice(-OUTPUT_SHOWN)}\n`)
}

async function main(): Promise<number> {
  const agents = chooseAgents(process.argv.slice(2))
  const gateway = await startTestGateway()
  try {
    const models = new Set(agents.flatMap((agent) => agent.models))
    await supplyByFormat(gateway, { models, upstreamModel: UPSTREAM_MODEL })
    const rows: Row[] = []
    for (const agent of agents) rows.push(...(await tryAgent(agent, gateway)))
    console.log(renderTable(rows))
    return rows.length > 0 && rows.every(({ isPassed }) => isPassed) ? 0 : 1
  } finally {
    await gateway.stop()
  }
}

process.exit(await main())
