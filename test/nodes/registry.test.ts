import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { NodeStorage } from '../../src/edges/storage/index.ts'
import { openAt, type Site, testedEngines } from '../../src/edges/storage/testing/engines.ts'
import { NodeRegistry } from '../../src/manage/nodes/node-registry.ts'
import type { NodeStore } from '../../src/serve/ports/shared-storage.ts'
import { createCollectedLog } from '../support/collected-log.ts'
import { createMovableClock } from '../support/movable-clock.ts'

const LEASE_AND_MORE_MS = 20_000

for (const engine of testedEngines()) {
  describe(`three nodes on ${engine.name}`, () => {
    let site: Site
    let storages: NodeStorage[]

    beforeEach(async () => {
      site = await engine.makeSite()
      storages = [await openAt(site), await openAt(site), await openAt(site)]
    })
    afterEach(async () => {
      for (const storage of storages) await storage.close()
      await site.remove()
    })

    test('release a dead node once, even when several find it at the same time', async () => {
      const clock = createMovableClock()
      const log = createCollectedLog()
      const released: string[] = []
      let silentMs = 0
      const nodes = storages.map((storage, index) => {
        // The database's clock cannot be moved, so what it says about the third node is made older here.
        const aged: NodeStore = {
          ...storage,
          listNodes: async () =>
            (await storage.listNodes()).map((node) =>
              node.id === 'node-2' ? { ...node, silentMs: node.silentMs + silentMs } : node,
            ),
        }
        return new NodeRegistry({
          node: { id: `node-${index}`, name: `machine ${index}`, version: '1', startedAtMs: clock.nowMs() },
          storage: { ...aged, unlessRunning: storage.unlessRunning },
          sharedLimits: { releaseNode: async (id) => released.push(id) },
          clock,
          log,
        })
      })
      for (const node of nodes) await node.start(null)
      clock.advance(1_000)
      expect((await nodes[0]?.listLiving())?.toSorted()).toEqual(['node-0', 'node-1', 'node-2'])
      const [one, other] = nodes
      for (let beat = 0; beat < 10; beat += 1) {
        clock.advance(2_000)
        await Promise.all([one?.beat(), other?.beat()])
      }
      expect(released).toEqual([])
      silentMs = LEASE_AND_MORE_MS
      for (let beat = 0; beat < 3; beat += 1) {
        clock.advance(2_000)
        await Promise.all([one?.beat(), other?.beat()])
      }
      // SQLite knows of no other process, so there both may do it; to release twice is harmless.
      if (engine.name === 'SQLite') expect(new Set(released)).toEqual(new Set(['node-2']))
      else expect(released).toEqual(['node-2'])
      expect((await one?.listLiving())?.toSorted()).toEqual(['node-0', 'node-1'])
      expect(log.troubles).toEqual([])
      await other?.stop()
      expect((await storages[0]?.listNodes())?.map(({ id }) => id)).toEqual(['node-0'])
    })
  })
}
