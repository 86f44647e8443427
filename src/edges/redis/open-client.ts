import { Cluster, type ClusterOptions, Redis, type RedisOptions } from 'ioredis'
import type { HostPort, RedisAddress } from './redis-address.ts'

export type RedisClient = Redis | Cluster

// The client's types reject an unspecified reply mapping; the default one is wanted.
type Options = Omit<RedisOptions, 'replyMapping'>

const CONNECT_TIMEOUT_MS = 1_000
const KEEP_ALIVE_MS = 5_000
const SLOWEST_RETRY_MS = 500
const SLOTS_REFRESH_MS = 2_000
// Enough for a slot that moves twice while a command is under way.
const MAX_REDIRECTIONS = 4

/** The one connection for calls, so that they run in order; one per server of a Cluster. */
export function openClient(address: RedisAddress, name: string): RedisClient {
  const options = plainOptions(address, name)
  switch (address.form) {
    case 'single':
      return new Redis({ ...options, ...address.server, db: address.database })
    case 'sentinel':
      return new Redis({ ...options, ...sentinelOptions(address) })
    case 'cluster':
      return new Cluster([...address.servers], clusterOptions(options))
  }
}

/** The connection for notices. In a Cluster any server will do, since all of them forward what is published. */
export function openListener(address: RedisAddress, name: string): Redis {
  const options: Options = { ...plainOptions(address, name), autoResubscribe: false }
  switch (address.form) {
    case 'single':
      return new Redis({ ...options, ...address.server })
    case 'sentinel':
      return new Redis({ ...options, ...sentinelOptions(address) })
    case 'cluster':
      return listenInTurn(address.servers, options)
  }
}

/** Each attempt uses the next server, since the lost one may stay down. */
function listenInTurn(servers: readonly HostPort[], options: Options): Redis {
  let turn = 0
  const listener = new Redis({ ...options, ...servers[0] })
  listener.on('reconnecting', () => {
    turn += 1
    Object.assign(listener.options, servers[turn % servers.length])
  })
  return listener
}

/** The client never retries a command: only the caller knows whether it is safe to repeat. */
function plainOptions(address: RedisAddress, name: string): Options {
  return {
    connectionName: name,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    connectTimeout: CONNECT_TIMEOUT_MS,
    keepAlive: KEEP_ALIVE_MS,
    retryStrategy: (attempt) => Math.min(20 * attempt, SLOWEST_RETRY_MS),
    // A demoted master keeps its connections; only a new connection reaches the current master.
    reconnectOnError: (error) => (/^(READONLY|MASTERDOWN)/.test(error.message) ? 1 : false),
    protocol: 2,
    ...(address.username === null ? {} : { username: address.username }),
    ...(address.password === null ? {} : { password: address.password }),
    ...(address.hasTls ? { tls: {} } : {}),
  }
}

function sentinelOptions(address: RedisAddress & { form: 'sentinel' }): Options {
  return {
    sentinels: [...address.sentinels],
    name: address.masterName,
    db: address.database,
    sentinelRetryStrategy: (attempt) => Math.min(20 * attempt, SLOWEST_RETRY_MS),
    sentinelCommandTimeout: CONNECT_TIMEOUT_MS,
    failoverDetector: true,
    ...(address.sentinelPassword === null ? {} : { sentinelPassword: address.sentinelPassword }),
    ...(address.hasTls ? { enableTLSForSentinelMode: true, sentinelTLS: {} } : {}),
  }
}

function clusterOptions(options: Options) {
  const { retryStrategy: _, enableOfflineQueue: __, ...redisOptions } = options
  return {
    redisOptions,
    enableOfflineQueue: false,
    maxRedirections: MAX_REDIRECTIONS,
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    slotsRefreshInterval: SLOTS_REFRESH_MS,
    slotsRefreshTimeout: CONNECT_TIMEOUT_MS,
    clusterRetryStrategy: (attempt: number) => Math.min(20 * attempt, SLOWEST_RETRY_MS),
  } satisfies ClusterOptions
}
