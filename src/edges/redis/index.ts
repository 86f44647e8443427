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
  /** Of this run of the process. */
  readonly nodeId: string
  /** For how long Redis may be silent when it is asked. */
  readonly deadlineMs: number
  /** Told of what an operator should look into; without any secret. */
  readonly onTrouble: (message: string) => void
  /** Stands before every key, so that several gateways can share one Redis. */
  readonly prefix?: string
  /** Instead of the time of Redis, for tests. */
  readonly clock?: Clock
}

/** Connects in the background and goes on trying: a gateway must start while Redis is away. */
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

/** Channels, unlike keys, are the same in all databases of a server. */
function nameChannel(prefix: string, address: RedisAddress): string {
  return `${prefix}${address.form === 'cluster' ? 0 : address.database}:notices`
}
