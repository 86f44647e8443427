import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { makeTemplate } from '../src/edges/storage/testing/server-databases.ts'
import { buildConsoleWhenStale } from './build-console.ts'
import { buildBinary } from './release/release.ts'
import { ensureChromium } from './tests/chromium.ts'
import { makeTestFolder } from './tests/folder.ts'
import { findPostgres } from './tests/postgres.ts'
import { ensurePrometheus } from './tests/prometheus.ts'
import { readFailures, readTally, type Tally } from './tests/read-output.ts'
import { findRedis } from './tests/redis.ts'
import { ensureTools } from './tests/tools.ts'
import { isTold, WHEN_TOLD } from './tests/when-told.ts'

const ROOT = join(import.meta.dirname, '..')
// Each has its own command: the agents are other people's programs that must be installed first, faults take long, and
// steps are timed.
const ELSEWHERE = ['test/agents/', 'test/faults/long/', 'test/scaling/steps']

// No test is judged by its time: a property with a thousand runs may take long on a busy machine.
const PATIENCE = '--timeout=300000'

// Longer than any test may take: a process that says nothing for so long hangs outside of its tests.
const SILENCE_MS = 360_000

/** Arguments that are paths narrow the run, all others are for `bun test`. */
function splitArguments(given: readonly string[]): { paths: string[]; flags: string[] } {
  const isPath = (argument: string) => !argument.startsWith('-') && existsSync(join(ROOT, argument))
  const isFlag = (argument: string) => !isPath(argument) && argument !== WHEN_TOLD
  return { paths: given.filter(isPath), flags: given.filter(isFlag) }
}

function findTests(paths: readonly string[]): string[] {
  const all = [...new Bun.Glob('{src,console,scripts,test,bench}/**/*.test.{ts,tsx}').scanSync(ROOT)].sort()
  const wanted = paths.map((path) => path.replace(/^\.\//, ''))
  if (wanted.length > 0) return all.filter((file) => wanted.some((path) => file.startsWith(path)))
  return all.filter((file) => !ELSEWHERE.some((folder) => file.startsWith(folder)))
}

/** Shows the output line by line and keeps it, because bun's summary stands at its end. */
async function forward(
  stream: ReadableStream<Uint8Array>,
  sink: NodeJS.WriteStream,
  heard: () => void,
): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let shownTo = 0
  for await (const bytes of stream) {
    heard()
    text += decoder.decode(bytes, { stream: true })
    const end = text.lastIndexOf('\n') + 1
    if (end > shownTo) sink.write(shortenNames(text.slice(shownTo, end)))
    shownTo = Math.max(end, shownTo)
  }
  sink.write(text.slice(shownTo))
  return text
}

/** The name of a test may be a whole request of a hundred kilobytes. */
function shortenNames(lines: string): string {
  return lines.replaceAll(/^(\((?:pass|skip|fail)\) .{200}).*?( \[[\d.]+ms\])?$/gm, '$1…$2')
}

/**
 * Tests that run in one process, by the beginning of their path, in the order in which they are begun: the longest
 * first, so that none is left to run alone at the end. A test belongs where the most of its path is named.
 */
const LANES: readonly (readonly string[])[] = [
  ['test/console/mouse', 'test/console/keyboard'],
  ['src/'],
  ['test/robustness/', 'test/workers/', 'test/shared-limits/'],
  ['test/api-docs/', 'test/console-api/', 'test/faults/', 'test/operator/', 'test/sockets/'],
  ['test/nodes/'],
  ['test/', 'console/', 'scripts/', 'bench/'],
  ['test/console/'],
  ['test/claude-code/', 'test/families/', 'test/gateway/', 'test/routing/', 'test/state/'],
  ['test/captures/', 'test/conformance/', 'test/fuzz/', 'test/images/', 'test/sandbox/'],
  ['test/deploy/', 'test/exports/', 'test/ledger/', 'test/scaling/', 'test/uploads/'],
]

// Most tests wait for other processes now and then, so two or three of them leave a processor idle. More than four make
// each of them wait longer, and the whole no shorter.
const LANES_AT_ONCE = 4

interface Run {
  readonly exitCode: number
  readonly tally: Tally | null
  readonly failures: readonly string[]
}

function laneOf(file: string): readonly string[] | undefined {
  const named = (lane: readonly string[]) =>
    Math.max(0, ...lane.filter((folder) => file.startsWith(folder)).map(({ length }) => length))
  return LANES.toSorted((one, other) => named(other) - named(one))[0]
}

/** Set by a signal: no more tests begin, and what was prepared is taken away as after a whole run. */
let isStopping = false

async function runTests(): Promise<readonly Run[]> {
  const { paths, flags } = splitArguments(process.argv.slice(2))
  const files = findTests(paths)
  if (files.length === 0) return [{ exitCode: 1, tally: null, failures: [] }]
  const byLane = Map.groupBy(files, laneOf)
  const waiting = LANES.map((lane) => byLane.get(lane) ?? []).filter((lane) => lane.length > 0)
  const runs: Run[] = []
  const takeTurns = async () => {
    for (let lane = waiting.shift(); lane !== undefined && !isStopping; lane = waiting.shift()) {
      runs.push(await runLane(lane, flags))
    }
  }
  await Promise.all(Array.from({ length: LANES_AT_ONCE }, takeTurns))
  return runs
}

async function runLane(files: readonly string[], flags: readonly string[]): Promise<Run> {
  const child = Bun.spawn(
    [process.execPath, 'test', PATIENCE, ...flags, ...files.map((file) => `./${file}`)],
    { cwd: ROOT, env: process.env, stdout: 'pipe', stderr: 'pipe' },
  )
  const stop = () => child.kill()
  process.on('SIGINT', stop).on('SIGTERM', stop)
  const endWhenSilent = () => {
    console.error(`No word for ${SILENCE_MS / 1000} s from the process that began with ${files[0]}: ended`)
    child.kill('SIGKILL')
  }
  const silence = setTimeout(endWhenSilent, SILENCE_MS)
  const heard = () => silence.refresh()
  const [, summary] = await Promise.all([
    forward(child.stdout, process.stdout, heard),
    forward(child.stderr, process.stderr, heard),
    child.exited,
  ])
  clearTimeout(silence)
  return { exitCode: child.exitCode ?? 1, tally: readTally(summary), failures: readFailures(summary) }
}

/** The program as it is released, which tests of whole processes run; null when it cannot be built. */
async function buildProgram(folder: string): Promise<string | null> {
  const path = join(folder, 'turnpike')
  try {
    await buildConsoleWhenStale()
    await buildBinary(process.execPath, path)
    return path
  } catch (error) {
    console.error(`The tests run the gateway from its sources, because its binary was not built: ${error}`)
    return null
  }
}

/** What the tests find in their environment, and how all of it is taken away again. */
async function prepare(): Promise<() => Promise<void>> {
  const folder = makeTestFolder()
  process.on('exit', folder.remove)
  process.env.TMPDIR = folder.path
  const building = buildProgram(folder.path)
  ensureChromium()
  ensurePrometheus()
  ensureTools()
  const postgres = await findPostgres()
  if (postgres === null)
    console.log('PostgreSQL was not found: its tests are skipped, SQLite is tested alone')
  const template = postgres === null ? null : await makeTemplate(postgres.url)
  const redis = await findRedis()
  setVariable('TEST_DATABASE_URL', postgres?.url)
  setVariable('TEST_DATABASE_TEMPLATE', template?.name)
  setVariable('TEST_REDIS_URL', redis?.url)
  setVariable('TEST_BINARY', await building)
  return async () => {
    await template?.drop()
    await redis?.stop()
    await postgres?.stop()
    folder.remove()
  }
}

function setVariable(name: string, value: string | null | undefined): void {
  if (value) process.env[name] = value
  else delete process.env[name]
}

async function main(): Promise<number> {
  const stop = () => {
    isStopping = true
  }
  process.on('SIGINT', stop).on('SIGTERM', stop)
  const putAway = await prepare()
  try {
    if (process.argv.includes(WHEN_TOLD) && !(await isTold())) return 1
    return judge(await runTests())
  } finally {
    await putAway()
  }
}

function judge(runs: readonly Run[]): number {
  const exitCode = runs.find((run) => run.exitCode !== 0)?.exitCode ?? 0
  const tallies = runs.flatMap(({ tally }) => tally ?? [])
  // They are scattered over thousands of lines, and a reader may see only the last ones.
  for (const failure of runs.flatMap(({ failures }) => failures)) console.error(`\n${failure}`)
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
}

process.exit(await main())
