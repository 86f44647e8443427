import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import packageFile from '../../package.json' with { type: 'json' }
import { buildConsoleWhenStale } from '../build-console.ts'
import { ROOT } from '../sources.ts'
import { confine } from './confine.ts'
import { npmCommand } from './npm-command.ts'
import { type Program, rehearseGateway, restartGateway } from './rehearsal.ts'
import { buildBinary } from './release.ts'

const NODES = ['20', '22', '24']
// The shell that npm runs it in dies of SIGTERM, and npm with it. The gateway still stops as it should.
const KILLED = 143

const work = mkdtempSync(join(tmpdir(), 'turnpike-package-'))
// Nothing of the caller's settings of the gateway, but all that npm needs to reach its registry.
const ENVIRONMENT: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(process.env)
    .filter(([name]) => !/^(TURNPIKE_|npm_(package|lifecycle)_|BUN_|PORT$|HOST$)/.test(name))
    .map(([name, value]) => [name, value ?? '']),
)

/**
 * Installs the package that `npm publish` would send into empty folders and runs it as its users do: with each Node, and
 * without install scripts. Then runs the single binary without any right, where only its data can be written. With the
 * word `here`, only with the Node of this machine.
 */
async function main(): Promise<void> {
  const archive = await pack()
  const folder = await install('package', archive)
  const linked = {
    exitCode: 0,
    command: ['node', join('node_modules', 'turnpike', packageFile.bin.turnpike)],
  }
  await tryTwice('turnpike, this Node', inFolder(folder, linked))
  // The rest needs more time, other versions of Node, and a shell.
  if (process.argv.includes('here')) return
  await tryTwice('npx turnpike', inFolder(folder, { exitCode: KILLED, command: ['npx', 'turnpike'] }))
  for (const version of NODES) {
    const node = await install(`node-${version}`, `node@${version}`)
    const path = [join(node, 'node_modules/.bin'), ENVIRONMENT.PATH].join(delimiter)
    const program = inFolder(folder, linked)
    await tryTwice(`turnpike, Node ${version}`, { ...program, env: { ...program.env, PATH: path } })
  }
  const unscripted = await install('without-scripts', '--ignore-scripts', archive)
  await tryTwice('turnpike, no install scripts', inFolder(unscripted, linked))
  rmSync(join(unscripted, 'node_modules/@oven'), { recursive: true })
  await requireAdvice(unscripted)
  await tryBinary()
}

async function pack(): Promise<string> {
  const printed = await run(npmCommand('pack', '--silent', '--pack-destination', work), ROOT)
  const path = join(work, printed.trim().split('\n').at(-1) ?? '')
  console.log(`package: ${(statSync(path).size / 1_000_000).toFixed(1)} MB`)
  return path
}

async function install(name: string, ...what: readonly string[]): Promise<string> {
  const folder = join(work, name)
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  const startedAtMs = performance.now()
  await run(npmCommand('install', '--no-audit', '--no-fund', '--loglevel=error', ...what), folder)
  console.log(`${name}: installed in ${seconds(performance.now() - startedAtMs)}`)
  return folder
}

async function run(command: readonly string[], folder: string): Promise<string> {
  const { exitCode, output, errors } = await outcomeOf(command, folder)
  if (exitCode !== 0) throw new Error(`${command.join(' ')} failed:\n${output}${errors}`)
  return output
}

async function outcomeOf(command: readonly string[], folder: string) {
  const child = Bun.spawn([...command], { cwd: folder, env: ENVIRONMENT, stdout: 'pipe', stderr: 'pipe' })
  const [output, errors, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { exitCode, output, errors }
}

/** On a data folder of its own. */
function inFolder(folder: string, how: Pick<Program, 'command' | 'exitCode'>): Program {
  return { ...how, folder, env: { ...ENVIRONMENT, TURNPIKE_DATA: mkdtempSync(join(work, 'data-')) } }
}

/** Twice, since the second start finds a database. */
async function tryTwice(what: string, program: Program): Promise<void> {
  const first = await rehearseGateway(program)
  const second = await restartGateway(program)
  const times = `first start ${seconds(first.startMs)}, second ${seconds(second.startMs)}`
  console.log(
    `${what}: ${first.steps.length} things tried; ${times}, with start and stop ${seconds(second.cpuMs)} of a processor`,
  )
}

async function requireAdvice(folder: string): Promise<void> {
  const { exitCode, errors } = await outcomeOf(['npx', 'turnpike'], folder)
  if (exitCode !== 1 || !errors.includes('npm install --include=optional turnpike')) {
    throw new Error(`without a runtime it ended with ${exitCode} and said: ${errors}`)
  }
  console.log('npx turnpike, no runtime: says what to do')
}

async function tryBinary(): Promise<void> {
  // The user without rights must be able to reach it.
  chmodSync(work, 0o755)
  const binary = join(work, 'turnpike')
  await buildConsoleWhenStale()
  await buildBinary(process.execPath, binary)
  const data = join(work, 'read-only')
  const command = confine([binary], data)
  if (command === null) {
    console.log('binary, read-only and without rights: not tried, this needs Linux and root')
    return
  }
  const { steps, startMs } = await rehearseGateway({
    command,
    folder: work,
    env: { PATH: ENVIRONMENT.PATH ?? '', TURNPIKE_DATA: data },
    exitCode: 0,
  })
  console.log(
    `binary, read-only and without rights: ${steps.length} things tried; first start ${seconds(startMs)}`,
  )
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(2)} s`
}

try {
  await main()
} finally {
  rmSync(work, { recursive: true, force: true })
}
