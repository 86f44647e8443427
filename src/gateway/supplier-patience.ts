import type { Exchange } from './ports/exchange.ts'

/** How long a supplier is waited for: until it answers, the client leaves, or its time is up. */
export class SupplierPatience {
  readonly #controller = new AbortController()
  readonly #timer: Timer
  readonly #stopListening: () => void
  hasClientLeft = false
  hasTimedOut = false

  constructor(client: Pick<Exchange, 'onLeave'>, firstByteMs: number) {
    this.#timer = setTimeout(() => {
      this.hasTimedOut = true
      this.#controller.abort()
    }, firstByteMs)
    this.#stopListening = client.onLeave(() => {
      this.hasClientLeft = true
      this.#controller.abort()
    })
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  abort(): void {
    this.#controller.abort()
  }

  /** Stops waiting; the call itself may go on. */
  rest(): void {
    clearTimeout(this.#timer)
    this.#stopListening()
  }
}
