import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runProgram } from '../agents/run-program.ts'
import { BOOTSTRAP_KEY, startTestGateway } from '../support/test-gateway.ts'
import { judge, ofLanguage, readSnippets, type Snippet } from './snippets.ts'

const MARK = '=== '
const SECONDS = 1_800

/**
 * npm run snippets
 *
 * Runs the Python and Go snippets of docs/clients/tasks.md against a gateway of its own. Installs the newest SDKs into a folder
 * in the system's temporary folder, so it needs Python with `venv`, Go, and their package indexes.
 */
async function main(): Promise<number> {
  const gateway = await startTestGateway()
  const folder = mkdtempSync(join(tmpdir(), 'turnpike-snippets-'))
  try {
    const snippets = readSnippets({ url: gateway.url, key: BOOTSTRAP_KEY })
    const outputs = [await runPython(snippets, folder), await runGo(snippets, folder)]
    return outputs.map(report).every((isGood) => isGood) ? 0 : 1
  } finally {
    await gateway.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Output {
  readonly language: string
  readonly text: string
  readonly tasks: readonly Snippet[]
}

function report({ language, text, tasks }: Output): boolean {
  const parts = new Map(
    text
      .split(MARK)
      .slice(1)
      .map((part) => {
        const end = part.indexOf('\n')
        return [part.slice(0, end), part.slice(end + 1)] as const
      }),
  )
  const problems = tasks
    .map(({ task }) => judge(task, (parts.get(task) ?? '').trim()))
    .filter((problem) => problem !== null)
  console.log(`${language}: ${tasks.length - problems.length} of ${tasks.length} snippets passed`)
  for (const problem of problems) console.log(`  ${problem}`)
  if (problems.length > 0) console.log(text.slice(-2_000))
  return problems.length === 0
}

async function runPython(snippets: readonly Snippet[], folder: string): Promise<Output> {
  const python = join(folder, 'venv/bin/python')
  await run(['python3', '-m', 'venv', join(folder, 'venv')], folder)
  await run([python, '-m', 'pip', 'install', '--quiet', 'openai', 'anthropic'], folder)
  const { setUp, tasks } = ofLanguage(snippets, 'Python')
  const parts = tasks.map(({ task, code }) => `print("\\n${MARK}${task}", flush=True)\n${code}`)
  writeFileSync(join(folder, 'tasks.py'), [setUp, ...parts].join('\n'))
  return { language: 'Python', tasks, text: await run([python, 'tasks.py'], folder) }
}

async function runGo(snippets: readonly Snippet[], folder: string): Promise<Output> {
  const module = join(folder, 'tasks')
  mkdirSync(module)
  const { setUp, tasks } = ofLanguage(snippets, 'Go')
  const parts = tasks.map(
    ({ task, code }) => `\tfmt.Println("\\n${MARK}${task}")\n\tfunc() {\n${code}\t}()\n`,
  )
  writeFileSync(join(module, 'main.go'), `${setUp}\nfunc main() {\n${parts.join('')}}\n`)
  await run(['go', 'mod', 'init', 'tasks'], module)
  await run(['go', 'get', 'github.com/openai/openai-go/v3', 'github.com/anthropics/anthropic-sdk-go'], module)
  return { language: 'Go', tasks, text: await run(['go', 'run', '.'], module) }
}

async function run(command: readonly [string, ...string[]], folder: string): Promise<string> {
  // The tools need their own settings: package indexes, proxies, certificates, caches.
  const environment = { ...process.env, TURNPIKE_API_KEY: BOOTSTRAP_KEY } as Record<string, string>
  const { exitCode, output } = await runProgram({ command, folder, environment, timeoutSeconds: SECONDS })
  if (exitCode === 0) return output
  throw new Error(`${command.join(' ')} failed:\n${output}`)
}

process.exit(await main())
