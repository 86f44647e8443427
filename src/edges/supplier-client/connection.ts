import { closeSync, openSync } from 'node:fs'
import { devNull } from 'node:os'
import type { Socket } from 'bun'
import type { Clock } from '../../vocabulary/clock.ts'
import type { MessageText, MessageWriter, Unsent } from '../../wire/message-writer.ts'

export interface ConnectionParts {
  readonly clock: Clock
  readonly writer: MessageWriter
}

/** The call that uses a connection. */
export interface ConnectionUser {
  receive(bytes: Buffer): void
  /** The connection is closed; null when the supplier closed it normally. */
  lose(error: Error | null): void
}

// Shorter than any server keeps an idle connection.
const STALE_MS = 1_000

/** The origin as a connection sees it. */
interface ConnectionOrigin {
  readonly hostname: string
  readonly port: number
  readonly isSecure: boolean
  /** Reuses none of its connections for a while. */
  distrust(nowMs: number): void
}

/** The pool that a connection returns to after each call. */
interface ConnectionOwner {
  readonly origin: ConnectionOrigin
  openCount: number
  /** False when the connection cannot be kept. */
  keep(connection: Connection): boolean
  forget(connection: Connection): void
}

/** One connection to a supplier with one credential, used by one call after another. */
export class Connection {
  readonly #pool: ConnectionOwner
  readonly #clock: Clock
  readonly #writer: MessageWriter
  #opening: { resolve(): void; reject(error: Error): void } | null = null
  #socket: Socket<Connection> | null = null
  #user: ConnectionUser | null = null
  #loss: Error | null = null
  #isPaused = false
  #isClosed = false
  /** The part of the request that has not been sent yet. Until it is sent, received bytes cannot answer the request. */
  unsent: Unsent = null
  /** Whether it waits in its pool, and the turn its rest ends. */
  isIdle = false
  restsUntilTurn = 0
  idleSinceMs = 0

  constructor(pool: ConnectionOwner, { clock, writer }: ConnectionParts) {
    this.#pool = pool
    pool.openCount += 1
    this.#clock = clock
    this.#writer = writer
  }

  /** Resolves when requests can be sent. Rejects when connecting fails or times out. */
  async open(patienceMs: number): Promise<void> {
    const { hostname, port, isSecure } = this.#pool.origin
    const tls = isSecure ? { tls: { rejectUnauthorized: true } } : {}
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const timer = setTimeout(() => reject(new Error('Connecting to the supplier timed out.')), patienceMs)
    this.#opening = { resolve, reject }
    Bun.connect({ hostname, port, ...tls, data: this, socket: Connection.#handlers }).catch(
      (error: unknown) => reject(withTrueCode(error)),
    )
    try {
      await promise
    } catch (error) {
      this.close()
      throw error
    } finally {
      clearTimeout(timer)
      this.#opening = null
    }
  }

  // Shared by all sockets; `socket.data` is the connection.
  static readonly #handlers: Bun.SocketHandler<Connection, 'buffer'> = {
    binaryType: 'buffer',
    open: (socket) => {
      const connection = socket.data
      connection.#socket = socket
      if (connection.#isClosed) socket.terminate()
      // With TLS, the handshake follows.
      else if (!connection.#pool.origin.isSecure) connection.#opening?.resolve()
    },
    // Nothing is sent before the certificate has been verified.
    handshake: ({ data: connection }, isTrusted, error) => {
      if (isTrusted && error === null) connection.#opening?.resolve()
      else connection.#opening?.reject(error ?? new Error('The supplier’s certificate is not trusted.'))
    },
    data: ({ data: connection }, bytes) => {
      if (connection.#user === null) connection.#receiveStray(bytes)
      else connection.#user.receive(bytes)
    },
    drain: ({ data: connection }) => {
      if (connection.unsent !== null) connection.#sendRest(connection.unsent)
    },
    error: ({ data: connection }, error) => {
      connection.#loss = error
    },
    connectError: ({ data: connection }, error) => {
      connection.#loss = error
    },
    close: ({ data: connection }) => connection.#lose(),
  }

  /** Whether the supplier may close it for being idle. A connection used a moment ago is closed for other reasons. */
  get mayBeStale(): boolean {
    return this.#clock.nowMs() - this.idleSinceMs >= STALE_MS
  }

  /** Sends a request. The user receives its answer and the end of the connection. */
  send(request: MessageText, user: ConnectionUser): void {
    this.#user = user
    const unsent =
      this.#socket === null || this.#isClosed ? 'closed' : this.#writer.write(this.#socket, request)
    if (unsent === 'closed') this.#lose()
    else this.unsent = unsent
  }

  #sendRest(unsent: Uint8Array): void {
    const written = this.#socket?.write(unsent) ?? -1
    if (written < 0) this.#lose()
    else this.unsent = written < unsent.length ? unsent.subarray(written) : null
  }

  #receiveStray(bytes: Buffer): void {
    if (this.#isClosed) return
    this.close()
    if (!isTimeoutNotice(bytes)) this.distrustOrigin()
  }

  /** Called for bytes that belong to no request. */
  distrustOrigin(): void {
    this.#pool.origin.distrust(this.#clock.nowMs())
  }

  setPaused(isPaused: boolean): void {
    this.#isPaused = isPaused
    if (isPaused) this.#socket?.pause()
    else this.#socket?.resume()
  }

  /** Ends the call. The connection goes back to its pool if it may be kept. */
  release(mayBeKept: boolean): void {
    this.#user = null
    this.idleSinceMs = this.#clock.nowMs()
    // The answer may have ended before the pause took effect.
    if (this.#isPaused) this.setPaused(false)
    if (!mayBeKept || this.#isClosed || this.unsent !== null || !this.#pool.keep(this)) this.close()
  }

  #lose(): void {
    const user = this.#user
    this.#user = null
    this.close()
    this.#opening?.reject(
      this.#loss ?? new Error('The supplier closed the connection before the request was sent.'),
    )
    user?.lose(this.#loss)
  }

  /** Terminates the connection at once. */
  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#user = null
    this.#pool.forget(this)
    this.#socket?.terminate()
  }
}

/** A 408 that some servers send before they close an idle connection; not a sign of mixed-up answers. */
function isTimeoutNotice(bytes: Buffer): boolean {
  return bytes.toString('latin1', 0, 12).startsWith('HTTP/1.') && bytes.toString('latin1', 9, 12) === '408'
}

// The runtime uses these codes for any failure to connect, local ones included.
const MAY_BE_LOCAL: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'FailedToOpenSocket',
  'ConnectionRefused',
])

/** The runtime reports a refused connection even when this process has no file descriptor left. */
function withTrueCode(error: unknown): Error {
  const known = error instanceof Error ? error : new Error(String(error))
  if (!('code' in known) || !MAY_BE_LOCAL.has(known.code)) return known
  try {
    closeSync(openSync(devNull, 'r'))
    return known
  } catch (shortage) {
    const { code } = shortage as NodeJS.ErrnoException
    const message = `Cannot connect to the supplier: this process has no file descriptor left (${code}). Raise its limit of open files.`
    return Object.assign(new Error(message, { cause: known }), { code })
  }
}
