/** How long a supplier is waited for: until it answers, the client leaves, or its time is up. */
export class SupplierPatience {
  readonly #controller = new AbortController()
  readonly #clientSignal: AbortSignal
  readonly #timer: Timer
  readonly #leave = () => {
    this.hasClientLeft = true
    this.#controller.abort()
  }
  hasClientLeft = false
  hasTimedOut = false

  constructor(clientSignal: AbortSignal, firstByteMs: number) {
    this.#clientSignal = clientSignal
    this.#timer = setTimeout(() => {
      this.hasTimedOut = true
      this.#controller.abort()
    }, firstByteMs)
    if (clientSignal.aborted) this.#leave()
    else clientSignal.addEventListener('abort', this.#leave, { once: true })
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
    this.#clientSignal.removeEventListener('abort', this.#leave)
  }
}
