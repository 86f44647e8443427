import { connect, type Socket } from 'node:net'
import { type RawAnswer, readAnswer } from './read-answer.ts'

/** How the server ended its side of a connection. */
export type ConnectionEnd = 'closed' | 'reset'

// Far more than anything here takes; only a test that fails waits for it.
const PATIENCE_MS = 5_000

/** A connection that sends exactly the given bytes, and reads one answer after another. */
export class RawConnection {
  readonly #socket: Socket
  readonly #received = new GrowingBytes()
  #ending: ConnectionEnd | null = null
  #change = Promise.withResolvers<void>()

  constructor(port: number) {
    this.#socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).setNoDelay(true)
    this.#socket.on('data', (bytes: Buffer) => {
      this.#received.add(bytes)
      this.#tellChange()
    })
    this.#socket.on('end', () => this.#end('closed'))
    this.#socket.on('error', () => this.#end('reset'))
    this.#socket.on('close', () => this.#end('reset'))
  }

  /** What has come and was not read as an answer. */
  get unread(): Buffer {
    return this.#received.bytes
  }

  /** Reads whatever has come. */
  take(): Buffer {
    const bytes = Buffer.from(this.unread)
    this.#received.drop(bytes.length)
    return bytes
  }

  get ending(): ConnectionEnd | null {
    return this.#ending
  }

  /** Resolves when the bytes have left this program. */
  send(bytes: string | Uint8Array): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    // A server that has closed takes nothing more, and what it said is looked at then.
    const give = () => {
      this.#socket.off('close', give)
      resolve()
    }
    this.#socket.once('close', give).write(asBytes(bytes), give)
    return promise
  }

  /** Sends each part as a separate packet: the server has read it before the next is sent. */
  async sendApart(parts: Iterable<string | Uint8Array>): Promise<void> {
    for (const part of parts) {
      await this.send(part)
      await nextRound()
    }
  }

  /** Closes this side only, as a client does that has nothing more to say. */
  finish(): void {
    this.#socket.end()
  }

  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    this.#socket.resume()
  }

  destroy(): void {
    this.#socket.destroy()
  }

  /** Disconnects without closing properly, like a killed program. */
  reset(): void {
    this.#socket.resetAndDestroy()
  }

  /** The next answer, be it an interim one. `method` is that of the request, for HEAD is answered without a body. */
  answer(method = 'GET'): Promise<RawAnswer> {
    return this.#await('an answer', () => {
      const context = { isToHead: method === 'HEAD', hasEnded: this.#ending === 'closed' }
      const found = readAnswer(this.unread, context)
      if (found === null && this.#ending !== null) throw new Error(`${this.#ending}: ${this.#describe()}`)
      if (found !== null) this.#received.drop(found.end)
      return found?.value ?? null
    })
  }

  ended(): Promise<ConnectionEnd> {
    return this.#await('the end of the connection', () => this.#ending)
  }

  /** Resolves once at least so many bytes lie here unread. */
  async arrived(count: number): Promise<void> {
    await this.#await(`${count} bytes`, () => this.unread.length >= count || null)
  }

  async #await<T>(what: string, look: () => T | null): Promise<T> {
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(
      () => late.reject(new Error(`no sight of ${what}: ${this.#describe()}`)),
      PATIENCE_MS,
    )
    try {
      for (;;) {
        const { promise } = this.#change
        const found = look()
        if (found !== null) return found
        await Promise.race([promise, late.promise])
      }
    } finally {
      clearTimeout(timer)
    }
  }

  #end(ending: ConnectionEnd): void {
    this.#ending ??= ending
    this.#tellChange()
  }

  #tellChange(): void {
    const { resolve } = this.#change
    this.#change = Promise.withResolvers()
    resolve()
  }

  #describe(): string {
    return `unread are ${JSON.stringify(this.unread.toString('latin1', 0, 500))}`
  }
}

/** What came and was not read yet. Grows by doubling, so that large answers in small packets cost little. */
class GrowingBytes {
  #store = Buffer.allocUnsafe(4_096)
  #start = 0
  #end = 0

  get bytes(): Buffer {
    return this.#store.subarray(this.#start, this.#end)
  }

  add(bytes: Buffer): void {
    if (this.#end + bytes.length > this.#store.length) {
      const grown = Buffer.allocUnsafe(2 * (this.#end - this.#start + bytes.length))
      this.#end = this.bytes.copy(grown)
      this.#start = 0
      this.#store = grown
    }
    this.#end += bytes.copy(this.#store, this.#end)
  }

  /** What was given before keeps its content: the same place is never written twice. */
  drop(count: number): void {
    this.#start += count
  }
}

/** All that a server says to some bytes, until it closes the connection. */
export interface Conversation {
  readonly answers: readonly RawAnswer[]
  readonly ending: ConnectionEnd
}

/** Sends bytes and reads answers until the server closes; fails when it does not. */
export async function converse(port: number, bytes: string | Uint8Array): Promise<Conversation> {
  const connection = new RawConnection(port)
  try {
    void connection.send(bytes)
    const ending = await connection.ended()
    const answers: RawAnswer[] = []
    while (connection.unread.length > 0) answers.push(await connection.answer())
    return { answers, ending }
  } finally {
    connection.destroy()
  }
}

/** Sends bytes on a connection of their own and gives the first answer, whatever becomes of the connection. */
export async function ask(port: number, bytes: string | Uint8Array): Promise<RawAnswer> {
  const connection = new RawConnection(port)
  try {
    void connection.send(bytes)
    return await connection.answer(asBytes(bytes).toString('latin1').split(' ', 1)[0])
  } finally {
    connection.destroy()
  }
}

/** Lets the event loop look at its sockets. Of two rounds the first may have begun before the bytes were there. */
export async function nextRound(): Promise<void> {
  for (let round = 0; round < 2; round += 1) await new Promise((resolve) => setImmediate(resolve))
}

/** Text stands for the bytes of its code units, so that a test can write any byte. */
export function asBytes(bytes: string | Uint8Array): Buffer {
  return typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : Buffer.from(bytes)
}

/** A request head with its lines as they are given; a host is among them only when the caller says so. */
export function head(first: string, ...lines: readonly string[]): string {
  return [first, ...lines, '', ''].join('\r\n')
}

/** A plain request with a host. */
export function get(path: string, ...lines: readonly string[]): string {
  return head(`GET ${path} HTTP/1.1`, 'Host: x', ...lines)
}

export function post(path: string, body: string, ...lines: readonly string[]): string {
  return head(`POST ${path} HTTP/1.1`, 'Host: x', `Content-Length: ${body.length}`, ...lines) + body
}

/** A request whose body is given in its coded form. */
export function postChunked(path: string, coded: string, ...lines: readonly string[]): string {
  return head(`POST ${path} HTTP/1.1`, 'Host: x', 'Transfer-Encoding: chunked', ...lines) + coded
}
