import { readFileSync } from 'node:fs'
import { fillFolder } from '../test/exports/support/many-settlements.ts'
import { residentBytes, watchMemory } from '../test/exports/support/watch-memory.ts'
import {
  environmentOf,
  makeFolder,
  OPERATOR_TOKEN,
  removeFolder,
  startProcess,
  stopProcess,
} from '../test/robustness/support/gateway-process.ts'

const COUNT = Number(process.argv[2] ?? 1_000_000)
const PATHS = [
  '/exports/settlements?format=csv',
  '/exports/settlements?format=jsonl',
  '/exports/ledger?format=csv',
  '/ledger/verify',
]

/** Exports that many settlements from a gateway in a separate process, and prints what it took. */
async function main(): Promise<void> {
  const folder = makeFolder()
  let gateway: Awaited<ReturnType<typeof startProcess>> | null = null
  try {
    console.log(`filling a database with ${COUNT} settlements`)
    await fillFolder(folder, COUNT)
    gateway = await startProcess(environmentOf(folder))
    console.log(`the gateway begins with ${megabytes(residentBytes(gateway.pid))}`)
    for (const path of PATHS) await measure(gateway, path)
  } finally {
    await stopProcess(gateway)
    removeFolder(folder)
  }
}

async function measure(gateway: { readonly url: string; readonly pid: number }, path: string): Promise<void> {
  const memory = watchMemory(gateway.pid)
  const health = watchHealth(gateway.url)
  const startedAtMs = performance.now()
  const response = await fetch(`${gateway.url}/operator/v1${path}`, {
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}` },
  })
  let bytes = 0
  let lines = 0
  let last = ''
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    for (const byte of chunk) if (byte === 0x0a) lines += 1
    last = new TextDecoder().decode(chunk).slice(-200)
  }
  const seconds = (performance.now() - startedAtMs) / 1_000
  const slowestMs = await health.stop()
  console.log(
    `${path}: ${response.status}, ${lines} lines, ${megabytes(bytes)}, ${seconds.toFixed(1)} s, ` +
      `memory at most ${megabytes(memory.stop())}, slowest health check meanwhile ${slowestMs.toFixed(0)} ms`,
  )
  if (path.endsWith('verify')) console.log(last)
}

/** Other requests should hardly slow down meanwhile. */
function watchHealth(url: string): { stop(): Promise<number> } {
  let slowestMs = 0
  let isStopped = false
  const running = (async () => {
    while (!isStopped) {
      const askedAtMs = performance.now()
      await (await fetch(`${url}/healthz`)).text()
      slowestMs = Math.max(slowestMs, performance.now() - askedAtMs)
      await Bun.sleep(20)
    }
  })()
  return {
    stop: async () => {
      isStopped = true
      await running
      return slowestMs
    },
  }
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_048_576).toFixed(1)} MB`
}

const CORES = readFileSync('/proc/cpuinfo', 'utf8').match(/^processor/gm)?.length ?? 0
console.log(`${CORES} cores`)
await main()
