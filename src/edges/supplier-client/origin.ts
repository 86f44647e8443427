import type { Connection } from './connection.ts'

const MOST_IDLE = 256

/** A host and port with the connections to it that wait for their next call. */
export class Origin {
  readonly hostname: string
  readonly port: number
  readonly isSecure: boolean
  /** The one used last is at the end: it is the least likely to be closed by now. */
  readonly #idle: Connection[] = []

  constructor({ hostname, port, protocol }: URL) {
    this.isSecure = protocol === 'https:'
    this.hostname = hostname.replace(/^\[|\]$/g, '')
    this.port = Number(port || (this.isSecure ? 443 : 80))
  }

  takeIdle(): Connection | null {
    return this.#idle.pop() ?? null
  }

  /** False when there are enough of them. */
  keep(connection: Connection): boolean {
    if (this.#idle.length >= MOST_IDLE) return false
    this.#idle.push(connection)
    return true
  }

  forget(connection: Connection): void {
    const place = this.#idle.indexOf(connection)
    if (place >= 0) this.#idle.splice(place, 1)
  }

  /** Closes those that nobody has used since. */
  closeIdleSince(atMs: number): void {
    for (const connection of this.#idle.filter(({ idleSinceMs }) => idleSinceMs <= atMs)) connection.close()
  }

  get hasIdle(): boolean {
    return this.#idle.length > 0
  }
}
