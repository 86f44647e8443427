import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { LimitsHub } from '../../src/edges/windows/hub.ts'
import { ParentTable } from '../../src/edges/windows/table/parent-table.ts'
import type { TableFile } from '../../src/edges/windows/table/records.ts'
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
  table = new ParentTable(file)
  hub = new LimitsHub(clock, table)
}

async function limitsOf(
  nodeId: string,
  clock: Clock,
  keptMs = Number.POSITIVE_INFINITY,
): Promise<TableLimits> {
  const link = hub.member(nodeId)
  return new TableLimits({ file, link, nodeNumber: await link.nodeNumber(), clock, keptMs })
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

  test('forgets money that nobody uses when there is no room, and asks for it again', async () => {
    const clock = createMovableClock()
    open(clock, FEW_RECORDS)
    const limits = await limitsOf('own', clock, 1_000)
    await limits.beginGeneration(GENERATION)
    const hold = { amountNano: 1n, creditLineNano: 0n, usageLimit: null }
    const demand = {
      keyId: 'key',
      generation: GENERATION,
      hold,
      configurationVersion: 1,
      windows: [],
      conversation: null,
    }
    const admit = (number: number) =>
      limits.admit({ ...demand, requestId: `request-${number}`, accountId: `account-${number}` })
    for (let number = 0; number < 500; number += 1) {
      await loadAccount(limits, `account-${number}`, 1n)
      clock.advance(100)
      // One request in ten stays open.
      expect(await admit(number)).toMatchObject({ type: 'admitted' })
      if (number % 10 !== 0) await limits.assertHolds(`account-${number}`, [], [])
    }
    expect(await admit(1)).toEqual({ type: 'unknown', missing: 'account' })
    const again = { ...demand, requestId: 'again', accountId: 'account-0' }
    expect(await limits.admit(again)).toMatchObject({ refusal: { reason: 'balance' } })
    expect(await table.releaseNode(1)).toBe(50)
    file.close()
  })

  test('changes nothing when there is no room for a record', async () => {
    const clock = createMovableClock()
    open(clock, FEW_RECORDS)
    const own = hub.member('own')
    const extend = { isAllowed: false }
    const tight: TableFile = {
      map: () => file.map(),
      extend: (bytes) => {
        if (!extend.isAllowed) throw new Error('no space left')
        file.extend(bytes)
      },
    }
    const nodeNumber = await own.nodeNumber()
    const limits = new TableLimits({ file: tight, link: own, nodeNumber, clock })
    await own.beginGeneration(GENERATION)
    await loadAccount(limits, 'account-1', 100n)
    const demand = {
      accountId: 'account-1',
      generation: GENERATION,
      configurationVersion: 1,
      windows: [],
      hold: { amountNano: 10n, creditLineNano: 0n, usageLimit: null },
      conversation: null,
    }
    const admit = async (keyId: string) => limits.admit({ ...demand, keyId, requestId: `of-${keyId}` })
    const answers = await Promise.allSettled(
      Array.from({ length: 10 }, (_, number) => admit(`key-${number}`)),
    )
    const failed = answers.filter(({ status }) => status === 'rejected').length
    expect([failed > 0, failed < 10]).toEqual([true, true])
    extend.isAllowed = true
    // What was admitted is held, and nothing else.
    await limits.assertHolds('account-1', [], [])
    const room = { ...demand, hold: { ...demand.hold, amountNano: 101n }, keyId: 'key', requestId: 'last' }
    expect(await limits.admit(room)).toMatchObject({ refusal: { reason: 'balance' } })
    const all = { ...room, hold: { ...room.hold, amountNano: 100n } }
    expect(await limits.admit(all)).toMatchObject({ type: 'admitted', heldNano: null })
    file.close()
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
    // Whoever comes meanwhile waits, in the order of coming.
    const order: number[] = []
    const waiting = [1, 2, 3].map((number) => right.look('account-1', []).then(() => order.push(number)))
    expect(table.emptyIfLockedBy(FIRST_CHILD + 2)).toBe(false)
    expect(table.emptyIfLockedBy(FIRST_CHILD + 1)).toBe(true)
    hub.endGeneration()
    await Promise.all(waiting)
    expect(order).toEqual([1, 2, 3])
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
