import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { installPackage, warnLoudly } from './debian.ts'

export interface TestRedis {
  readonly url: string
  stop(): Promise<void>
}

export interface OwnRedis extends TestRedis {
  readonly port: number
  /** Keeps its connections open and stops answering. */
  pause(): void
  resume(): void
  /** Everything in it is gone. */
  flush(): Promise<void>
  /** Ends it at once, as a crash would. */
  halt(): Promise<void>
  /** Starts it again at the same address, empty. */
  restart(): Promise<void>
}

const START_ATTEMPTS = 5
const START_PATIENCE_MS = 60_000
// The servers of a Cluster talk to each other on a port that is greater by this.
const BUS_OFFSET = 10_000

/**
 * A Redis server for tests: the one named by TEST_REDIS_URL, else a temporary one from the machine's own installation,
 * else a temporary one from a package installed now. Null, with a loud warning, when none can be had.
 */
export async function findRedis(): Promise<TestRedis | null> {
  const given = process.env.TEST_REDIS_URL
  if (given) return { url: given, stop: async () => {} }
  const isHere = findProgram() !== null || installPackage('redis-server')
  const server = isHere ? await startOwnRedis() : null
  if (server === null) {
    warnLoudly(
      'Redis tests did NOT run: no server could be found, started or installed.',
      'Set TEST_REDIS_URL=redis://host:port or install redis-server and run again.',
    )
  }
  return server
}

/** A server of a test's own, to be paused, emptied and ended; null when Redis is not on the machine. */
export async function startOwnRedis(settings: readonly string[] = []): Promise<OwnRedis | null> {
  for (let attempt = 1; attempt <= START_ATTEMPTS; attempt++) {
    // Another process may take the port between our looking and Redis's binding, hence several attempts.
    const server = await startAt(await findFreePort(), settings)
    if (server !== null) return server
  }
  return null
}

async function startAt(port: number, settings: readonly string[]): Promise<OwnRedis | null> {
  const program = findProgram()
  if (program === null) return null
  const folder = mkdtempSync(join(tmpdir(), 'turnpike-redis-'))
  const log = join(folder, 'log')
  // A file, because Sentinel writes into the one it was started with.
  const file = join(folder, 'redis.conf')
  const lines = [`port ${port}`, 'bind 127.0.0.1', `dir ${folder}`, `logfile ${log}`, ...settings]
  writeFileSync(file, `${lines.join('\n')}\n`)
  const isSentinel = settings.some((line) => line.startsWith('sentinel '))
  const args = isSentinel ? [file, '--sentinel'] : [file, '--save', '', '--appendonly', 'no']

  let child: ChildProcess | null = null
  const start = async () => {
    child = spawn(program, args, { stdio: 'ignore' })
    return isAnswering(port, child)
  }
  const end = () => child?.kill('SIGKILL')
  const clean = () => {
    end()
    rmSync(folder, { recursive: true, force: true })
  }
  const forget = cleanOnExit(clean)
  if (!(await start())) {
    console.error(`Redis for tests: the server did not start.\n${readLog(log)}`)
    forget()
    clean()
    return null
  }
  const halt = async () => {
    const exited = child === null ? null : waitForExit(child)
    end()
    await exited
  }
  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    pause: () => child?.kill('SIGSTOP'),
    resume: () => child?.kill('SIGCONT'),
    flush: async () => {
      await administer(port, ['flushall'])
    },
    halt,
    restart: async () => {
      if (!(await start())) throw new Error(`Redis for tests did not start again.\n${readLog(log)}`)
    },
    stop: async () => {
      forget()
      await halt()
      clean()
    },
  }
}

/** Runs one command on a server, over a separate connection. */
export async function administer(port: number, [command = '', ...args]: readonly string[]): Promise<unknown> {
  const client = new Redis({ port, host: '127.0.0.1', retryStrategy: () => null, lazyConnect: true })
  client.on('error', () => {})
  try {
    await client.connect()
    return await client.call(command, ...args)
  } finally {
    client.disconnect()
  }
}

/** Asks until what was asked is true; for servers that agree with each other in their own time. */
export async function waitFor(what: string, isTrue: () => Promise<boolean>): Promise<void> {
  const endMs = performance.now() + 3 * START_PATIENCE_MS
  while (!(await isTrue().catch(() => false))) {
    if (performance.now() > endMs) throw new Error(`Redis for tests: ${what} did not happen`)
    await Bun.sleep(50)
  }
}

async function isAnswering(port: number, child: ChildProcess): Promise<boolean> {
  const endMs = performance.now() + START_PATIENCE_MS
  while (performance.now() < endMs && child.exitCode === null) {
    const answer = await administer(port, ['ping']).catch(() => null)
    if (answer === 'PONG') return true
    await Bun.sleep(20)
  }
  return false
}

function waitForExit(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve()
  return new Promise((resolve) => child.once('exit', () => resolve()))
}

function findProgram(): string | null {
  return Bun.which('redis-server') ?? Bun.which('valkey-server')
}

/** Ends the server when this process ends, by a signal or not; the returned function takes that back. */
function cleanOnExit(clean: () => void): () => void {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  const onSignal = (signal: NodeJS.Signals) => {
    forget()
    clean()
    process.kill(process.pid, signal)
  }
  const forget = () => {
    for (const signal of signals) process.off(signal, onSignal)
    process.off('exit', clean)
  }
  for (const signal of signals) process.on(signal, onSignal)
  process.on('exit', clean)
  return forget
}

async function findFreePort(): Promise<number> {
  for (;;) {
    const port = await new Promise<number>((resolve, reject) => {
      const probe = createServer()
      probe.once('error', reject)
      probe.listen(0, '127.0.0.1', () => {
        const address = probe.address()
        probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
      })
    })
    if (port + BUS_OFFSET <= 65_535) return port
  }
}

function readLog(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

// Run by hand, it prints the address of a server that lives until a signal.
if (import.meta.main) {
  const server = await findRedis()
  if (server === null) process.exit(1)
  console.log(server.url)
  setInterval(() => {}, 60_000)
}
