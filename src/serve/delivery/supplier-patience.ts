import type { Exchange } from '../ports/exchange.ts'
import type { CallPatience } from '../ports/supplier-call.ts'

/** How long a supplier is waited for: until it answers, the client leaves, or its time is up. */
export class SupplierPatience implements CallPatience {
  readonly #timer: Timer
  readonly #stopListening: () => void
  readonly #listeners: (() => void)[] = []
  #controller: AbortController | null = null
  #isAborted = false
  hasClientLeft = false
  hasTimedOut = false

  constructor(client: Pick<Exchange, 'onLeave'>, firstByteMs: number) {
    this.#timer = setTimeout(() => {
      this.hasTimedOut = true
      this.abort()
    }, firstByteMs)
    this.#stopListening = client.onLeave(() => {
      this.hasClientLeft = true
      this.abort()
    })
  }

  /** Made only for whoever asks: a signal costs more than the rest of the waiting. */
  get signal(): AbortSignal {
    if (this.#controller === null) {
      const controller = new AbortController()
      this.#controller = controller
      this.onAbort(() => controller.abort())
    }
    return this.#controller.signal
  }

  onAbort(listener: () => void): void {
    if (this.#isAborted) listener()
    else this.#listeners.push(listener)
  }

  abort(): void {
    this.#isAborted = true
    for (const listener of this.#listeners.splice(0)) listener()
  }

  /** Stops waiting; the call itself may go on. */
  rest(): void {
    clearTimeout(this.#timer)
    this.#stopListening()
  }
}
