import type { GatewayError } from '../../errors/gateway-error.ts'

/** A stream on its way to a client, as seen by those who watch over all of them. */
export interface LiveStream {
  /** Called about once a second: sends a heartbeat, or gives up on a silent supplier. */
  beat(nowMs: number): void
  /** Ends it with the family's own error. */
  fail(error: GatewayError): void
}

/** All streams now being delivered. One timer watches over them, so that a chunk costs no timer of its own. */
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
