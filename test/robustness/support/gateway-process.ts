import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const SOURCES = join(import.meta.dirname, '../../../src')
/** The program as it is released, when this run of the tests has built it: it starts with half the work. */
const BINARY = process.env.TEST_BINARY
const START_PATIENCE_MS = 100_000

export const OPERATOR_TOKEN = 'robust-operator-token-0001-0123456789'
export const BOOTSTRAP_KEY = 'sk-robust-bootstrap-key-0001'
export const SERVER_SECRET = 'robust-server-secret-0001'

/** What runs the gateway, and what runs a command of the command line that is written after it. */
export const GATEWAY = BINARY ? [BINARY, 'start'] : [process.execPath, join(SOURCES, 'main.ts')]
export const COMMAND_LINE = BINARY ? [BINARY] : [process.execPath, join(SOURCES, 'cli/turnpike.ts')]

export type Environment = Readonly<Record<string, string>>

/** A gateway in a separate process, as in production. */
export interface GatewayProcess {
  readonly url: string
  readonly port: number
  readonly pid: number
  /** How long it took from the start of the process to the first line of its greeting. */
  readonly startMs: number
  /** Everything printed so far. */
  output(): string
  errors(): string
  operator<T>(method: string, path: string, body?: unknown): Promise<T>
  signal(signal: NodeJS.Signals): void
  /** The exit code; a signal counts as 128 and its number. */
  readonly exited: Promise<number>
}

/** A new folder; the caller removes it. */
export function makeFolder(): string {
  return mkdtempSync(join(tmpdir(), 'turnpike-robust-'))
}

export function removeFolder(path: string): void {
  rmSync(path, { recursive: true, force: true })
}

/** Settings every test process has, so that nothing of the surrounding environment leaks in. */
export function environmentOf(dataFolder: string, more: Environment = {}): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    PORT: '0',
    TURNPIKE_DATA: dataFolder,
    TURNPIKE_SECRET: SERVER_SECRET,
    TURNPIKE_OPERATOR_TOKEN: OPERATOR_TOKEN,
    TURNPIKE_BOOTSTRAP_KEY: BOOTSTRAP_KEY,
    TURNPIKE_SANDBOX: 'on',
    // As `npm start` sets it; a binary without it restarts itself with it.
    BUN_CONFIG_MAX_HTTP_REQUESTS: '65535',
    ...more,
  }
}

export interface StartOptions {
  /** The command that runs the program, such as one that enters a network namespace. */
  readonly prefix?: readonly string[]
  /** Instead of the gateway of this tree. */
  readonly program?: readonly string[] | undefined
}

export async function startProcess(
  environment: Environment,
  options: StartOptions = {},
): Promise<GatewayProcess> {
  const startedAtMs = performance.now()
  const child = spawnGateway(environment, options)
  const output = gather(child.stdout)
  const errors = gather(child.stderr)
  const url = await waitForGreeting(child, output, errors)
  return {
    url,
    port: Number(new URL(url).port),
    pid: child.pid,
    startMs: performance.now() - startedAtMs,
    output: () => output.text,
    errors: () => errors.text,
    operator: (method, path, body) => callOperator(`${url}/operator/v1${path}`, method, body),
    signal: (signal) => child.kill(signal),
    exited: Promise.all([child.exited, output.ended, errors.ended]).then(([code]) => code),
  }
}

/** Stops a process that may have ended already. */
export async function stopProcess(gateway: GatewayProcess | null | undefined): Promise<void> {
  gateway?.signal('SIGKILL')
  await gateway?.exited
}

/** Runs a gateway that is expected to end by itself. */
export async function runToExit(
  environment: Environment,
): Promise<{ exitCode: number; output: string; errors: string }> {
  const child = spawnGateway(environment)
  const timer = setTimeout(() => child.kill('SIGKILL'), START_PATIENCE_MS)
  const [output, errors, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  clearTimeout(timer)
  return { exitCode, output, errors }
}

function spawnGateway(environment: Environment, { prefix = [], program = GATEWAY }: StartOptions = {}) {
  return Bun.spawn([...prefix, ...program], {
    env: environment,
    stdout: 'pipe',
    stderr: 'pipe',
  })
}

interface Gathered {
  text: string
  readonly ended: Promise<void>
}

function gather(stream: ReadableStream<Uint8Array>): Gathered {
  const decoder = new TextDecoder()
  const gathered = { text: '', ended: Promise.resolve() }
  gathered.ended = (async () => {
    for await (const bytes of stream) gathered.text += decoder.decode(bytes, { stream: true })
  })()
  return gathered
}

async function waitForGreeting(
  child: ReturnType<typeof spawnGateway>,
  output: Gathered,
  errors: Gathered,
): Promise<string> {
  const endMs = performance.now() + START_PATIENCE_MS
  while (performance.now() < endMs && child.exitCode === null) {
    const url = /^Turnpike listens on (http:\S+)$/m.exec(output.text)?.[1]
    if (url !== undefined) return url
    await Bun.sleep(5)
  }
  child.kill('SIGKILL')
  await child.exited
  throw new Error(`The gateway did not start:\n${output.text}\n${errors.text}`)
}

async function callOperator<T>(url: string, method: string, body: unknown): Promise<T> {
  const response = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${text}`)
  return (text === '' ? null : JSON.parse(text)) as T
}
