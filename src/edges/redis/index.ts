import type { Clock } from '../../vocabulary/clock.ts'
import { LimitsConnection } from './connection.ts'
import { LimitsKeys } from './limits-keys.ts'
import { openClient, openListener } from './open-client.ts'
import { LimitsPresence } from './presence.ts'
import { parseRedisAddress, type RedisAddress } from './redis-address.ts'
import { RedisLimits } from './redis-limits.ts'

export { LimitsAway, LimitsRefused, LimitsSilent } from './limits-errors.ts'

export interface RedisLimitsOptions {
  readonly url: string
  /** Identifies this run of the process. */
  readonly nodeId: string
  /** How long Redis may take to answer. */
  readonly deadlineMs: number
  /** Receives messages for operators. They contain no secrets. */
  readonly onTrouble: (message: string) => void
  /** Prefix of every key, so that several gateways can share one Redis. */
  readonly prefix?: string
  /** Replaces the time of Redis in tests. */
  readonly clock?: Clock
}

/** Connects in the background and keeps trying: a gateway must be able to start while Redis is down. */
export function openRedisLimits(options: RedisLimitsOptions): RedisLimits {
  const { url, nodeId, prefix = 'tp:' } = options
  const address = parseRedisAddress(url)
  const channel = nameChannel(prefix, address)
  const client = openClient(address, `turnpike-${nodeId}`)
  const listener = openListener(address, `turnpike-${nodeId}-listens`)
  const presence = new LimitsPresence({ client, listener, channel, nodeId, onTrouble: options.onTrouble })
  const connection = new LimitsConnection(client, {
    deadlineMs: options.deadlineMs,
    onGivenUp: () => presence.resubscribe(),
  })
  const keys = new LimitsKeys(prefix, nodeId)
  return new RedisLimits({ connection, presence, keys, nodeId, channel, clock: options.clock ?? null })
}

/** Channels, unlike keys, are shared by all databases of a server. */
function nameChannel(prefix: string, address: RedisAddress): string {
  return `${prefix}${address.form === 'cluster' ? 0 : address.database}:notices`
}
