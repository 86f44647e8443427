import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createKeyFor, type TextFormat } from '../captures/suppliers-by-format.ts'
import type { TestGateway } from '../support/test-gateway.ts'
import { type AgentTask, TASK } from './agent.ts'
import { type Ended, runProgram } from './run-program.ts'
import { type Traffic, watchTraffic } from './traffic.ts'

const RUN_SECONDS = 120

export interface Run {
  readonly ended: Ended
  /** What the agent wrote into the file; null when there is none. */
  readonly written: string | null
  readonly traffic: Traffic
}

/** Lets an agent do a task once, with a supplier that speaks this format behind the gateway. */
export async function runAgent(
  task: AgentTask,
  { path, supplier }: { path: string; supplier: TextFormat },
  gateway: TestGateway,
): Promise<Run> {
  const scratch = mkdtempSync(join(tmpdir(), 'turnpike-agent-'))
  try {
    const [home, project] = [join(scratch, 'home'), join(scratch, 'project')]
    const key = await createKeyFor(gateway, supplier)
    const otherKey = await createKeyFor(gateway, anotherFormat(supplier))
    const secrets = { key: key.secret, otherKey: otherKey.secret }
    const launch = task.plan({ gatewayUrl: gateway.url, ...secrets, home, project })
    writeFiles(project, launch.projectFiles ?? {})
    writeFiles(home, launch.files)
    const readTraffic = watchTraffic(gateway, [key.id, otherKey.id])
    let ended: Ended = { exitCode: 0, output: '' }
    for (const { arguments: words, environment } of [launch, ...(launch.further ?? [])]) {
      const { exitCode, output } = await runProgram({
        command: [path, ...words],
        folder: project,
        environment: {
          PATH: process.env.PATH ?? '',
          HOME: home,
          ...launch.environment,
          ...environment,
        },
        timeoutSeconds: RUN_SECONDS,
      })
      ended = { exitCode, output: ended.output + output }
      if (exitCode !== 0) break
    }
    const file = join(project, TASK.file)
    const written = existsSync(file) ? readFileSync(file, 'utf8') : null
    return { ended, written, traffic: await readTraffic() }
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

function anotherFormat(supplier: TextFormat): TextFormat {
  return supplier === 'chat-completion' ? 'messages' : 'chat-completion'
}

function writeFiles(folder: string, files: Readonly<Record<string, string | Uint8Array>>): void {
  mkdirSync(folder, { recursive: true })
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
}
