import { Cluster, type Redis } from 'ioredis'
import type { SharedNotice } from '../../serve/ports/shared-limits.ts'
import type { RedisClient } from './open-client.ts'

// A server that takes a connection and then says nothing is given this long.
const HANDSHAKE_MS = 2_000
const BEGIN_ANEW_MS = 200

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

/** How Redis knows a connection. */
interface Session {
  readonly id: string
  readonly address: string
}

/** Whether both connections stand, and what other nodes say. */
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
    parts.listener.on('message', (_channel: string, message: string) => this.#hear(message))
  }

  /** What a node says to the others, with its name on it, because Redis tells it to the sender as well. */
  encode(notice: SharedNotice): string {
    return JSON.stringify({ from: this.#parts.nodeId, notice } satisfies Message)
  }

  onNotice(listener: (notice: SharedNotice) => void): () => void {
    this.#noticeListeners.add(listener)
    return () => this.#noticeListeners.delete(listener)
  }

  onConnected(listener: () => void): () => void {
    this.#connectedListeners.add(listener)
    if (this.#doBothStand) queueMicrotask(() => this.#connectedListeners.has(listener) && listener())
    return () => this.#connectedListeners.delete(listener)
  }

  /** What is silent for the one is silent for the other, which alone would never notice. */
  resubscribe(): void {
    this.#tell('Redis is silent; the connections are made anew.')
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
        this.#tellWhenBothStand()
      },
      down: () => {
        this.#isClientUp = false
      },
    })
  }

  #followCluster(client: Cluster): void {
    let isServerLost = false
    client.on('error', (error: Error) => this.#tell(error.message))
    client.on('node error', (error: Error) => this.#tell(error.message))
    client.on('ready', () => {
      // The client connects to a server when it first needs it, and fails whatever comes before that has worked.
      void Promise.all(client.nodes('master').map(connectNow)).then(() => {
        this.#isClientUp = client.status === 'ready'
        this.#tellWhenBothStand()
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
      // What one server held may be gone, although the others stood all the time.
      server.on('ready', () => {
        if (isServerLost) this.#tellWhenBothStand()
        isServerLost = false
      })
    })
  }

  #follow(redis: Redis, { up, down }: { up: () => void; down: () => void }): void {
    limitHandshake(redis)
    redis.on('error', (error: Error) => this.#tell(error.message))
    redis.on('ready', up)
    redis.on('close', down)
    redis.on('end', () => this.#beginAnew(redis))
  }

  /**
   * The library gives up for good when a Sentinel names another master while it is connecting to the one before. Nobody
   * here has asked it to.
   */
  #beginAnew(redis: Redis): void {
    if (this.#isClosed) return
    setTimeout(() => {
      if (!this.#isClosed && redis.status === 'end') redis.connect().catch(ignore)
    }, BEGIN_ANEW_MS).unref()
  }

  #subscribe(): void {
    const { listener, channel } = this.#parts
    listener.subscribe(channel).then(
      () => {
        this.#isListenerUp = true
        this.#tellWhenBothStand()
      },
      (error: Error) => {
        this.#tell(error.message)
        listener.disconnect(true)
      },
    )
  }

  /**
   * What was sent over a connection that was given up may still lie unread at the server. It must not be done after
   * what is sent over the new one, so the server is told to throw it away.
   */
  #endPreviousSession(client: Redis): void {
    const previous = this.#session
    this.#session = null
    if (previous !== null) {
      // Both must fit: after a restart of the server the same number is somebody else.
      client.call('client', ['kill', 'id', previous.id, 'addr', previous.address]).catch(ignore)
    }
    client.call('client', ['info']).then((text) => {
      this.#session = readSession(String(text))
    }, ignore)
  }

  /** The client says that a connection is lost a moment after it knows. */
  get #doBothStand(): boolean {
    const { client, listener } = this.#parts
    const areReady = client.status === 'ready' && listener.status === 'ready'
    return areReady && this.#isClientUp && this.#isListenerUp
  }

  #tellWhenBothStand(): void {
    if (!this.#doBothStand) return
    this.#lastTrouble = null
    this.#checkEviction()
    for (const listener of [...this.#connectedListeners]) listener()
  }

  /** Once, when Redis is first reached: a server that evicts keys forgets limits without a word. */
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

  #hear(text: string): void {
    const message = readMessage(text)
    if (message === null) {
      this.#tell('Something that no gateway says was published among the notices, and is ignored.')
      return
    }
    if (message.from === this.#parts.nodeId) return
    for (const listener of [...this.#noticeListeners]) listener(message.notice)
  }

  /** Every attempt to connect fails alike, and is told once. */
  #tell(message: string): void {
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

/** Resolves when the server is connected or could not be; in that case the next call tries again. */
function connectNow(server: Redis): Promise<void> {
  if (server.status === 'wait') return server.connect().catch(ignore)
  if (server.status === 'ready' || server.status === 'end') return Promise.resolve()
  return new Promise((resolve) => {
    server.once('ready', () => resolve())
    server.once('end', () => resolve())
  })
}

/** Anybody who may publish can say anything there, and what the client calls must not throw: that ends the process. */
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

/** A server that does not allow this leaves things as they were. */
function ignore(): void {}
