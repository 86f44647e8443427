import { existsSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runProgram } from '../agents/run-program.ts'

/** The newest of each, whatever the project was tested with before. */
export const PYTHON_PACKAGES = [
  'openai',
  'anthropic',
  'google-genai>=3',
  'llm-comply',
  'langchain-openai',
  'llama-index-embeddings-openai-like',
] as const
const INSTALL_SECONDS = 900
const FOLDER = process.env.TURNPIKE_SDKS_FOLDER ?? join(tmpdir(), 'turnpike-sdks')

export interface Python {
  readonly path: string
  readonly folder: string
  /** By package. */
  readonly versions: Readonly<Record<string, string>>
}

/** A virtual environment outside of the project, brought up to date by every run. */
export async function installPython(): Promise<Python> {
  mkdirSync(FOLDER, { recursive: true })
  const path = join(FOLDER, 'venv', 'bin', 'python')
  if (!existsSync(path)) await run(['python3', '-m', 'venv', join(FOLDER, 'venv')])
  await run([path, '-m', 'pip', 'install', '--quiet', '--upgrade', ...PYTHON_PACKAGES])
  const listed = await run([path, '-m', 'pip', 'list', '--format', 'json', '--disable-pip-version-check'])
  const packages = JSON.parse(listed.slice(listed.indexOf('['))) as { name: string; version: string }[]
  return {
    path,
    folder: FOLDER,
    versions: Object.fromEntries(packages.map((each) => [each.name, each.version])),
  }
}

async function run(command: readonly [string, ...string[]]): Promise<string> {
  const { exitCode, output } = await runProgram({
    command,
    folder: FOLDER,
    // pip needs its own settings: the index, proxies, certificates.
    environment: { ...process.env } as Record<string, string>,
    timeoutSeconds: INSTALL_SECONDS,
  })
  if (exitCode === 0) return output
  throw new Error(`${command.join(' ')} failed:\n${output}`)
}
