import type { BackgroundRules } from '../../../protocols/state-rules.ts'
import type { LiveStream } from '../../delivery/live-streams.ts'
import type { Gateway } from '../../gateway.ts'
import type { BodySink, Exchange, PushedBody, Reply } from '../../ports/exchange.ts'
import type { ReplyKey } from '../../ports/state/background-store.ts'
import { findCurrent } from './current-reply.ts'

export interface FollowerParts {
  readonly key: ReplyKey
  /** The number of the last event that the client has; -1 for none. */
  readonly after: number
  readonly rules: BackgroundRules
  readonly heartbeat: string
  readonly exchange: Pick<Exchange, 'onLeave'>
  readonly gateway: Gateway
}

const encoder = new TextEncoder()

/** Sends the events of a background reply, also of one that another node makes. The client may leave and come back. */
export function followReply(parts: FollowerParts): Reply {
  const headers = {
    'content-type': 'text/event-stream; charset=utf-8',
    // Proxies must neither hold events back nor compress them.
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
  }
  return { status: 200, headers, body: new BackgroundFollower(parts) }
}

class BackgroundFollower implements LiveStream, PushedBody {
  readonly #parts: FollowerParts
  #last: number
  #sink: BodySink | null = null
  #sentAtMs: number
  #isOver = false
  #isClosing = false
  #wake: () => void = () => undefined

  constructor(parts: FollowerParts) {
    this.#parts = parts
    this.#last = parts.after
    this.#sentAtMs = parts.gateway.clock.monotonicMs()
  }

  pushTo(sink: BodySink): void {
    const { gateway, exchange, key } = this.#parts
    this.#sink = sink
    gateway.streams.add(this)
    const stopCounting = gateway.background.countFollower(key.accountId)
    const stopListening = exchange.onLeave(() => this.#stop())
    const stopHearing = gateway.background.find(key)?.listen(() => this.#wake())
    this.#follow(sink)
      .catch((problem) => {
        gateway.log.trouble('the events of a background reply could not be sent', problem)
        sink.breakOff()
      })
      .finally(() => {
        gateway.streams.remove(this)
        stopCounting()
        stopListening()
        stopHearing?.()
      })
  }

  /** Another node's events are found once a second. */
  beat(nowMs: number): void {
    this.#wake()
    const { gateway, heartbeat } = this.#parts
    if (nowMs - this.#sentAtMs < gateway.timeouts.heartbeatMs || this.#isOver || this.#sink?.isBehind) return
    this.#send(heartbeat)
  }

  /** The gateway shuts down. A reply of this node ends at once, and its client still hears of it. */
  fail(): void {
    this.#isClosing = true
    this.#wake()
  }

  #stop(): void {
    this.#isOver = true
    this.#wake()
  }

  async #follow(sink: BodySink): Promise<void> {
    const { gateway, key } = this.#parts
    while (!this.#isOver) {
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve
      })
      // First: an ended reply gets no more events.
      const reply = await gateway.replies.findBackground(key)
      if (reply === null) return sink.breakOff()
      if (reply.events > this.#last + 1) await this.#catchUp(sink)
      else if (reply.runningOn === null) return this.#end(sink, reply.events)
      else if (this.#isClosing && gateway.background.find(key) === null) return sink.breakOff()
      else await woken
    }
  }

  async #catchUp(sink: BodySink): Promise<void> {
    const { gateway, key } = this.#parts
    for (const { first, frames } of await gateway.replies.listEvents(key, this.#last)) {
      if (this.#isOver) return
      this.#send(frames.join(''))
      this.#last = first + frames.length - 1
      if (sink.isBehind) await sink.caughtUp()
    }
  }

  /** A client that has the last event gets nothing. */
  async #end(sink: BodySink, lastNumber: number): Promise<void> {
    const { rules, key } = this.#parts
    if (this.#last < lastNumber) {
      const reply = await findCurrent(key, this.#parts)
      if (this.#isOver) return
      if (reply === null) return sink.breakOff()
      this.#send(rules.lastFrame(reply, lastNumber))
    }
    this.#isOver = true
    sink.end()
  }

  #send(text: string): void {
    this.#sentAtMs = this.#parts.gateway.clock.monotonicMs()
    this.#sink?.send(encoder.encode(text))
  }
}
