import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ProcessGroup } from '../../bench/process-group.ts'
import { startDirect } from '../../bench/targets/direct.ts'
import { startGateway } from '../../bench/targets/gateway.ts'
import { MODEL, type Target } from '../../bench/targets/target.ts'

/**
 * Shows which functions a relayed chat request passes, from the socket to the settlement in the journal:
 * `bun scripts/trace/request.ts [--list]`. The gateway is warm, so what runs once per process is not counted.
 */
const WARM_UP_REQUESTS = 20
const ATTEMPTS = 8
const isListed = process.argv.includes('--list')

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'turnpike-trace-'))
  const processes = new ProcessGroup(folder)
  const traceFile = join(folder, 'trace.txt')
  try {
    const { port: upstreamPort } = await startDirect(processes)
    const gateway = await startGateway(
      { processes, upstreamPort, folder },
      {
        name: 'gateway',
        environment: { TRACE_FILE: traceFile },
        preload: join(import.meta.dirname, 'preload.ts'),
      },
    )
    for (const isStreamed of [false, true]) {
      for (let request = 0; request < WARM_UP_REQUESTS; request += 1) await ask(gateway, isStreamed)
      print(isStreamed ? 'streamed' : 'whole', await trace(gateway, { isStreamed, traceFile }))
    }
  } finally {
    await processes.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

interface TracePlan {
  readonly isStreamed: boolean
  readonly traceFile: string
}

/** The shortest of several traces: a background job that happens to run beside a request is not part of its way. */
async function trace(gateway: Target, { isStreamed, traceFile }: TracePlan): Promise<readonly string[]> {
  const traces: (readonly string[])[] = []
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    await takeTrace(gateway, traceFile)
    await ask(gateway, isStreamed)
    traces.push(await takeTrace(gateway, traceFile))
  }
  return traces.toSorted((one, other) => one.length - other.length)[0] ?? []
}

async function ask({ port, path, headers }: Target, stream: boolean): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ model: MODEL, stream, messages: [{ role: 'user', content: 'Hello' }] }),
  })
  if (!response.ok) throw new Error(`The gateway answered ${response.status}: ${await response.text()}`)
  await response.arrayBuffer()
}

/** What has run since the last time. */
async function takeTrace(gateway: Target, file: string): Promise<readonly string[]> {
  rmSync(file, { force: true })
  process.kill(gateway.process.pid, 'SIGUSR2')
  while (!(await Bun.file(file).exists())) await Bun.sleep(5)
  return readFileSync(file, 'utf8').split('\n').filter(Boolean)
}

function print(kind: string, functions: readonly string[]): void {
  const files = Map.groupBy(functions, (name) => name.slice(0, name.indexOf(':')))
  console.log(`${kind}: ${functions.length} functions in ${files.size} files`)
  if (!isListed) return
  for (const [file, names] of files) {
    console.log(`  ${file}: ${names.map((name) => name.slice(file.length + 1)).join(' ')}`)
  }
}

await main()
