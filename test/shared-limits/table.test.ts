import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { LimitsHub } from '../../src/edges/windows/hub.ts'
import { ParentTable } from '../../src/edges/windows/table/parent-table.ts'
import { createTableFile, type MappedFile } from '../../src/edges/windows/table/table-file.ts'
import { TableLimits } from '../../src/edges/windows/table/table-limits.ts'
import { ModelHub } from '../../src/edges/windows/testing/model-limits.ts'
import { type Clock, SYSTEM_CLOCK } from '../../src/vocabulary/clock.ts'
import { createMovableClock } from '../support/movable-clock.ts'
import { randomSteps } from './support/random-steps.ts'
import { GENERATION, loadAccount } from './support/redis-limits.ts'
import { BALANCE_NANO, type Counted, WINDOW_LIMIT } from './support/table-worker.ts'

// So few that records are dropped and the table grows within a few calls.
const FEW_RECORDS = 16
// Sums of a dozen of these are 64-bit integers.
const LARGE_AMOUNT = 2n ** 58n
// Numbers that the hub has not given to anybody.
const FIRST_CHILD = 100
const CHILD = join(import.meta.dirname, 'support', 'table-worker.ts')

let folder = ''
let file: MappedFile
let table: ParentTable
let hub: LimitsHub

function open(clock: Clock, capacity?: number): void {
  file = createTableFile(folder, capacity)
  table = new ParentTable(file, clock)
  hub = new LimitsHub(clock, table)
}

async function limitsOf(nodeId: string, clock: Clock): Promise<TableLimits> {
  const link = hub.member(nodeId)
  return new TableLimits({ file, link, nodeNumber: await link.nodeNumber(), clock })
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'turnpike-table-'))
})

afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

// Workers need Linux.
describe.skipIf(process.platform !== 'linux')('a limits store in memory that processes share', () => {
  test('behaves like the model', async () => {
    const startMs = createMovableClock().nowMs()
    await fc.assert(
      fc.asyncProperty(randomSteps(startMs, LARGE_AMOUNT), async (sequence) => {
        const clock = createMovableClock()
        const model = new ModelHub(clock)
        const models = { 'node-1': model.limitsForNode('node-1'), 'node-2': model.limitsForNode('node-2') }
        open(clock, FEW_RECORDS)
        const tables = {
          'node-1': await limitsOf('node-1', clock),
          'node-2': await limitsOf('node-2', clock),
        }
        try {
          for (const { 'node-1': first } of [models, tables]) {
            await first.beginGeneration(GENERATION)
            await loadAccount(first, 'account-1', 2n ** 60n)
          }
          for (const step of sequence) {
            // The time must not pass twice.
            const still = { ...clock, advance: () => {} }
            expect(await step(tables, still)).toEqual(await step(models, clock))
          }
        } finally {
          file.close()
        }
      }),
      { numRuns: 400 },
    )
  })

  test('takes exactly what there is while several processes write, and grows beneath them', async () => {
    open(SYSTEM_CLOCK, FEW_RECORDS)
    const own = await limitsOf('own', SYSTEM_CLOCK)
    const children = [1, 2, 3].map((number) => startChild('spend', number))
    await Promise.all(children.map(({ isReady }) => isReady))
    await own.beginGeneration(GENERATION)
    await loadAccount(own, 'account-1', BALANCE_NANO)
    const counted = await Promise.all(children.map(({ counted: count }) => count))
    const sum = (name: 'byBalance' | 'byWindow') => counted.reduce((total, count) => total + count[name], 0)
    expect([sum('byBalance'), sum('byWindow')]).toEqual([Number(BALANCE_NANO), WINDOW_LIMIT])
    const last = { requestId: 'last', accountId: 'account-1', keyId: 'key', generation: GENERATION }
    const hold = { amountNano: 1n, creditLineNano: 0n, usageLimit: null }
    const demand = { ...last, hold, configurationVersion: 1, windows: [], conversation: null }
    expect(await own.admit(demand)).toMatchObject({ refusal: { reason: 'balance' } })
    const released = await Promise.all([1, 2, 3].map((number) => table.releaseNode(FIRST_CHILD + number)))
    expect(released.reduce((total, count) => total + count, 0)).toBe(Number(BALANCE_NANO))
    expect(await own.admit(demand)).toEqual({ type: 'unknown', missing: 'account' })
    file.close()
  })

  test('is emptied when a process dies in the middle of a step, and all others report their holds', async () => {
    open(SYSTEM_CLOCK)
    const [left, right] = [await limitsOf('left', SYSTEM_CLOCK), await limitsOf('right', SYSTEM_CLOCK)]
    await left.beginGeneration(GENERATION)
    for (const limits of [left, right]) await limits.joinGeneration(GENERATION)
    await loadAccount(left, 'account-1', 100n)
    const [own] = [{ requestId: 'own', keyId: 'key', amountNano: 30n }]
    await left.addHolds('account-1', [own])
    expect(await right.listAwaited()).toEqual([])
    await startChild('die', 1).ended
    // Whoever comes meanwhile waits.
    const waiting = right.look('account-1', [])
    expect(table.emptyIfLockedBy(FIRST_CHILD + 2)).toBe(false)
    expect(table.emptyIfLockedBy(FIRST_CHILD + 1)).toBe(true)
    hub.endGeneration()
    expect(await waiting).toEqual([])
    expect(await right.generation()).toBeNull()
    expect(await right.listAwaited()).toEqual(['left', 'right'])
    const growth = {
      accountId: 'account-1',
      creditLineNano: 0n,
      usageLimit: null,
      requestId: 'own',
      keyId: 'key',
    }
    const grow = (generation: string, amountNano: bigint) => left.grow({ ...growth, generation, amountNano })
    expect(await grow(GENERATION, 31n)).toEqual({ type: 'unknown', missing: 'generation' })
    await right.beginGeneration('generation-2')
    expect(await grow('generation-2', 31n)).toEqual({ type: 'unknown', missing: 'account' })
    await left.assertHolds('account-1', [own], [])
    const balance = { balanceNano: 100n, version: 1n }
    const facts = { generation: 'generation-2', stored: [], balance, keys: [], isLoad: true }
    await right.learn('account-1', facts)
    expect([await grow('generation-2', 101n), await grow('generation-2', 100n)]).toEqual(['refused', 'grown'])
    file.close()
  })
})

/** Starts the other program on the same memory. */
function startChild(task: 'spend' | 'die', number: number) {
  const ready = Promise.withResolvers<void>()
  const counted = Promise.withResolvers<Counted>()
  const child = Bun.spawn([process.execPath, CHILD, task, String(FIRST_CHILD + number)], {
    stdio: ['ignore', 'inherit', 'inherit', file.descriptor],
    ipc: (told: 'ready' | Counted) => (told === 'ready' ? ready.resolve() : counted.resolve(told)),
  })
  return { isReady: ready.promise, counted: counted.promise, ended: child.exited }
}
