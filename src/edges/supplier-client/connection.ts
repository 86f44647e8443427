import type { Socket } from 'bun'
import type { Clock } from '../../vocabulary/clock.ts'
import type { MessageText, MessageWriter, Unsent } from '../../wire/message-writer.ts'
import type { Origin } from './origin.ts'

export interface ConnectionParts {
  readonly clock: Clock
  readonly writer: MessageWriter
}

/** Whoever uses a connection hears what happens to it. */
export interface ConnectionUser {
  receive(bytes: Buffer): void
  /** The connection is gone; null when the other side has closed it in order. */
  lose(error: Error | null): void
}

// Shorter than any server keeps a connection that is not used.
const STALE_MS = 1_000

/** One connection to a supplier, used by one call after another. */
export class Connection {
  readonly #origin: Origin
  readonly #clock: Clock
  readonly #writer: MessageWriter
  #socket: Socket<Connection> | null = null
  #user: ConnectionUser | null = null
  #unsent: Unsent = null
  #loss: Error | null = null
  #isPaused = false
  isClosed = false
  idleSinceMs = 0

  constructor(origin: Origin, { clock, writer }: ConnectionParts) {
    this.#origin = origin
    this.#clock = clock
    this.#writer = writer
  }

  /** Resolves when requests can be sent; rejects when that cannot be, or not in time. */
  async open(patienceMs: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const timer = setTimeout(
      () => reject(new Error('The supplier could not be reached in time.')),
      patienceMs,
    )
    this.#opening = { resolve, reject }
    this.#connect().catch(reject)
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

  #opening: { resolve(): void; reject(error: Error): void } | null = null

  async #connect(): Promise<void> {
    const { hostname, port, isSecure } = this.#origin
    const tls = isSecure ? { tls: { rejectUnauthorized: true } } : {}
    const socket = await Bun.connect({ hostname, port, ...tls, data: this, socket: HANDLERS })
    if (this.isClosed) socket.terminate()
  }

  /** A plain connection stands, or a secure one begins to introduce itself. */
  stand(socket: Socket<Connection>): void {
    this.#socket = socket
    if (this.isClosed) socket.terminate()
    else if (!this.#origin.isSecure) this.#opening?.resolve()
  }

  /** Nothing is sent before it is certain to whom. */
  introduce(isTrusted: boolean, error: Error | null): void {
    if (isTrusted && error === null) this.#opening?.resolve()
    else this.#opening?.reject(error ?? new Error('The supplier’s certificate is not trusted.'))
  }

  /** Whether the other side may be about to close it for that; what was used a moment ago is closed for other reasons. */
  get mayBeStale(): boolean {
    return this.#clock.nowMs() - this.idleSinceMs >= STALE_MS
  }

  /** Sends a request; its answer and the connection's end go to the user. */
  send(request: MessageText, user: ConnectionUser): void {
    this.#user = user
    const unsent = this.#socket === null ? 'closed' : this.#writer.write(this.#socket, request)
    if (unsent === 'closed') this.lose(null)
    else this.#unsent = unsent
  }

  goOnSending(): void {
    if (this.#unsent === null) return
    const written = this.#socket?.write(this.#unsent) ?? -1
    if (written < 0) this.lose(null)
    else this.#unsent = written < this.#unsent.length ? this.#unsent.subarray(written) : null
  }

  receive(bytes: Buffer): void {
    // Whoever speaks without being asked is not to be trusted with the next request.
    if (this.#user === null) this.close()
    else this.#user.receive(bytes)
  }

  setPaused(isPaused: boolean): void {
    if (this.#isPaused === isPaused) return
    this.#isPaused = isPaused
    if (isPaused) this.#socket?.pause()
    else this.#socket?.resume()
  }

  /** The call is over. The connection waits for the next one, if it can. */
  release(mayBeKept: boolean): void {
    this.#user = null
    this.idleSinceMs = this.#clock.nowMs()
    // What had come in before the pause may have been the end of the answer.
    this.setPaused(false)
    if (!mayBeKept || this.isClosed || this.#unsent !== null || !this.#origin.keep(this)) this.close()
  }

  noteError(error: Error): void {
    this.#loss = error
  }

  lose(error: Error | null): void {
    const user = this.#user
    this.#user = null
    this.close()
    this.#opening?.reject(error ?? this.#loss ?? new Error('The supplier closed the connection at once.'))
    user?.lose(error ?? this.#loss)
  }

  /** At once: what is still on its way in either direction is not wanted. */
  close(): void {
    if (this.isClosed) return
    this.isClosed = true
    this.#user = null
    this.#origin.forget(this)
    this.#socket?.terminate()
  }
}

// One set for all sockets: which connection it is about is on the socket.
const HANDLERS: Bun.SocketHandler<Connection, 'buffer'> = {
  binaryType: 'buffer',
  open: (socket) => socket.data.stand(socket),
  handshake: (socket, isTrusted, error) => socket.data.introduce(isTrusted, error),
  data: (socket, bytes) => socket.data.receive(bytes),
  drain: (socket) => socket.data.goOnSending(),
  error: (socket, error) => socket.data.noteError(error),
  close: (socket) => socket.data.lose(null),
  connectError: (socket, error) => socket.data.noteError(error),
}
