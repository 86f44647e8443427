import { afterEach, expect, test } from 'bun:test'
import {
  environmentOf,
  type GatewayProcess,
  startProcess,
  stopProcess,
} from '../robustness/support/gateway-process.ts'
import { readStoredLedger } from '../robustness/support/stored-ledger.ts'
import { addSupply, liftLimits } from '../robustness/support/supply.ts'
import { eventually } from '../support/eventually.ts'
import { ask, askStream, FAMILIES, judgeLedger } from './full-disk.ts'
import { type Disk, fillUp, makeSmallDisk, sayLeftOut, whyNot } from './support/disk.ts'
import { type HeldSupplier, startHeldSupplier } from './support/held-supplier.ts'

const MEGABYTES = 24
const EACH = 6
const reason = whyNot(() => makeSmallDisk(MEGABYTES))
sayLeftOut('A full disk', reason)

let disk: Disk | null = null
let gateway: GatewayProcess | null = null
let supplier: HeldSupplier | null = null
afterEach(async () => {
  await stopProcess(gateway)
  await supplier?.stop()
  disk?.remove()
})

for (const fsync of ['never', 'always']) {
  test.skipIf(reason !== null)(
    `charges no client for an answer that a full disk fails, and calls no supplier meanwhile (${fsync})`,
    async () => {
      disk = makeSmallDisk(MEGABYTES)
      supplier = startHeldSupplier()
      gateway = await startProcess(environmentOf(disk.folder, { TURNPIKE_JOURNAL_FSYNC: fsync }))
      const { url } = gateway
      await liftLimits(gateway)
      await addSupply(gateway, { baseUrl: `${supplier.url}/v1` })
      const { calls } = supplier
      // More streams than the last block of the journal has room for, even when it takes nothing but streams.
      const asked = [
        ...Array.from({ length: EACH }, () => ask(url, false)),
        ...[...FAMILIES, ...FAMILIES, ...FAMILIES].map((family) => askStream(url, family)),
      ]
      await eventually('requests under way', () => supplier?.calls === calls + asked.length)
      const empty = fillUp(disk)
      supplier.release()
      const seen = await Promise.all(asked)
      const refused = seen.filter(({ status }) => status === 503)
      const cutShort = seen.filter(
        ({ status, text }) => status === 200 && text.includes('temporarily_unavailable'),
      )
      expect(refused.length).toBeGreaterThan(0)
      expect(cutShort.length).toBeGreaterThan(FAMILIES.length)
      const callsBefore = supplier.calls
      const during = await Promise.all([ask(url, false), ask(url, true)])
      expect(during.map(({ status, retryAfter }) => [status, retryAfter])).toEqual([
        [503, '5'],
        [503, '5'],
      ])
      expect(supplier.calls).toBe(callsBefore)
      empty()
      const after = await eventuallyAnswered(url)
      gateway.signal('SIGTERM')
      expect(await gateway.exited).toBe(0)
      const ledger = await readStoredLedger(disk.folder)
      const all = [...seen, ...during, after]
      expect(judgeLedger(all, ledger)).toMatchObject({ faults: [], counts: { resets: 0, wronglyCharged: 0 } })
      // What was sent of a stream is charged, and less than all of it.
      const [first] = ledger.settlements.filter(({ outcome }) => outcome === 'completed')
      const ids = new Set(cutShort.map(({ requestId }) => requestId))
      const charged = ledger.settlements.filter(({ requestId }) => ids.has(requestId))
      expect(charged).toHaveLength(cutShort.length)
      for (const { outcome, amountNano } of charged) {
        expect(outcome).toBe('interrupted')
        expect(amountNano).toBeGreaterThan(0n)
        expect(amountNano).toBeLessThan(first?.amountNano ?? 0n)
      }
    },
    300_000,
  )
}

async function eventuallyAnswered(url: string) {
  let last = await ask(url, false)
  await eventually('an answer', async () => {
    if (last.status !== 200) last = await ask(url, false)
    return last.status === 200
  })
  return last
}
