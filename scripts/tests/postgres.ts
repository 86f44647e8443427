import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SQL } from 'bun'
import { installPackage, warnLoudly } from './debian.ts'

export interface TestPostgres {
  readonly url: string
  stop(): Promise<void>
}

export interface OwnPostgres extends TestPostgres {
  /** Ends it at once, as a crash would. */
  halt(): void
  /** Starts it again at the same address. */
  restart(): void
  /** A second server that has everything this one confirms, and can take its place. */
  startStandby(): Promise<Standby>
}

export interface Standby {
  readonly url: string
  /** Makes it the one that is written to. */
  promote(): void
  stop(): Promise<void>
}

/** Runs one of the PostgreSQL tools to its end. */
type RunTool = (tool: string, ...args: string[]) => { succeeded: boolean; output: string }

const START_ATTEMPTS = 5
const TOOL_TIMEOUT_MS = 60_000
const SUPERUSER = 'turnpike'

/**
 * A PostgreSQL server for tests: the one named by TEST_DATABASE_URL, else a temporary one from the machine's own
 * installation, else a temporary one from a package installed now. Null, with a loud warning, when none can be had.
 */
export async function findPostgres(): Promise<TestPostgres | null> {
  const given = process.env.TEST_DATABASE_URL
  if (given) return { url: given, stop: async () => {} }

  const tools = findTools() ?? (installPackage('postgresql') ? findTools() : null)
  const server = tools === null ? null : await startTemporaryServer(tools)
  if (server === null) {
    warnLoudly(
      'PostgreSQL tests did NOT run: no server could be found, started or installed.',
      'Only SQLite was tested. Set TEST_DATABASE_URL=postgres://user@host:port/database',
      'or install PostgreSQL (initdb, pg_ctl, postgres and pg_basebackup on the PATH) and run again.',
    )
  }
  return server
}

/** A server of a test's own, which may be stopped and started again; null when PostgreSQL is not on the machine. */
export async function startOwnPostgres(): Promise<OwnPostgres | null> {
  const tools = findTools()
  return tools === null ? null : await startTemporaryServer(tools)
}

/** The folder holding initdb, pg_ctl, postgres and pg_basebackup. */
function findTools(): string | null {
  const debianFolder = '/usr/lib/postgresql'
  const versions = existsSync(debianFolder) ? readdirSync(debianFolder) : []
  const newestFirst = versions.sort((left, right) => Number(right) - Number(left))
  const folders = [
    ...(process.env.PATH ?? '').split(':').filter((folder) => folder !== ''),
    ...newestFirst.map((version) => join(debianFolder, version, 'bin')),
  ]
  const needed = ['initdb', 'pg_ctl', 'postgres', 'pg_basebackup']
  return folders.find((folder) => needed.every((tool) => existsSync(join(folder, tool)))) ?? null
}

async function startTemporaryServer(tools: string): Promise<OwnPostgres | null> {
  const user = process.getuid?.() === 0 ? findUnprivilegedUser() : null
  const folder = mkdtempSync(join(tmpdir(), 'turnpike-postgres-'))
  if (user !== null) chownSync(folder, user.uid, user.gid)
  chmodSync(folder, 0o700)
  const run = toolRunner(tools, user?.name ?? null)
  const data = join(folder, 'data')

  const stopNow = () => {
    if (existsSync(join(data, 'postmaster.pid'))) run('pg_ctl', 'stop', '-D', data, '-m', 'immediate', '-w')
    rmSync(folder, { recursive: true, force: true })
  }
  const forgetSignals = stopOnSignals(stopNow)
  const port = await startCluster(run, folder)
  if (port === null) {
    forgetSignals()
    stopNow()
    return null
  }
  return {
    url: `postgres://${SUPERUSER}@127.0.0.1:${port}/postgres`,
    halt: () => mustWork(run('pg_ctl', 'stop', '-D', data, '-m', 'immediate', '-w')),
    restart: () => {
      const settings = settingsFor(folder, port)
      mustWork(
        run('pg_ctl', 'start', '-D', data, '-l', join(folder, 'log'), '-w', '-t', '30', '-o', settings),
      )
    },
    startStandby: () => startStandby(run, { folder, port }, user),
    stop: async () => {
      forgetSignals()
      stopNow()
    },
  }
}

interface Owner {
  readonly uid: number
  readonly gid: number
}

async function startStandby(
  run: RunTool,
  primary: { readonly folder: string; readonly port: number },
  owner: Owner | null,
): Promise<Standby> {
  const folder = mkdtempSync(join(tmpdir(), 'turnpike-standby-'))
  if (owner !== null) chownSync(folder, owner.uid, owner.gid)
  const data = join(folder, 'data')
  const address = ['-h', '127.0.0.1', '-p', String(primary.port), '-U', SUPERUSER]
  mustWork(run('pg_basebackup', ...address, '-D', data, '-R', '-X', 'stream', '-c', 'fast'))
  const port = await findFreePort()
  const log = join(folder, 'log')
  const settings = settingsFor(folder, port)
  mustWork(run('pg_ctl', 'start', '-D', data, '-l', log, '-w', '-t', '30', '-o', settings))
  // From here on nothing is confirmed that the standby does not have.
  const session = new SQL(`postgres://${SUPERUSER}@127.0.0.1:${primary.port}/postgres`, { max: 1 })
  await session.unsafe("alter system set synchronous_standby_names = '*'")
  await session.unsafe('select pg_reload_conf()')
  await session.close()
  return {
    url: `postgres://${SUPERUSER}@127.0.0.1:${port}/postgres`,
    promote: () => {
      mustWork(run('pg_ctl', 'promote', '-D', data, '-w'))
    },
    stop: async () => {
      run('pg_ctl', 'stop', '-D', data, '-m', 'immediate', '-w')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function mustWork({ succeeded, output }: ReturnType<RunTool>): void {
  if (!succeeded) throw new Error(`PostgreSQL for tests: a tool failed. ${output}`)
}

/** Makes the cluster in `folder` and starts it; gives its port, or null with the reason printed. */
async function startCluster(run: RunTool, folder: string): Promise<number | null> {
  const data = join(folder, 'data')
  const made = run(
    'initdb',
    ...['-D', data, '-U', SUPERUSER, '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'],
  )
  if (!made.succeeded) return explain('initdb failed', made.output)

  const log = join(folder, 'log')
  for (let attempt = 1; attempt <= START_ATTEMPTS; attempt++) {
    // Another process may take the port between our looking and PostgreSQL's binding, hence several attempts.
    const port = await findFreePort()
    const settings = settingsFor(folder, port)
    if (run('pg_ctl', 'start', '-D', data, '-l', log, '-w', '-t', '30', '-o', settings).succeeded) return port
  }
  return explain('the server did not start', existsSync(log) ? readFileSync(log, 'utf8') : '')
}

function settingsFor(folder: string, port: number): string {
  return [
    `-p ${port}`,
    '-c listen_addresses=127.0.0.1',
    `-c unix_socket_directories=${folder}`,
    '-c max_connections=100',
    // The cluster is thrown away, so nothing in it needs to survive a crash of the machine.
    '-c fsync=off -c full_page_writes=off',
  ].join(' ')
}

function explain(problem: string, output: string): null {
  console.error(`PostgreSQL for tests: ${problem}.\n${output}`)
  return null
}

/** PostgreSQL refuses to run as root, so a root process runs the tools as another user. */
function toolRunner(tools: string, user: string | null): RunTool {
  return (tool, ...args) => {
    const command = [join(tools, tool), ...args]
    const [program = '', ...rest] =
      user === null ? command : ['su', '-s', '/bin/sh', '-c', 'exec "$0" "$@"', user, '--', ...command]
    // A server started by pg_ctl keeps inherited pipes open, so the output goes through none of them.
    const stdio = tool === 'pg_ctl' ? 'ignore' : 'pipe'
    const result = spawnSync(program, rest, { cwd: '/', stdio, encoding: 'utf8', timeout: TOOL_TIMEOUT_MS })
    return { succeeded: result.status === 0, output: `${result.stdout ?? ''}${result.stderr ?? ''}` }
  }
}

function findUnprivilegedUser(): { name: string; uid: number; gid: number } {
  const found = lookUpUser('postgres') ?? lookUpUser('nobody')
  if (found !== null) return found
  spawnSync('useradd', ['--system', '--no-create-home', 'turnpike-test'], { stdio: 'ignore' })
  const made = lookUpUser('turnpike-test')
  if (made === null) throw new Error('No unprivileged user to run PostgreSQL as, and none could be made.')
  return made
}

function lookUpUser(name: string): { name: string; uid: number; gid: number } | null {
  const [uid, gid] = ['-u', '-g'].map((option) => {
    const result = spawnSync('id', [option, name], { encoding: 'utf8' })
    return result.status === 0 ? Number(result.stdout) : null
  })
  return uid == null || gid == null ? null : { name, uid, gid }
}

/** Stops the server before the signal ends this process; the returned function takes that back. */
function stopOnSignals(stopNow: () => void): () => void {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  const onSignal = (signal: NodeJS.Signals) => {
    forget()
    stopNow()
    process.kill(process.pid, signal)
  }
  const forget = () => {
    for (const signal of signals) process.off(signal, onSignal)
    process.off('exit', stopNow)
  }
  for (const signal of signals) process.on(signal, onSignal)
  process.on('exit', stopNow)
  return forget
}

function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      const port = typeof address === 'object' && address !== null ? address.port : 0
      probe.close(() => resolve(port))
    })
  })
}

// Run by hand, it prints the address of a server that lives until a signal.
if (import.meta.main) {
  const server = await findPostgres()
  if (server === null) process.exit(1)
  console.log(server.url)
  setInterval(() => {}, 60_000)
}
