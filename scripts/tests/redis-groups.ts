import { administer, type OwnRedis, startOwnRedis, type TestRedis, waitFor } from './redis.ts'

const SLOTS = 16_384
const MASTER_NAME = 'turnpike'
// A busy machine must not look like a dead master before the test has ended it.
const DOWN_AFTER_MS = { atFirst: 60_000, onceItIsDead: 500 } as const

export interface TestCluster extends TestRedis {
  readonly servers: readonly OwnRedis[]
}

export interface TestSentinel extends TestRedis {
  readonly master: OwnRedis
  readonly replica: OwnRedis
  /** Resolves when Sentinel has made the replica the master, which it does no sooner than this is called. */
  waitForFailover(): Promise<void>
}

/** Three masters without replicas; null when Redis is not on the machine. */
export async function startRedisCluster(): Promise<TestCluster | null> {
  const settings = ['cluster-enabled yes', 'cluster-node-timeout 2000', 'cluster-require-full-coverage no']
  const servers = await startAll([settings, settings, settings])
  if (servers === null) return null
  await Promise.all(
    servers.map(async ({ port }, place) => {
      const from = Math.floor((place * SLOTS) / servers.length)
      const to = Math.floor(((place + 1) * SLOTS) / servers.length)
      const slots = Array.from({ length: to - from }, (_, index) => String(from + index))
      await administer(port, ['cluster', 'set-config-epoch', String(place + 1)])
      await administer(port, ['cluster', 'addslots', ...slots])
    }),
  )
  // Only now: a server that already knows another one refuses to be given an epoch.
  const [first, ...others] = servers
  for (const { port } of others) {
    if (first !== undefined) await administer(port, ['cluster', 'meet', '127.0.0.1', String(first.port)])
  }
  for (const { port } of servers) {
    await waitFor('the Cluster', async () => {
      const state = String(await administer(port, ['cluster', 'info']))
      return state.includes('cluster_state:ok') && state.includes(`cluster_slots_ok:${SLOTS}`)
    })
  }
  return {
    servers,
    url: `redis+cluster://${servers.map(({ port }) => `127.0.0.1:${port}`).join(',')}`,
    stop: () => stopAll(servers),
  }
}

/** A master, its replica and one sentinel; null when Redis is not on the machine. */
export async function startRedisSentinel(): Promise<TestSentinel | null> {
  const master = await startOwnRedis()
  if (master === null) return null
  const replica = await startOwnRedis([`replicaof 127.0.0.1 ${master.port}`])
  const sentinel = await startOwnRedis([
    `sentinel monitor ${MASTER_NAME} 127.0.0.1 ${master.port} 1`,
    `sentinel down-after-milliseconds ${MASTER_NAME} ${DOWN_AFTER_MS.atFirst}`,
    `sentinel failover-timeout ${MASTER_NAME} 2000`,
  ])
  if (replica === null || sentinel === null) {
    await stopAll([master, replica, sentinel].filter((server) => server !== null))
    return null
  }
  await waitFor('the replica', async () => {
    const state = String(await administer(replica.port, ['info', 'replication']))
    return state.includes('master_link_status:up')
  })
  // Sentinel learns of replicas by asking the master every ten seconds, or on request.
  await waitFor('the sentinel', async () => {
    const replicas = await administer(sentinel.port, ['sentinel', 'replicas', MASTER_NAME])
    return JSON.stringify(replicas).includes(String(replica.port))
  })
  return {
    master,
    replica,
    url: `redis+sentinel://127.0.0.1:${sentinel.port}/${MASTER_NAME}`,
    waitForFailover: async () => {
      const patience = String(DOWN_AFTER_MS.onceItIsDead)
      await administer(sentinel.port, ['sentinel', 'set', MASTER_NAME, 'down-after-milliseconds', patience])
      await waitFor('the failover', async () => {
        const address = await administer(sentinel.port, ['sentinel', 'get-master-addr-by-name', MASTER_NAME])
        return JSON.stringify(address).includes(String(replica.port))
      })
    },
    stop: () => stopAll([sentinel, replica, master]),
  }
}

async function startAll(settings: readonly (readonly string[])[]): Promise<OwnRedis[] | null> {
  const servers = await Promise.all(settings.map((lines) => startOwnRedis(lines)))
  const started = servers.filter((server) => server !== null)
  if (started.length === servers.length) return started
  await stopAll(started)
  return null
}

async function stopAll(servers: readonly OwnRedis[]): Promise<void> {
  await Promise.all(servers.map((server) => server.stop()))
}
