import { afterAll, beforeAll, expect, test } from 'bun:test'
import {
  environmentOf,
  type GatewayProcess,
  makeFolder,
  OPERATOR_TOKEN,
  removeFolder,
  startProcess,
  stopProcess,
} from '../robustness/support/gateway-process.ts'
import { fillFolder } from './support/many-settlements.ts'
import { watchMemory } from './support/watch-memory.ts'

// The run with a million is bench/export.ts; what would grow with the number of lines shows here as well.
const COUNT = 100_000
const MAX_BYTES = 200 * 1_048_576
const PATIENCE_MS = 300_000

let folder: string
let gateway: GatewayProcess | null = null
beforeAll(async () => {
  folder = makeFolder()
  await fillFolder(folder, COUNT)
  gateway = await startProcess(environmentOf(folder))
}, PATIENCE_MS)
afterAll(async () => {
  await stopProcess(gateway)
  removeFolder(folder)
})

test(
  `${COUNT} settlements are exported within 200 MB, and the ledger is consistent`,
  async () => {
    if (gateway === null) throw new Error('no gateway runs')
    const memory = watchMemory(gateway.pid)
    const response = await fetch(`${gateway.url}/operator/v1/exports/settlements`, {
      headers: { authorization: `Bearer ${OPERATOR_TOKEN}` },
    })
    let lines = 0
    for await (const chunk of response.body ?? []) {
      for (const byte of chunk) if (byte === 0x0a) lines += 1
    }
    expect(memory.stop()).toBeLessThan(MAX_BYTES)
    expect(lines).toBe(COUNT + 1)
    const found = await gateway.operator<{ difference: string | null; checked: { settlements: number } }>(
      'GET',
      '/ledger/verify',
    )
    expect([found.difference, found.checked.settlements]).toEqual([null, COUNT])
  },
  PATIENCE_MS,
)
