import type { SandboxOptions } from '../../src/sandbox/server.ts'

/**
 * Stands in for the pauses of a sandbox: none ends before the test says so. With a latency between pieces, the test
 * decides which pieces have been sent, and a piece a client has read cannot share a packet with what follows.
 */
export class PauseGate {
  #allowed = 0
  readonly #waiting: (() => void)[] = []

  readonly wait: NonNullable<SandboxOptions['wait']> = (_ms, signal) =>
    new Promise((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true })
      this.#waiting.push(resolve)
      this.#release()
    })

  /** Lets so many more pauses end. */
  allow(pauses: number): void {
    this.#allowed += pauses
    this.#release()
  }

  open(): void {
    this.allow(Number.POSITIVE_INFINITY)
  }

  close(): void {
    this.#allowed = 0
  }

  #release(): void {
    while (this.#allowed > 0) {
      const resolve = this.#waiting.shift()
      if (resolve === undefined) return
      this.#allowed -= 1
      resolve()
    }
  }
}
