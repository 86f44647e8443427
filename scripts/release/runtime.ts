import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../sources.ts'
import { npmCommand } from './npm-command.ts'

/** Where runtimes of other machines are kept; gone with the installed packages. */
const CACHE = join(ROOT, 'node_modules/.cache/turnpike-release')

/** A platform, named after the npm package with its runtime. */
interface Machine {
  readonly name: string
  readonly runtime: string
}

interface LockedPackage {
  readonly version: string
  readonly integrity: string
}

/** The runtime for a kind of machine if it is on this one already. */
export function findRuntime({ name, runtime }: Machine): string | null {
  // Npm installs only the runtime for this machine, the one that runs this script.
  if (name === `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`)
    return process.execPath
  const path = fetchedPath(name, readLock(runtime))
  return existsSync(path) ? path : null
}

/** Gets the runtime from npm, in the version and with the content that package-lock.json names. */
export async function fetchRuntime({ name, runtime }: Machine): Promise<string> {
  const locked = readLock(runtime)
  const folder = join(CACHE, `${name}-${locked.version}`)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  await run(npmCommand('pack', '--silent', '--pack-destination', folder, `${runtime}@${locked.version}`))
  const [archive] = [...new Bun.Glob('*.tgz').scanSync({ cwd: folder, absolute: true })]
  if (archive === undefined) throw new Error(`npm gave no archive of ${runtime}`)
  requireIntegrity(archive, locked)
  await run(['tar', '-xzf', archive, '-C', folder, `package/bin/${programOf(name)}`])
  rmSync(archive)
  return fetchedPath(name, locked)
}

function fetchedPath(name: string, { version }: LockedPackage): string {
  return join(CACHE, `${name}-${version}`, 'package/bin', programOf(name))
}

function programOf(name: string): string {
  return name.startsWith('windows') ? 'bun.exe' : 'bun'
}

function readLock(runtime: string): LockedPackage {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, LockedPackage>>
  }
  const locked = lock.packages[`node_modules/${runtime}`]
  if (locked === undefined) throw new Error(`package-lock.json does not name ${runtime}`)
  return locked
}

function requireIntegrity(archive: string, { integrity }: LockedPackage): void {
  const found = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`
  if (found !== integrity) throw new Error(`${archive} is not what package-lock.json names`)
}

async function run(command: readonly string[]): Promise<void> {
  const child = Bun.spawn([...command], { stdout: 'ignore', stderr: 'inherit' })
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')} failed`)
}
