import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Agent } from './agent.ts'
import { runProgram } from './run-program.ts'

/** Outside of the project, and kept from run to run: an agent can be hundreds of megabytes. */
const CACHE = join(tmpdir(), 'turnpike-agents')
const INSTALL_SECONDS = 600
const VERSION_SECONDS = 60

export type Installation =
  | { readonly type: 'ready'; readonly path: string }
  | { readonly type: 'impossible'; readonly reason: string }

/** Installs an agent unless it is there already, and finds out whether this machine can run it. */
export async function install(agent: Agent): Promise<Installation> {
  const folder = join(CACHE, `${agent.command}-${agent.version}`)
  const path = join(folder, 'node_modules', '.bin', agent.command)
  if (!existsSync(path)) {
    const problem = await fetchPackage(agent, folder)
    if (problem !== null) return { type: 'impossible', reason: problem }
  }
  const environment = { PATH: process.env.PATH ?? '', HOME: folder }
  const timeoutSeconds = VERSION_SECONDS
  const { output } = await runProgram({ command: [path, '--version'], folder, environment, timeoutSeconds })
  if (output.includes(agent.version)) return { type: 'ready', path }
  return { type: 'impossible', reason: `it does not run here: ${lastLine(output)}` }
}

async function fetchPackage(agent: Agent, folder: string): Promise<string | null> {
  mkdirSync(folder, { recursive: true })
  const manifest = {
    private: true,
    dependencies: { [agent.package]: agent.version },
    // Some put their program in its place only after they are unpacked.
    allowScripts: { [agent.package]: true },
  }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  const { exitCode, output } = await runProgram({
    command: ['npm', 'install', '--no-audit', '--no-fund', '--loglevel', 'error'],
    folder,
    // npm needs its own settings: the registry, proxies, certificates.
    environment: { ...process.env } as Record<string, string>,
    timeoutSeconds: INSTALL_SECONDS,
  })
  return exitCode === 0 ? null : `it cannot be installed: ${lastLine(output)}`
}

function lastLine(output: string): string {
  return output.trim().split('\n').at(-1) ?? ''
}
