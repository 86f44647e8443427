import type { GatewayError } from '../../errors/gateway-error.ts'

/** A stream to a client, as the code that watches all streams sees it. */
export interface LiveStream {
  /** Called about once a second: sends a heartbeat, or gives up on a silent supplier. */
  beat(nowMs: number): void
  /** Ends it with the error event of its format. */
  fail(error: GatewayError): void
}

/** All streams that are being delivered. One timer watches all of them, so that chunks need no timers. */
export class LiveStreams {
  readonly #streams = new Set<LiveStream>()

  get size(): number {
    return this.#streams.size
  }

  add(stream: LiveStream): void {
    this.#streams.add(stream)
  }

  remove(stream: LiveStream): void {
    this.#streams.delete(stream)
  }

  beat(nowMs: number): void {
    for (const stream of this.#streams) stream.beat(nowMs)
  }

  failAll(error: GatewayError): void {
    for (const stream of this.#streams) stream.fail(error)
  }
}
