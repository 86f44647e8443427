import { describe, expect, test } from 'bun:test'
import { Redis } from 'ioredis'
import { startRedisCluster, startRedisSentinel } from '../../scripts/tests/redis-groups.ts'
import { eventually } from '../support/eventually.ts'
import {
  admitCall,
  GENERATION,
  loadAccount,
  openConnectedLimits,
  uniquePrefix,
} from './support/redis-limits.ts'

const isHere = Bun.which('redis-server') !== null || Bun.which('valkey-server') !== null
const ACCOUNTS = Array.from({ length: 20 }, (_, index) => `account-${index}`)

describe.skipIf(!isHere)('a Cluster', () => {
  test('behaves like one server, whichever of its servers an account is on', async () => {
    const cluster = await startRedisCluster()
    if (cluster === null) throw new Error('the Cluster did not start')
    const prefix = uniquePrefix()
    const [one, two] = await Promise.all([
      openConnectedLimits(cluster.url, { prefix, nodeId: 'node-1' }),
      openConnectedLimits(cluster.url, { prefix, nodeId: 'node-2' }),
    ])
    try {
      const windows = [{ id: 'w', metric: 'requests' as const, limit: 10, amount: 1 }]
      const hold = { amountNano: 10n, creditLineNano: 0n, usageLimit: null }
      expect(await one.admit(admitCall())).toEqual({ type: 'unknown', missing: 'generation' })
      for (const accountId of ACCOUNTS) await loadAccount(one, accountId, 95n)
      expect(await two.admit(admitCall({ accountId: 'nobody' }))).toEqual({
        type: 'unknown',
        missing: 'account',
      })
      for (const accountId of ACCOUNTS) {
        const answers = await Promise.all(
          Array.from({ length: 20 }, (_, index) =>
            (index % 2 === 0 ? one : two).admit(admitCall({ accountId, windows, hold })),
          ),
        )
        // The balance pays for nine.
        expect(answers.filter(({ type }) => type === 'admitted')).toHaveLength(9)
      }
      expect(await one.takeCapacity(null, [windows, []])).toEqual({ type: 'taken', option: 0 })
      await one.savePin({
        accountId: 'account-1',
        conversation: 't',
        supplierId: 's',
        credentialId: 'c',
        keptMs: 60_000,
      })
      await one.saveNote({ accountId: 'account-1', name: 'n', text: 'x', keptMs: 60_000 })
      await one.saveNote({ accountId: 'account-1', name: 'm', text: 'y', keptMs: 60_000 })
      expect(await two.findNotes('account-1', ['n', 'm'])).toEqual(['x', 'y'])
      const heard: string[] = []
      two.onNotice((notice) => heard.push(notice.type))
      await one.publish({ type: 'configuration', version: 2 }, 60_000)
      await one.publish({ type: 'generation', generation: GENERATION })
      await eventually('both are heard', () => heard.length === 2)
      expect(await two.listKept()).toEqual([{ type: 'configuration', version: 2 }])
      // Every account has holds of both nodes, on all servers.
      const released = (await two.releaseNode('node-1')) + (await one.releaseNode('node-2'))
      expect(released).toBe(9 * ACCOUNTS.length)
    } finally {
      await Promise.all([one.close(), two.close()])
      await cluster.stop()
    }
  })

  test('undoes an admission with an old configuration completely', async () => {
    const cluster = await startRedisCluster()
    if (cluster === null) throw new Error('the Cluster did not start')
    const sharedLimits = await openConnectedLimits(cluster.url)
    try {
      for (const accountId of ACCOUNTS) await loadAccount(sharedLimits, accountId, 10n)
      await sharedLimits.announceConfiguration(7)
      const windows = [{ id: 'w', metric: 'requests' as const, limit: 1, amount: 1 }]
      const hold = { amountNano: 10n, creditLineNano: 0n, usageLimit: null }
      for (const accountId of ACCOUNTS) {
        const stale = admitCall({ accountId, windows, hold, configurationVersion: 6 })
        expect(await sharedLimits.admit(stale)).toEqual({ type: 'behind', version: 7 })
        expect(await sharedLimits.look(accountId, windows)).toEqual([{ spent: 0, closesInMs: 0 }])
        // There is room and money for one, so nothing was left behind.
        const fresh = await sharedLimits.admit(
          admitCall({ accountId, windows, hold, configurationVersion: 7 }),
        )
        expect(fresh).toMatchObject({ type: 'admitted', windows: [{ spent: 1 }] })
      }
      // An admission that is taken back gives back its own only.
      const full = { accountId: 'account-1', windows: [{ ...windows[0], limit: 5 } as const] }
      const wide = full.windows as unknown as typeof windows
      await sharedLimits.admit(admitCall({ accountId: 'account-1', windows: wide, configurationVersion: 6 }))
      expect(await sharedLimits.look('account-1', windows)).toMatchObject([{ spent: 1 }])
    } finally {
      await sharedLimits.close()
      await cluster.stop()
    }
  })

  test('keeps serving the accounts of other servers when one is lost', async () => {
    const cluster = await startRedisCluster()
    if (cluster === null) throw new Error('the Cluster did not start')
    const sharedLimits = await openConnectedLimits(cluster.url, { deadlineMs: 200 })
    try {
      const answers = async () => {
        const looks = ACCOUNTS.map((accountId) =>
          sharedLimits.look(accountId, [{ id: 'w', metric: 'requests', limit: 1, amount: 1 }]),
        )
        return (await Promise.allSettled(looks)).map(({ status }) => status === 'fulfilled')
      }
      expect(await answers()).not.toContain(false)
      cluster.servers[0]?.pause()
      const during = await answers()
      expect(during).toContain(true)
      expect(during).toContain(false)
      cluster.servers[0]?.resume()
      await eventually('all answer', async () => !(await answers()).includes(false))

      let connections = 0
      sharedLimits.onConnected(() => {
        connections += 1
      })
      await cluster.servers[0]?.halt()
      await eventually('it is missed', async () => (await answers()).includes(false))
      const before = connections
      await cluster.servers[0]?.restart()
      await eventually('all answer again', async () => !(await answers()).includes(false))
      // Its contents are gone, so nodes that hold something must be notified.
      expect(connections).toBeGreaterThan(before)
    } finally {
      await sharedLimits.close()
      await cluster.stop()
    }
  })
})

/** Resolves when a replica has everything. */
async function copied(masterUrl: string): Promise<void> {
  const client = new Redis(masterUrl)
  await eventually('a copy', async () => (await client.wait(1, 1_000)) === 1, 20_000)
  client.disconnect()
}

describe.skipIf(!isHere)('Sentinel', () => {
  test('leads to the new master when the old one dies', async () => {
    const sentinel = await startRedisSentinel()
    if (sentinel === null) throw new Error('Sentinel did not start')
    const sharedLimits = await openConnectedLimits(sentinel.url)
    try {
      await loadAccount(sharedLimits, 'account-1')
      expect(await sharedLimits.admit(admitCall())).toMatchObject({ type: 'admitted' })
      let connections = 0
      sharedLimits.onConnected(() => {
        connections += 1
      })
      await eventually('the first connection is reported', () => connections === 1)
      // A failover may lose what was not copied yet, which is another story.
      await copied(sentinel.master.url)
      await sentinel.master.halt()
      await sentinel.waitForFailover()
      await eventually('the next connection is reported', () => connections > 1, 30_000)
      const answer = await eventually('it is admitted again', async () => {
        const again = await sharedLimits.admit(admitCall()).catch(() => null)
        return again?.type === 'admitted' ? again : null
      })
      expect(answer.type).toBe('admitted')
    } finally {
      await sharedLimits.close()
      await sentinel.stop()
    }
  })
})
