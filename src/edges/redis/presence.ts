import { Cluster, type Redis } from 'ioredis'
import type { SharedNotice } from '../../serve/ports/shared-limits.ts'
import type { RedisClient } from './open-client.ts'

// How long a server may take between accepting a connection and being ready.
const HANDSHAKE_MS = 2_000
const RECONNECT_MS = 200

export interface PresenceParts {
  readonly client: RedisClient
  readonly listener: Redis
  readonly channel: string
  readonly nodeId: string
  readonly onTrouble: (message: string) => void
}

interface Message {
  readonly from: string
  readonly notice: SharedNotice
}

/** How Redis identifies a connection. */
interface Session {
  readonly id: string
  readonly address: string
}

/** Tracks whether both connections are up, and receives the notices of other nodes. */
export class LimitsPresence {
  readonly #parts: PresenceParts
  readonly #connectedListeners = new Set<() => void>()
  readonly #noticeListeners = new Set<(notice: SharedNotice) => void>()
  #isClientUp = false
  #isListenerUp = false
  #session: Session | null = null
  #lastTrouble: string | null = null
  #hasCheckedEviction = false
  #isClosed = false

  constructor(parts: PresenceParts) {
    this.#parts = parts
    this.#follow(parts.listener, {
      up: () => this.#subscribe(),
      down: () => {
        this.#isListenerUp = false
      },
    })
    if (parts.client instanceof Cluster) this.#followCluster(parts.client)
    else this.#followSingle(parts.client)
    parts.listener.on('message', (_channel: string, message: string) => this.#receive(message))
  }

  /** Includes the sender, because Redis delivers a message to its sender too. */
  encode(notice: SharedNotice): string {
    return JSON.stringify({ from: this.#parts.nodeId, notice } satisfies Message)
  }

  onNotice(listener: (notice: SharedNotice) => void): () => void {
    this.#noticeListeners.add(listener)
    return () => this.#noticeListeners.delete(listener)
  }

  onConnected(listener: () => void): () => void {
    this.#connectedListeners.add(listener)
    if (this.#areBothUp) queueMicrotask(() => this.#connectedListeners.has(listener) && listener())
    return () => this.#connectedListeners.delete(listener)
  }

  /** Reconnects the listener with the client: on its own it would never notice that Redis is silent. */
  resubscribe(): void {
    this.#report('Redis does not answer. Reconnecting.')
    this.#parts.listener.disconnect(true)
  }

  close(): void {
    this.#isClosed = true
    this.#connectedListeners.clear()
    this.#noticeListeners.clear()
    this.#parts.client.disconnect()
    this.#parts.listener.disconnect()
  }

  #followSingle(client: Redis): void {
    this.#follow(client, {
      up: () => {
        this.#endPreviousSession(client)
        this.#isClientUp = true
        this.#announceWhenConnected()
      },
      down: () => {
        this.#isClientUp = false
      },
    })
  }

  #followCluster(client: Cluster): void {
    let isServerLost = false
    client.on('error', (error: Error) => this.#report(error.message))
    client.on('node error', (error: Error) => this.#report(error.message))
    client.on('ready', () => {
      // The client connects to a server on first use, and calls made before it is connected fail.
      void Promise.all(client.nodes('master').map(connectNow)).then(() => {
        this.#isClientUp = client.status === 'ready'
        this.#announceWhenConnected()
      })
    })
    client.on('close', () => {
      this.#isClientUp = false
    })
    client.on('-node', () => {
      isServerLost = true
    })
    client.on('+node', (server: Redis) => {
      limitHandshake(server)
      void connectNow(server)
      // The state of one server may be lost although the others stayed up.
      server.on('ready', () => {
        if (isServerLost) this.#announceWhenConnected()
        isServerLost = false
      })
    })
  }

  #follow(redis: Redis, { up, down }: { up: () => void; down: () => void }): void {
    limitHandshake(redis)
    redis.on('error', (error: Error) => this.#report(error.message))
    redis.on('ready', up)
    redis.on('close', down)
    redis.on('end', () => this.#reconnect(redis))
  }

  /**
   * The library gives up for good when a Sentinel names another master while it is connecting to the previous one. That is
   * never wanted here.
   */
  #reconnect(redis: Redis): void {
    if (this.#isClosed) return
    setTimeout(() => {
      if (!this.#isClosed && redis.status === 'end') redis.connect().catch(ignore)
    }, RECONNECT_MS).unref()
  }

  #subscribe(): void {
    const { listener, channel } = this.#parts
    listener.subscribe(channel).then(
      () => {
        this.#isListenerUp = true
        this.#announceWhenConnected()
      },
      (error: Error) => {
        this.#report(error.message)
        listener.disconnect(true)
      },
    )
  }

  /**
   * Calls sent over an abandoned connection may still be unread at the server. They must not run after calls on the new
   * connection, so the old one is killed.
   */
  #endPreviousSession(client: Redis): void {
    const previous = this.#session
    this.#session = null
    if (previous !== null) {
      // Both must match: after a server restart the same id may belong to another client.
      client.call('client', ['kill', 'id', previous.id, 'addr', previous.address]).catch(ignore)
    }
    client.call('client', ['info']).then((text) => {
      this.#session = readSession(String(text))
    }, ignore)
  }

  /** Also checks the status, because the client emits `close` a moment after it changes. */
  get #areBothUp(): boolean {
    const { client, listener } = this.#parts
    const areReady = client.status === 'ready' && listener.status === 'ready'
    return areReady && this.#isClientUp && this.#isListenerUp
  }

  #announceWhenConnected(): void {
    if (!this.#areBothUp) return
    this.#lastTrouble = null
    this.#checkEviction()
    for (const listener of [...this.#connectedListeners]) listener()
  }

  /** Runs once, on the first connect: a server that evicts keys silently loses limits. */
  #checkEviction(): void {
    if (this.#hasCheckedEviction) return
    this.#hasCheckedEviction = true
    const { client, onTrouble } = this.#parts
    const servers = client instanceof Cluster ? client.nodes('master') : [client]
    for (const server of servers) {
      server.info('memory').then((text) => {
        const policy = /^maxmemory_policy:(\S+)/m.exec(text)?.[1] ?? 'noeviction'
        if (policy !== 'noeviction') onTrouble(evictionWarning(policy))
      }, ignore)
    }
  }

  #receive(text: string): void {
    const message = readMessage(text)
    if (message === null) {
      this.#report('Ignored a message on the notices channel that no gateway sends.')
      return
    }
    if (message.from === this.#parts.nodeId) return
    for (const listener of [...this.#noticeListeners]) listener(message.notice)
  }

  /** Reports a repeated failure only once. */
  #report(message: string): void {
    if (message === this.#lastTrouble) return
    this.#lastTrouble = message
    this.#parts.onTrouble(message)
  }
}

function evictionWarning(policy: string): string {
  return (
    `maxmemory-policy is ${policy}: when its memory is full, Redis evicts keys, and with them rate limits and ` +
    'holds. Set it to noeviction.'
  )
}

function limitHandshake(redis: Redis): void {
  redis.on('connect', () => {
    const timer = setTimeout(() => {
      if (redis.status === 'connect') redis.disconnect(true)
    }, HANDSHAKE_MS)
    timer.unref()
    redis.once('ready', () => clearTimeout(timer))
    redis.once('close', () => clearTimeout(timer))
  })
}

/** Resolves when the server is connected or the attempt has failed; the next call then tries again. */
function connectNow(server: Redis): Promise<void> {
  if (server.status === 'wait') return server.connect().catch(ignore)
  if (server.status === 'ready' || server.status === 'end') return Promise.resolve()
  return new Promise((resolve) => {
    server.once('ready', () => resolve())
    server.once('end', () => resolve())
  })
}

/** Any client can publish on the channel, and an exception in a client callback would end the process. */
function readMessage(text: string): Message | null {
  try {
    const message = JSON.parse(text) as Partial<Message> | null
    const { from, notice } = message ?? {}
    return typeof from === 'string' && typeof notice?.type === 'string' ? { from, notice } : null
  } catch {
    return null
  }
}

function readSession(text: string): Session | null {
  const [, id, address] = /^id=(\d+) addr=(\S+) /.exec(text) ?? []
  return id === undefined || address === undefined ? null : { id, address }
}

/** For commands that are optional, since a server may deny them. */
function ignore(): void {}
