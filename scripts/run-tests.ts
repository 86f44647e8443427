import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readTally, type Tally } from './read-tally.ts'
import { ensureChromium } from './test-chromium.ts'
import { findPostgres } from './test-postgres.ts'
import { findRedis } from './test-redis.ts'

const ROOT = join(import.meta.dirname, '..')
// The agents are other people's programs that must be installed first; they have a command of their own.
const ELSEWHERE = 'test/agents/'

// No test is judged by its time: a property with a thousand runs may take long on a busy machine.
const PATIENCE = '--timeout=120000'

/** Arguments that are paths narrow the run, all others are for `bun test`. */
function splitArguments(given: readonly string[]): { paths: string[]; flags: string[] } {
  const isPath = (argument: string) => !argument.startsWith('-') && existsSync(join(ROOT, argument))
  return { paths: given.filter(isPath), flags: given.filter((argument) => !isPath(argument)) }
}

function findTests(paths: readonly string[]): string[] {
  const all = [...new Bun.Glob('{src,console,scripts,test,bench}/**/*.test.{ts,tsx}').scanSync(ROOT)].sort()
  const wanted = paths.map((path) => path.replace(/^\.\//, ''))
  if (wanted.length > 0) return all.filter((file) => wanted.some((path) => file.startsWith(path)))
  return all.filter((file) => !file.startsWith(ELSEWHERE))
}

/** Shows the output as it comes and keeps it, because bun's summary stands at its end. */
async function forward(stream: ReadableStream<Uint8Array>, sink: NodeJS.WriteStream): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const bytes of stream) {
    sink.write(bytes)
    text += decoder.decode(bytes, { stream: true })
  }
  return text
}

/** Tests that mostly wait, for a browser or for other processes; they run beside all others. */
const WAITING: readonly (readonly string[])[] = [
  ['test/console/'],
  [
    'test/deploy/',
    'test/desk/',
    'test/exports/',
    'test/nodes/',
    'test/robustness/',
    'test/uploads/',
    'test/workers/',
  ],
]

interface Run {
  readonly exitCode: number
  readonly tally: Tally | null
}

/** Several runs at once, since one alone leaves a processor idle. */
async function runTests(databaseUrl: string | null): Promise<readonly Run[]> {
  const { paths, flags } = splitArguments(process.argv.slice(2))
  const files = findTests(paths)
  if (files.length === 0) return [{ exitCode: 1, tally: null }]
  const isIn = (folders: readonly string[]) => (file: string) =>
    folders.some((folder) => file.startsWith(folder))
  const rest = files.filter((file) => !isIn(WAITING.flat())(file))
  const lanes = [...WAITING.map((folders) => files.filter(isIn(folders))), rest]
  return Promise.all(
    lanes.filter((lane) => lane.length > 0).map((lane) => runLane(lane, { flags, databaseUrl })),
  )
}

async function runLane(
  files: readonly string[],
  { flags, databaseUrl }: { readonly flags: readonly string[]; readonly databaseUrl: string | null },
): Promise<Run> {
  const { TEST_DATABASE_URL: _, ...environment } = process.env
  const child = Bun.spawn(
    [process.execPath, 'test', PATIENCE, ...flags, ...files.map((file) => `./${file}`)],
    {
      cwd: ROOT,
      env: databaseUrl === null ? environment : { ...environment, TEST_DATABASE_URL: databaseUrl },
      stdout: 'pipe',
      stderr: 'pipe',
    },
  )
  const stop = () => child.kill()
  process.on('SIGINT', stop).on('SIGTERM', stop)
  const [, summary] = await Promise.all([
    forward(child.stdout, process.stdout),
    forward(child.stderr, process.stderr),
    child.exited,
  ])
  return { exitCode: child.exitCode ?? 1, tally: readTally(summary) }
}

async function main(): Promise<number> {
  ensureChromium()
  const postgres = await findPostgres()
  if (postgres === null)
    console.log('PostgreSQL was not found: its tests are skipped, SQLite is tested alone')
  const redis = await findRedis()
  // The lanes take over what stands in the environment of this process.
  if (redis !== null) process.env.TEST_REDIS_URL = redis.url
  try {
    const runs = await runTests(postgres?.url ?? null)
    const exitCode = runs.find((run) => run.exitCode !== 0)?.exitCode ?? 0
    const tallies = runs.flatMap(({ tally }) => tally ?? [])
    if (tallies.length < runs.length) {
      console.error('bun test printed no summary')
      return exitCode === 0 ? 1 : exitCode
    }
    const sum = (count: (tally: Tally) => number) => tallies.reduce((total, each) => total + count(each), 0)
    const [passed, failed, skipped] = [sum((t) => t.passed), sum((t) => t.failed), sum((t) => t.skipped)]
    if (skipped > 0) console.log(`${skipped} skipped`)
    console.log(`${passed} passed, ${failed} failed`)
    // A run that tested nothing proves nothing, whatever its exit status says.
    return exitCode === 0 && passed === 0 ? 1 : exitCode
  } finally {
    await redis?.stop()
    await postgres?.stop()
  }
}

process.exit(await main())
