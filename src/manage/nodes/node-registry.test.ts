import { describe, expect, test } from 'bun:test'
import { createCollectedLog } from '../../../test/support/collected-log.ts'
import { createMovableClock } from '../../../test/support/movable-clock.ts'
import type { Log } from '../../serve/ports/log.ts'
import type { NodeStore } from '../../serve/ports/shared-storage.ts'
import type { NodeRecord, SeenNode } from '../../vocabulary/system.ts'
import { LEASE_MS, type LimitsMembership, type NodeParts, NodeRegistry } from './node-registry.ts'

const clock = createMovableClock()

/** An in-memory node table with its own clock; the real one is tested with the storage. */
class Records implements NodeStore {
  readonly heard = new Map<
    string,
    { readonly node: NodeRecord; readonly atMs: number; readonly sharedLimitsId: string | null }
  >()
  readonly running = new Set<string>()
  isAway = false
  /** Resolves when a list may be given; null gives it at once. */
  gate: Promise<void> | null = null

  async saveHeartbeat(node: NodeRecord, sharedLimitsId: string | null): Promise<void> {
    this.#requireThere()
    this.heard.set(node.id, { node, atMs: clock.nowMs(), sharedLimitsId })
  }

  async listNodes(): Promise<readonly SeenNode[]> {
    this.#requireThere()
    const list = [...this.heard.values()].map(({ node, atMs, sharedLimitsId }) => ({
      ...node,
      sharedLimitsId,
      silentMs: clock.nowMs() - atMs,
    }))
    await this.gate
    return list
  }

  async removeNode(id: string): Promise<void> {
    this.#requireThere()
    this.heard.delete(id)
  }

  async unlessRunning<Result>(name: string, work: () => Promise<Result>): Promise<Result | null> {
    if (this.running.has(name)) return null
    this.running.add(name)
    return work().finally(() => this.running.delete(name))
  }

  #requireThere(): void {
    if (this.isAway) throw new Error('the database is away')
  }
}

class ReleasedHolds {
  readonly released: string[] = []
  isAway = false

  async releaseNode(nodeId: string): Promise<number> {
    if (this.isAway) throw new Error('the limits store is away')
    this.released.push(nodeId)
    return 2
  }
}

/** Starts with the limits it was made with. */
class TestNode extends NodeRegistry {
  readonly #membership: LimitsMembership

  constructor(membership: LimitsMembership, parts: NodeParts) {
    super(parts)
    this.#membership = membership
  }

  override start(): Promise<void> {
    return super.start(this.#membership)
  }
}

/** The clock of a node that differs from the database's. */
const oddClock = createMovableClock()

function stage(...names: string[]) {
  const records = new Records()
  const sharedLimits = new ReleasedHolds()
  const troubles: string[] = []
  const notices: { readonly what: string; readonly facts: object | undefined }[] = []
  const noteTrouble: Log['trouble'] = (what) => void troubles.push(what)
  const log: Log = {
    ...createCollectedLog(),
    trouble: noteTrouble,
    notice: (what, facts) => void notices.push({ what, facts }),
  }
  const returned: string[] = []
  const shared: Record<string, string | null> = {}
  const nodes = names.map(
    (id) =>
      new TestNode(
        { sharedLimitsId: () => shared[id] ?? null, onReturned: () => void returned.push(id) },
        {
          node: { id, name: `machine of ${id}`, version: '1', startedAtMs: clock.nowMs() },
          storage: records,
          sharedLimits: id.startsWith('unshared') ? null : sharedLimits,
          clock: id === 'odd' ? oddClock : clock,
          log,
        },
      ),
  )
  /** Time passes for these, one beat a second. */
  const pass = async (seconds: number, ...living: (NodeRegistry | undefined)[]) => {
    for (let second = 0; second < seconds; second += 1) {
      clock.advance(1_000)
      await Promise.all(living.map((node) => node?.beat()))
    }
  }
  return { records, sharedLimits, notices, troubles, returned, shared, nodes, pass }
}

const LEASE_SECONDS = LEASE_MS / 1_000

describe('nodes', () => {
  test('know each other while they run, until an orderly stop', async () => {
    const { records, sharedLimits, nodes, pass } = stage('a', 'b')
    const [a, b] = nodes
    await a?.start()
    await b?.start()
    await pass(1, a, b)
    expect(await a?.listLiving()).toEqual(['a', 'b'])
    expect(await b?.listLiving()).toEqual(['b', 'a'])
    expect([a?.livingCount, b?.hasOthers]).toEqual([2, true])
    await pass(LEASE_SECONDS * 3, a, b)
    expect([...records.heard.keys()]).toEqual(['a', 'b'])
    await b?.stop()
    await pass(1, a, b)
    expect(await a?.listLiving()).toEqual(['a'])
    expect(sharedLimits.released).toEqual([])
  })

  test('that just started are in a fresh list', async () => {
    const { nodes } = stage('a', 'b')
    const [a, b] = nodes
    await a?.start()
    await b?.start()
    expect(await a?.listLiving()).toEqual(['a'])
    expect(await a?.listLiving(true)).toEqual(['a', 'b'])
  })

  test('that share only the database log it once, and not because of a node they replace', async () => {
    const { troubles, nodes, pass } = stage('unshared before', 'unshared 1', 'unshared 2')
    const [before, first, second] = nodes
    await before?.start()
    await first?.start()
    await pass(LEASE_SECONDS * 2, first)
    expect(troubles).toEqual([])
    await second?.start()
    await pass(LEASE_SECONDS * 2, first, second)
    expect(troubles).toEqual(Array(2).fill('nodes do not share limits and balances'))
  })

  test('whose clock is set back keep sending heartbeats and checking the others', async () => {
    const { records, sharedLimits, nodes, pass } = stage('a', 'odd', 'dead')
    const [a, odd, dead] = nodes
    const passForAll = async (seconds: number, ...living: (NodeRegistry | undefined)[]) => {
      for (let second = 0; second < seconds; second += 1) {
        oddClock.advance(1_000)
        await pass(1, ...living)
      }
    }
    await Promise.all(nodes.map((node) => node.start()))
    await passForAll(LEASE_SECONDS, a, odd, dead)
    oddClock.advance(-3_600_000)
    await passForAll(LEASE_SECONDS * 2, a, odd, dead)
    expect(sharedLimits.released).toEqual([])
    expect(await a?.listLiving()).toEqual(['a', 'odd', 'dead'])
    await passForAll(LEASE_SECONDS + 2, odd)
    expect(sharedLimits.released.toSorted()).toEqual(['a', 'dead'])
    expect([...records.heard.keys()]).toEqual(['odd'])
    expect(await odd?.listLiving()).toEqual(['odd'])
  })

  test('that stop while they still hold something are released when their lease is over', async () => {
    const { sharedLimits, nodes, pass } = stage('a', 'b')
    const [a, b] = nodes
    await a?.start()
    await b?.start()
    await pass(LEASE_SECONDS * 2, a, b)
    await b?.stop({ hasHolds: true })
    expect(sharedLimits.released).toEqual([])
    await pass(LEASE_SECONDS + 3, a)
    expect(sharedLimits.released).toEqual(['b'])
  })

  test('that die are released once, by one live node, when their lease is over', async () => {
    const { records, sharedLimits, notices, nodes, pass } = stage('a', 'b', 'c')
    const [a, b, c] = nodes
    for (const node of nodes) await node.start()
    await pass(LEASE_SECONDS, a, b, c)
    await pass(LEASE_SECONDS - 2, a, b)
    expect([sharedLimits.released, records.heard.has('c')]).toEqual([[], true])
    await pass(4, a, b)
    expect([sharedLimits.released, records.heard.has('c')]).toEqual([['c'], false])
    await pass(LEASE_SECONDS, a, b)
    expect(sharedLimits.released).toEqual(['c'])
    expect(await a?.listLiving()).toEqual(['a', 'b'])
    const [notice] = notices.filter(({ what }) => what.includes('has died'))
    expect(notice?.facts).toMatchObject({ node: 'c', name: 'machine of c', holds: 2 })
  })

  test('that were paused and declared dead come back and report their holds again', async () => {
    const { records, returned, nodes, pass } = stage('a', 'b')
    const [a, b] = nodes
    for (const node of nodes) await node.start()
    await pass(LEASE_SECONDS, a, b)
    await pass(LEASE_SECONDS + 5, a)
    expect(records.heard.has('b')).toBe(false)
    await pass(1, a, b)
    expect([returned, records.heard.has('b')]).toEqual([['b'], true])
    await pass(LEASE_SECONDS * 2, a, b)
    expect(returned).toEqual(['b'])
  })

  test('that were silent for a lease report their holds again even if their record still exists', async () => {
    const { returned, nodes, pass } = stage('a')
    const [a] = nodes
    await a?.start()
    await pass(LEASE_SECONDS)
    await a?.beat()
    expect(returned).toEqual(['a'])
  })

  test('declare no node dead right after the database was away', async () => {
    const { records, sharedLimits, nodes, pass } = stage('a', 'b')
    const [a, b] = nodes
    for (const node of nodes) await node.start()
    await pass(LEASE_SECONDS * 2, a, b)
    records.isAway = true
    await pass(60, a, b)
    expect(a?.isHeard).toBe(false)
    expect(await a?.listLiving()).toEqual(['a', 'b'])
    records.isAway = false
    // One of them is late.
    await pass(10, a)
    expect(await a?.listLiving()).toEqual(['a', 'b'])
    await pass(LEASE_SECONDS, a, b)
    expect(sharedLimits.released).toEqual([])
    // And when it is really dead, it is found in the end.
    await pass(LEASE_SECONDS * 2, a)
    expect(sharedLimits.released).toEqual(['b'])
  })

  test('keep the record of a dead one while its holds cannot be released', async () => {
    const { records, sharedLimits, nodes, pass } = stage('a', 'b')
    const [a, b] = nodes
    for (const node of nodes) await node.start()
    await pass(LEASE_SECONDS, a, b)
    sharedLimits.isAway = true
    await pass(LEASE_SECONDS * 2, a)
    expect(records.heard.has('b')).toBe(true)
    sharedLimits.isAway = false
    await pass(2, a)
    expect([records.heard.has('b'), sharedLimits.released]).toEqual([false, ['b']])
  })

  test('use the last list while the database hangs, and query it at most once a second', async () => {
    const { records, nodes, pass } = stage('a', 'b')
    const [a, b] = nodes
    for (const node of nodes) await node.start()
    await pass(2, a, b)
    const { promise, resolve } = Promise.withResolvers<void>()
    records.gate = promise
    records.heard.delete('b')
    expect(await a?.listLiving()).toEqual(['a', 'b'])
    clock.advance(1_000)
    expect(await a?.listLiving()).toEqual(['a', 'b'])
    resolve()
    records.gate = null
    await promise
    expect(await a?.listLiving()).toEqual(['a'])
  })

  describe('that share limits through different Redis databases', () => {
    test('serve only on the side of the one that has run longest', async () => {
      const { shared, troubles, nodes, pass } = stage('a', 'b', 'c')
      const [a, b, c] = nodes
      for (const id of ['a', 'b', 'c']) shared[id] = 'gen_1'
      for (const node of nodes) await node.start()
      await pass(2, a, b, c)
      expect(nodes.map(({ conflict }) => conflict)).toEqual([null, null, null])
      shared.b = 'gen_2'
      await pass(LEASE_SECONDS, a, b, c)
      expect([a?.conflict, c?.conflict]).toEqual([null, null])
      expect(b?.conflict).toMatch(/another Redis database than that of node machine of a/)
      expect(troubles).toEqual(['this node does not serve'])
      shared.b = 'gen_1'
      await pass(3, a, b, c)
      expect(b?.conflict).toBeNull()
    })

    test('do not serve at all when they start beside nodes of another Redis', async () => {
      const { shared, nodes, pass } = stage('a', 'b')
      const [a, b] = nodes
      shared.a = 'gen_1'
      await a?.start()
      await pass(1, a)
      await b?.start()
      shared.b = 'gen_2'
      await pass(4, a, b)
      expect(b?.conflict).not.toBeNull()
    })

    test('do not take the late heartbeat of an older node for agreement', async () => {
      const { shared, nodes, pass } = stage('a', 'b')
      const [a, b] = nodes
      Object.assign(shared, { a: 'gen_1', b: 'gen_2' })
      await a?.start()
      await pass(7)
      await b?.start()
      await pass(2, b)
      expect(b?.conflict).toBeNull()
      expect(b?.obstacle).toMatch(/waiting for a sign of life/)
      await pass(1, a)
      await pass(2, b)
      expect(b?.conflict).not.toBeNull()
      expect(b?.obstacle).toBe(b?.conflict ?? null)
    })

    test('are not in conflict with one that died before they started', async () => {
      const { shared, nodes, pass } = stage('a', 'b')
      const [a, b] = nodes
      shared.a = 'gen_1'
      await a?.start()
      await pass(1, a)
      await b?.start()
      shared.b = 'gen_2'
      for (let second = 0; second < LEASE_SECONDS; second += 1) {
        await pass(1, b)
        expect(b?.conflict).toBeNull()
      }
      expect(b?.obstacle).toBeNull()
    })

    test('continue when the older side has died', async () => {
      const { shared, nodes, pass } = stage('a', 'b')
      const [a, b] = nodes
      Object.assign(shared, { a: 'gen_1', b: 'gen_2' })
      await a?.start()
      await b?.start()
      await pass(6, a, b)
      expect(b?.conflict).not.toBeNull()
      await pass(LEASE_SECONDS - 4, b)
      expect(b?.conflict).not.toBeNull()
      await pass(6, b)
      expect(b?.conflict).toBeNull()
    })

    test('are not in conflict while one of them notices an emptied Redis later or cannot reach it', async () => {
      const { shared, nodes, pass } = stage('a', 'b')
      const [a, b] = nodes
      Object.assign(shared, { a: 'gen_1', b: 'gen_1' })
      for (const node of nodes) await node.start()
      await pass(2, a, b)
      shared.b = 'gen_2'
      await pass(4, a, b)
      expect(b?.conflict).toBeNull()
      shared.a = null
      await pass(LEASE_SECONDS, a, b)
      expect(b?.conflict).toBeNull()
    })

    test('are not in conflict while Redis is emptied repeatedly and one notices later each time', async () => {
      const { shared, nodes, pass } = stage('a', 'b')
      const [a, b] = nodes
      Object.assign(shared, { a: 'gen_0', b: 'gen_0' })
      for (const node of nodes) await node.start()
      await pass(2, a, b)
      for (let generation = 1; generation < 20; generation += 1) {
        Object.assign(shared, { a: `gen_${generation - 1}`, b: `gen_${generation}` })
        await pass(2, a, b)
        expect(b?.conflict).toBeNull()
      }
    })
  })

  test('are listed with the time since their last heartbeat, this node first', async () => {
    const { nodes, pass } = stage('a', 'b')
    const [a, b] = nodes
    await b?.start()
    await a?.start()
    await pass(6, a)
    const list = (await a?.list()) ?? []
    expect(list.map(({ id }) => id)).toEqual(['a', 'b'])
    expect(list[1]?.silentMs).toBe(6_000)
  })
})
