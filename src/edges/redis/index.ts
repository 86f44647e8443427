import type { Clock } from '../../vocabulary/clock.ts'
import { DeskConnection } from './connection.ts'
import { DeskKeys } from './desk-keys.ts'
import { openClient, openListener } from './open-client.ts'
import { DeskPresence } from './presence.ts'
import { parseRedisAddress, type RedisAddress } from './redis-address.ts'
import { RedisDesk } from './redis-desk.ts'

export { DeskAway, DeskRefused, DeskSilent } from './desk-errors.ts'

export interface RedisDeskOptions {
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
export function openRedisDesk(options: RedisDeskOptions): RedisDesk {
  const { url, nodeId, prefix = 'tp:' } = options
  const address = parseRedisAddress(url)
  const channel = nameChannel(prefix, address)
  const client = openClient(address, `turnpike-${nodeId}`)
  const listener = openListener(address, `turnpike-${nodeId}-listens`)
  const presence = new DeskPresence({ client, listener, channel, nodeId, onTrouble: options.onTrouble })
  const connection = new DeskConnection(client, {
    deadlineMs: options.deadlineMs,
    onGivenUp: () => presence.listenAnew(),
  })
  const keys = new DeskKeys(prefix, nodeId)
  return new RedisDesk({ connection, presence, keys, nodeId, channel, clock: options.clock ?? null })
}

/** Channels, unlike keys, are the same in all databases of a server. */
function nameChannel(prefix: string, address: RedisAddress): string {
  return `${prefix}${address.form === 'cluster' ? 0 : address.database}:notices`
}
