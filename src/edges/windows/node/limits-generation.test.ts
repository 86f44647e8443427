import { expect, test } from 'bun:test'
import type { AccountUpdate } from '../../../serve/ports/shared-limits.ts'
import { ManualTime, settleAll } from '../testing/manual-time.ts'
import { ModelHub, type ModelLimits } from '../testing/model-limits.ts'
import { TinyStorage } from '../testing/tiny-storage.ts'
import { AccountLoader, AccountReader } from './accounts.ts'
import { LimitsCircuit } from './limits-circuit.ts'
import { LimitsGeneration } from './limits-generation.ts'
import { MoneyViews } from './views.ts'

const LEASE_MS = 3_000

/** One node's side of a limits store that is emptied, next to another node that is there and joins when the test says so. */
function stage() {
  const time = new ManualTime(Date.parse('2026-06-10T12:00:00Z'))
  let hub = new ModelHub(time)
  let own = hub.limitsForNode('left')
  let names = 0
  const asked: (boolean | undefined)[] = []
  const loaded: AccountUpdate[] = []
  const gate = { opened: Promise.withResolvers<void>(), holdsUp: new Set<string>() }
  const answer = async <Value>(name: string, value: Promise<Value>) => {
    const given = await value
    if (gate.holdsUp.has(name)) await gate.opened.promise
    return given
  }
  const sharedLimits = new Proxy({} as ModelLimits, {
    get: (_, name: 'generation' | 'listJoined' | 'learn') => {
      if (name === 'learn') return async (_id: string, news: AccountUpdate) => void loaded.push(news)
      return (...call: [never]) => answer(name, (own[name] as (...all: unknown[]) => Promise<never>)(...call))
    },
  })
  const generation = new LimitsGeneration({
    sharedLimits,
    clock: time,
    timers: time,
    leaseMs: LEASE_MS,
    newGeneration: () => `generation ${++names}`,
    listLivingNodes: async (isFresh) => {
      asked.push(isFresh)
      return ['left', 'right']
    },
    assertEverything: async () => {},
  })
  const circuit = new LimitsCircuit({ timers: time, recover: async () => {}, onClosed() {}, onTrouble() {} })
  const reader = new AccountReader(new TinyStorage(time), new MoneyViews(), time)
  return {
    time,
    asked,
    loaded,
    gate,
    generation,
    loader: new AccountLoader({ sharedLimits, circuit, generation, reader }),
    joinRight: () => hub.limitsForNode('right').joinGeneration(hub.generation ?? ''),
    empty() {
      hub = new ModelHub(time)
      own = hub.limitsForNode('left')
    },
    begin: (name: string) => hub.limitsForNode('right').beginGeneration(name),
    awaitOnly: (nodeIds: readonly string[]) => {
      own.listAwaited = async () => nodeIds as never
    },
  }
}

test('loads an account in the generation that every node has joined, not in a later one', async () => {
  const { generation, loader, loaded, gate, joinRight, empty, begin } = stage()
  await generation.join()
  await joinRight()
  gate.holdsUp.add('listJoined')
  const loading = loader.load('acc', null)
  await settleAll()
  empty()
  await begin('emptied')
  // A node that was busy meanwhile reads both answers in one step.
  gate.holdsUp.add('generation')
  const joining = generation.join()
  await settleAll()
  gate.opened.resolve()
  await Promise.all([loading, joining])
  expect(generation.current).toBe('emptied')
  expect(loaded.map((news) => news.generation)).toEqual(['generation 1'])
})

test('gives the other nodes a whole lease for each generation', async () => {
  const { generation, time, empty, begin } = stage()
  let completed: string | null = null
  void generation.complete().then((name) => {
    completed = name
  })
  await time.advance(LEASE_MS - 600)
  empty()
  await begin('emptied again')
  await time.advance(LEASE_MS - 100)
  expect([generation.current, completed]).toEqual(['emptied again', null])
  await time.advance(LEASE_MS)
  expect(completed as string | null).toBe('emptied again')
})

test('also waits for a node that started just before', async () => {
  const { generation, asked, joinRight } = stage()
  await generation.join()
  await joinRight()
  await generation.complete()
  expect(asked).toEqual([true])
})

test('waits only for the nodes that the store names, if it can', async () => {
  const { generation, asked, awaitOnly } = stage()
  awaitOnly([])
  await generation.complete()
  const other = stage()
  other.awaitOnly(['right'])
  let isComplete = false
  const completing = other.generation.complete().then(() => {
    isComplete = true
  })
  await other.time.advance(100)
  expect(isComplete).toBe(false)
  await other.joinRight()
  await other.time.advance(LEASE_MS / 2)
  await completing
  expect([asked, other.asked]).toEqual([[], []])
})
