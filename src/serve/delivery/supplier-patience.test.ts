import { describe, expect, test } from 'bun:test'
import { SupplierPatience } from './ask.ts'

const LONG_MS = 60_000
const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))

class Client {
  readonly #hasLeft: boolean
  #listener: (() => void) | null = null

  constructor(hasLeft = false) {
    this.#hasLeft = hasLeft
  }

  onLeave(listener: () => void): () => void {
    if (this.#hasLeft) listener()
    this.#listener = listener
    return () => {
      this.#listener = null
    }
  }

  leave(): void {
    this.#listener?.()
  }
}

describe('the patience with a supplier', () => {
  test('ends when the client leaves', () => {
    const client = new Client()
    const patience = new SupplierPatience(client, LONG_MS)
    expect(patience.signal.aborted).toBe(false)
    client.leave()
    expect(patience).toMatchObject({ hasClientLeft: true, hasTimedOut: false })
    expect(patience.signal.aborted).toBe(true)
    patience.rest()
  })

  test('ends at once for a client that has already left', () => {
    const patience = new SupplierPatience(new Client(true), LONG_MS)
    expect(patience.hasClientLeft).toBe(true)
    expect(patience.signal.aborted).toBe(true)
    patience.rest()
  })

  test('ends when the time is up', async () => {
    const patience = new SupplierPatience(new Client(), 1)
    await aborted(patience.signal)
    expect(patience).toMatchObject({ hasClientLeft: false, hasTimedOut: true })
  })

  test('while paused, neither time nor the client ends the call, but it can still be aborted', async () => {
    const client = new Client()
    const patience = new SupplierPatience(client, 1)
    patience.rest()
    client.leave()
    // A timer of the same length set later fires later.
    await new Promise((resolve) => setTimeout(resolve, 2))
    expect(patience).toMatchObject({ hasClientLeft: false, hasTimedOut: false })
    expect(patience.signal.aborted).toBe(false)
    patience.abort()
    expect(patience.signal.aborted).toBe(true)
  })
})
