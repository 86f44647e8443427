import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What a binary did when it was tried, as sentences, and what it took. */
export interface Rehearsal {
  readonly steps: readonly string[]
  readonly commandMs: number
  /** From the call of the program to a gateway that takes requests, on an empty folder. */
  readonly startMs: number
  readonly residentBytes: number
  /** Of the whole run, with all processes that took part. */
  readonly cpuMs: number
}

type Step = readonly [what: string, check: () => Promise<void>]

/**
 * Runs a binary as a stranger would who was given nothing else: in an empty folder, with nothing in its environment.
 * Throws at the first thing that does not work.
 */
export async function rehearse(binary: string): Promise<Rehearsal> {
  const folder = mkdtempSync(join(tmpdir(), 'turnpike-rehearsal-'))
  try {
    const commandMs = await tryCommands(binary, folder)
    return { commandMs, ...(await rehearseGateway({ command: [binary], folder, env: {}, exitCode: 0 })) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function tryCommands(binary: string, folder: string): Promise<number> {
  const startedAtMs = performance.now()
  const help = await runCommand([binary, '--help'], folder)
  const commandMs = performance.now() - startedAtMs
  requireText(help.output, 'Usage: turnpike [command]')
  requireEqual((await runCommand([binary, 'health'], folder, { PORT: '1' })).exitCode, 1)
  requireEqual((await runCommand([binary, 'unheard-of'], folder)).exitCode, 2)
  requireEqual(readdirSync(folder).length, 0)
  return commandMs
}

async function runCommand(command: readonly string[], folder: string, env: Record<string, string> = {}) {
  const child = Bun.spawn([...command], { cwd: folder, env, stdout: 'pipe', stderr: 'pipe' })
  const [output, exitCode] = await Promise.all([new Response(child.stdout).text(), child.exited])
  return { output, exitCode }
}

/** A way to run the program. */
export interface Program {
  readonly command: readonly string[]
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
  /** What it exits with after SIGTERM; npm has an answer of its own. */
  readonly exitCode: number
}

function spawnGateway({ command, folder, env }: Program) {
  // Without a word, which starts the gateway.
  return Bun.spawn([...command], {
    cwd: folder,
    env: { ...env, PORT: '0', TURNPIKE_LOG_LEVEL: 'error' },
    stdout: 'pipe',
    stderr: 'inherit',
  })
}

/** Starts a gateway on an empty data folder, uses it, and stops it as a system does. */
export async function rehearseGateway(program: Program): Promise<Omit<Rehearsal, 'commandMs'>> {
  const { command, folder, env } = program
  const startedAtMs = performance.now()
  const child = spawnGateway(program)
  try {
    const greeting = await readGreeting(child.stdout)
    const startMs = performance.now() - startedAtMs
    const steps = stepsFor(greeting, (own) =>
      runCommand([...command, 'health', '--ready'], folder, { ...env, ...own }),
    )
    for (const [what, check] of steps) {
      await check().catch((error: unknown) => {
        throw new Error(`${what}: ${error instanceof Error ? error.message : String(error)}`)
      })
    }
    const residentBytes = await readResident(greeting)
    await stop(child, program, greeting.url)
    return { steps: steps.map(([what]) => what), startMs, residentBytes, cpuMs: cpuMsOf(child) }
  } finally {
    child.kill('SIGKILL')
    await child.exited
  }
}

/** Starts a gateway on a data folder that it has, and stops it. */
export async function restartGateway(program: Program): Promise<Pick<Rehearsal, 'startMs' | 'cpuMs'>> {
  const startedAtMs = performance.now()
  const child = spawnGateway(program)
  try {
    const url = await readUrl(child.stdout)
    const startMs = performance.now() - startedAtMs
    await get(`${url}/healthz`)
    await stop(child, program, url)
    return { startMs, cpuMs: cpuMsOf(child) }
  } finally {
    child.kill('SIGKILL')
    await child.exited
  }
}

/** Npm ends before what it started. */
async function stop(child: Bun.Subprocess, { exitCode }: Program, url: string): Promise<void> {
  if (process.platform === 'win32') return endTree(child)
  child.kill('SIGTERM')
  requireEqual(await child.exited, exitCode)
  const isAlive = () =>
    fetch(`${url}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    )
  for (let looks = 0; await isAlive(); looks += 1) {
    if (looks > 100) throw new Error('the gateway goes on after SIGTERM')
    await Bun.sleep(100)
  }
}

/** Windows has no signals: a process only ends, and what it started goes on. */
async function endTree(child: Bun.Subprocess): Promise<void> {
  Bun.spawnSync(['taskkill', '/pid', String(child.pid), '/t', '/f'])
  await child.exited
}

function cpuMsOf(child: Bun.Subprocess): number {
  return Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1_000
}

async function readUrl(output: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const bytes of output) {
    text += decoder.decode(bytes, { stream: true })
    const url = /listens on (\S+)/.exec(text)?.[1]
    if (url) return url
  }
  throw new Error(`the gateway ended before it greeted: ${text}`)
}

interface Greeting {
  readonly url: string
  readonly operatorToken: string
  readonly curl: string
}

/** What the first start prints, up to the line that can be pasted. */
async function readGreeting(output: ReadableStream<Uint8Array>): Promise<Greeting> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const bytes of output) {
    text += decoder.decode(bytes, { stream: true })
    const curl = /^curl .*\n/m.exec(text)?.[0]
    const url = /listens on (\S+)/.exec(text)?.[1]
    const operatorToken = /^Operator token \(shown once\): (\S+)$/m.exec(text)?.[1]
    if (curl && url && operatorToken) return { url, operatorToken, curl: curl.trim() }
  }
  throw new Error(`the gateway ended before it greeted: ${text}`)
}

type AskHealth = (env: Record<string, string>) => Promise<{ readonly exitCode: number }>

function stepsFor({ url, curl, operatorToken }: Greeting, askHealth: AskHealth): readonly Step[] {
  return [
    ['the curl line of the greeting', async () => requireText(await sendCurl(curl), '"chat.completion"')],
    ['the page of the console', async () => requireText(await get(`${url}/console/`), '/console/assets/')],
    ['every file that page names', () => getConsoleFiles(url)],
    ['the reference at /docs', () => getDocs(url)],
    ['/openapi.json', async () => requireText(await get(`${url}/openapi.json`), '"openapi":"3.1')],
    ['turnpike health --ready', () => beHealthy(url, askHealth)],
    [
      'a call of the operator API',
      async () => requireText(await get(`${url}/operator/v1/suppliers`, operatorToken), 'sandbox-openai'),
    ],
  ]
}

/** Sends what the line would, since the machine that builds an image has no curl. */
async function sendCurl(line: string): Promise<string> {
  const [, url, authorization, type, body] =
    /^curl (\S+) -H "Authorization: ([^"]+)" -H 'Content-Type: ([^']+)' -d '([^']+)'$/.exec(line) ?? []
  if (!url || !authorization || !type || !body) throw new Error(`the line cannot be read: ${line}`)
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization, 'content-type': type },
    body,
  })
  return response.text()
}

/** As they are and compressed, since both are files of their own. */
async function getConsoleFiles(url: string): Promise<void> {
  const page = await get(`${url}/console/`)
  const paths = [...page.matchAll(/"(\/console\/assets\/[^"]+)"/g)].map(([, path = '']) => path)
  requireEqual(paths.length > 3, true)
  for (const path of paths) {
    for (const encoding of ['identity', 'gzip', 'br']) {
      const response = await fetch(url + path, { headers: { 'accept-encoding': encoding } })
      requireEqual(response.status, 200)
      requireEqual((await response.text()).length > 100, true)
    }
  }
}

async function getDocs(url: string): Promise<void> {
  const page = await get(`${url}/docs`)
  const paths = [...page.matchAll(/(?:src|href)="([^":]+)"/g)].map(([, path = '']) => path)
  requireEqual(paths.length >= 4, true)
  for (const path of paths) await get(new URL(path, `${url}/docs`).href)
}

async function beHealthy(url: string, askHealth: AskHealth): Promise<void> {
  requireEqual((await askHealth({ PORT: new URL(url).port })).exitCode, 0)
}

async function readResident({ url, operatorToken }: Greeting): Promise<number> {
  const metrics = await get(`${url}/metrics`, operatorToken)
  return Number(/^process_resident_memory_bytes (\d+)/m.exec(metrics)?.[1])
}

async function get(url: string, token?: string): Promise<string> {
  const response = await fetch(
    url,
    token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } },
  )
  requireEqual(response.status, 200)
  return response.text()
}

function requireText(text: string, part: string): void {
  if (!text.includes(part)) throw new Error(`${JSON.stringify(part)} is not in: ${text.slice(0, 300)}`)
}

function requireEqual<T>(found: T, wanted: T): void {
  if (found !== wanted) throw new Error(`${String(found)} instead of ${String(wanted)}`)
}
