import { join } from 'node:path'
import { runProgram } from '../agents/run-program.ts'
import type { TextFormat } from '../captures/suppliers-by-format.ts'
import type { Python } from './install.ts'
import type { CaseResult, Connection } from './javascript/cases.ts'

export interface ComplyFormat {
  readonly name: string
  readonly speaks: TextFormat
  /** Of the base URL. */
  readonly path: string
  readonly options: readonly string[]
}

/** All formats of llm-comply but `google-interactions`, which the gateway does not serve. */
export const complyFormats: readonly ComplyFormat[] = [
  { name: 'open-responses', speaks: 'responses', path: '/v1', options: [] },
  { name: 'openai-chat', speaks: 'chat-completion', path: '/v1', options: [] },
  {
    name: 'anthropic',
    speaks: 'messages',
    path: '/v1',
    options: ['--auth-header', 'x-api-key', '--no-bearer', '-H', 'anthropic-version:2023-06-01'],
  },
  {
    name: 'google-genai',
    speaks: 'content-generation',
    path: '',
    options: ['--auth-header', 'x-goog-api-key', '--no-bearer'],
  },
]

const COMPLY_SECONDS = 240

/** Runs the compliance tests of one format. */
export async function runComply(
  python: Python,
  { name, path, options }: ComplyFormat,
  { url, key, model }: Connection,
): Promise<readonly CaseResult[]> {
  const command = join(python.folder, 'venv', 'bin', 'llm-comply')
  const { output } = await runProgram({
    command: [command, '--format', name, '-u', `${url}${path}`, '-k', key, '-m', model, '--json', ...options],
    folder: python.folder,
    environment: { PATH: process.env.PATH ?? '', HOME: python.folder },
    timeoutSeconds: COMPLY_SECONDS,
  })
  return readResults(output)
}

interface ComplyResult {
  readonly id: string
  readonly status: string
  readonly errors?: readonly string[]
  readonly warnings?: readonly string[]
}

/** Some tests only advise where many servers lack what they test; this gateway has it. */
const IS_ADVICE = /^compact-/

function readResults(output: string): readonly CaseResult[] {
  const start = output.indexOf('{')
  if (start === -1) return [{ case: 'all', problem: output.slice(-500) }]
  const { results } = JSON.parse(output.slice(start)) as { results: readonly ComplyResult[] }
  return results.map(({ id, status, errors = [], warnings = [] }) => {
    const problems = IS_ADVICE.test(id) ? [...errors, ...warnings] : errors
    const isPassed = status === 'passed' && problems.length === 0
    return { case: id, problem: isPassed ? null : `${status}: ${problems.join('; ')}` }
  })
}
