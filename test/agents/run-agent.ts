import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createKeyFor, type TextFormat } from '../captures/suppliers-by-format.ts'
import type { TestGateway } from '../support/test-gateway.ts'
import { type Agent, TASK } from './agent.ts'
import { type Ended, runProgram } from './run-program.ts'
import { type Traffic, watchTraffic } from './traffic.ts'

const RUN_SECONDS = 120

export interface Run {
  readonly ended: Ended
  /** What the agent wrote into the file; null when there is none. */
  readonly written: string | null
  readonly traffic: Traffic
}

/** Lets an agent do the task once, with a supplier that speaks this format behind the gateway. */
export async function runAgent(
  agent: Agent,
  { path, supplier }: { path: string; supplier: TextFormat },
  gateway: TestGateway,
): Promise<Run> {
  const scratch = mkdtempSync(join(tmpdir(), 'turnpike-agent-'))
  try {
    const [home, project] = [join(scratch, 'home'), join(scratch, 'project')]
    const key = await createKeyFor(gateway, supplier)
    const launch = agent.plan({ gatewayUrl: gateway.url, key: key.secret, home, project })
    mkdirSync(project)
    for (const [name, text] of Object.entries(launch.files)) {
      mkdirSync(dirname(join(home, name)), { recursive: true })
      writeFileSync(join(home, name), text)
    }
    const readTraffic = watchTraffic(gateway, key.id)
    const ended = await runProgram({
      command: [path, ...launch.arguments],
      folder: project,
      environment: { PATH: process.env.PATH ?? '', HOME: home, ...launch.environment },
      timeoutSeconds: RUN_SECONDS,
    })
    const file = join(project, TASK.file)
    const written = existsSync(file) ? readFileSync(file, 'utf8') : null
    return { ended, written, traffic: await readTraffic() }
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}
