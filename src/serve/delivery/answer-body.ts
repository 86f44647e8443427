import { GatewayError } from '../../errors/gateway-error.ts'
import type { SupplierFailure } from '../../errors/supplier-failure.ts'
import type { BodyRecorder } from '../../manage/ports/console.ts'
import type { Candidate } from '../../rules/routing/candidate.ts'
import type { EndedStream } from '../../rules/routing/router.ts'
import type { Outcome } from '../../vocabulary/settlement.ts'
import type { Format } from '../../vocabulary/supply.ts'
import { type Admission, cutShort, type RequestEnd, unwritableError } from '../admission/admission.ts'
import type { Gateway } from '../gateway.ts'
import type { BodySink, PushedBody } from '../ports/exchange.ts'
import type { AnswerStream } from './call-result.ts'
import type { LiveStream } from './live-streams.ts'
import { failureError, malformed, withoutSecret } from './supplier-failures.ts'

export interface AnswerBodyParts {
  readonly admission: Admission
  readonly candidate: Candidate
  readonly gateway: Gateway
  readonly stream: AnswerStream
  readonly supplierFormat: Format
}

// After its last event a supplier has this long to end the response, so that its connection can be used again.
const FAREWELL_MS = 1_000
const BREAK_OFF_MS = 50

const ABANDONED: EndedStream['result'] = { type: 'abandoned' }

const encoder = new TextEncoder()

const UNKEPT = 'The answer cannot be written down; try again later.'

const UNREADABLE = Symbol('unreadable')

type ReadResult = Awaited<ReturnType<AnswerStream['reader']['read']>>

/** A connection that broke is the end of the response. */
const supplierIsGone = (): null => null

/**
 * Moves a supplier's stream to the client at the client's pace, and sees to it that however it ends, the supplier
 * is let go and the request is settled before the last byte leaves.
 */
export class AnswerBody implements LiveStream, PushedBody {
  readonly #parts: AnswerBodyParts
  /** Null but for accounts that want to read later what was said. */
  readonly #bodies: BodyRecorder | null
  #sink: BodySink | null = null
  #isEnded = false
  readonly #openedAtMs: number
  #stopListening: (() => void) | null = null
  #supplierSpokeAtMs: number
  #clientHeardAtMs: number
  #clientTookAtMs: number
  #behindBytes = 0
  /** Characters of the answer that were in what has been sent. */
  #sentCharacters = 0

  constructor(parts: AnswerBodyParts) {
    this.#parts = parts
    this.#bodies = parts.admission.prepared.bodies ?? null
    this.#openedAtMs = parts.gateway.clock.monotonicMs()
    this.#supplierSpokeAtMs = this.#openedAtMs
    this.#clientHeardAtMs = this.#supplierSpokeAtMs
    this.#clientTookAtMs = this.#supplierSpokeAtMs
  }

  /** From here on it is looked after, whether or not anybody comes to take it. */
  open(): PushedBody {
    this.#parts.gateway.streams.add(this)
    this.#stopListening = this.#parts.admission.prepared.exchange.onLeave(() => this.#leaveLogged())
    return this
  }

  pushTo(sink: BodySink): void {
    if (this.#isEnded) {
      sink.breakOff()
      return
    }
    this.#sink = sink
    this.#begin(sink).catch((problem) => {
      if (this.#isEnded) this.#breakDown(problem)
      else this.fail(new GatewayError('provider_error', 'The answer could not be read.', { cause: problem }))
    })
  }

  beat(nowMs: number): void {
    this.#noteProgress(nowMs)
    const { timeouts } = this.#parts.gateway
    const supplierIdleMs = this.#parts.candidate.route.supplier.timeouts.idleMs ?? timeouts.idleMs
    if (nowMs - this.#supplierSpokeAtMs >= supplierIdleMs && this.#isWaiting()) {
      this.fail(new GatewayError('provider_timeout', 'The supplier fell silent in the middle of its answer.'))
    } else if (nowMs - this.#clientTookAtMs >= timeouts.idleMs && !this.#isWaiting()) {
      this.#leaveLogged()
    } else if (nowMs - this.#clientHeardAtMs >= timeouts.heartbeatMs) {
      this.#sendHeartbeat(nowMs)
    }
  }

  /** A client may take minutes for one large event, as long as it takes some of it. */
  #noteProgress(nowMs: number): void {
    const behindBytes = this.#sink?.behindBytes ?? 0
    if (behindBytes === 0 || behindBytes < this.#behindBytes) this.#clientTookAtMs = nowMs
    this.#behindBytes = behindBytes
  }

  fail(error: GatewayError): void {
    const outcome = error.code === 'shutting_down' ? 'interrupted' : 'supplier_failed'
    const isAtFault = outcome === 'supplier_failed'
    this.#tellRouter(isAtFault ? { type: 'failed', failure: malformed(error.message) } : ABANDONED)
    if (error.cause !== undefined) this.#reportTrouble(error.cause)
    this.#endWithError(error, outcome).catch((problem) => this.#breakDown(problem))
  }

  /** There is nothing left to say but that the answer is not whole. */
  #breakDown(problem: unknown): void {
    this.#reportTrouble(problem)
    this.#sink?.breakOff()
  }

  readonly #reportTrouble = (problem: unknown): void => {
    this.#parts.gateway.log.trouble('a stream could not be settled', problem, this.#requestId)
  }

  #leaveLogged(): void {
    this.#leave().catch(this.#reportTrouble)
  }

  get #requestId(): string {
    return this.#parts.admission.prepared.exchange.requestId
  }

  /** A client that does not read leaves the supplier waiting, not silent. */
  #isWaiting(): boolean {
    return this.#sink !== null && !this.#sink.isBehind
  }

  #sendHeartbeat(nowMs: number): void {
    const { heartbeat } = this.#parts.admission.prepared.protocol
    if (heartbeat === null || this.#isEnded || !this.#isWaiting()) return
    this.#clientHeardAtMs = nowMs
    this.#sink?.send(encoder.encode(heartbeat))
  }

  /** All of a short answer may have come at once; then its end waits for the settlement, as any other does. */
  async #begin(sink: BodySink): Promise<void> {
    const { tap, first } = this.#parts.stream
    const last = tap.isTerminated ? first.length - 1 : first.length
    for (const bytes of first.slice(0, last)) this.#send(bytes)
    if (tap.failure !== null) return this.#endWithFailure(tap.failure)
    return tap.isTerminated ? this.#complete(first[last] ?? null) : this.#move(sink)
  }

  async #move(sink: BodySink): Promise<void> {
    const { tap, reader } = this.#parts.stream
    while (!this.#isEnded) {
      if (tap.failure !== null) return this.#endWithFailure(tap.failure)
      // Nothing is read that the client has no room for, which is what holds a fast supplier back.
      if (sink.isBehind) await this.#waitForClient(sink)
      else this.#clientTookAtMs = this.#supplierSpokeAtMs
      // Two plain functions: an async one in between would cost every chunk another promise.
      const bytes = await reader.read().then(this.#takeChunk, supplierIsGone)
      if (this.#isEnded) return
      if (bytes === null) return this.#endOfSupply()
      this.#sentCharacters = tap.outputCharacters
      const forwarded = this.#read(bytes)
      if (forwarded === UNREADABLE) return this.#endWithFailure(malformed('The stream cannot be read.'))
      if (tap.isTerminated) return this.#complete(forwarded)
      if (forwarded !== null) this.#send(forwarded)
    }
  }

  async #waitForClient(sink: BodySink): Promise<void> {
    this.#behindBytes = sink.behindBytes
    await sink.caughtUp()
    this.#clientTookAtMs = this.#parts.gateway.clock.monotonicMs()
  }

  /** null when the supplier has ended its response. */
  readonly #takeChunk = ({ done, value }: ReadResult): Uint8Array | null => {
    this.#supplierSpokeAtMs = this.#parts.gateway.clock.monotonicMs()
    return done ? null : value
  }

  /** Whatever a supplier sends, it is the answer that fails, with its error, and not the connection. */
  #read(bytes: Uint8Array): Uint8Array | null | typeof UNREADABLE {
    try {
      return this.#parts.stream.tap.push(bytes)
    } catch (problem) {
      this.#parts.gateway.log.trouble('a stream could not be read', problem, this.#requestId)
      return UNREADABLE
    }
  }

  #send(bytes: Uint8Array): void {
    this.#clientHeardAtMs = this.#supplierSpokeAtMs
    this.#bodies?.add(bytes)
    this.#sink?.send(bytes)
  }

  /** A stream that ends without its terminal event has failed, however quietly. */
  async #endOfSupply(): Promise<void> {
    const { tap } = this.#parts.stream
    this.#sentCharacters = tap.outputCharacters
    const last = tap.end()
    if (tap.isComplete) return this.#complete(last)
    if (last !== null) this.#send(last)
    const failure = tap.failure ?? malformed('The stream ended before its terminal event.')
    return this.#endWithFailure(failure)
  }

  #endWithFailure(failure: SupplierFailure): Promise<void> {
    const { secret } = this.#parts.candidate.credential
    this.#tellRouter({ type: 'failed', failure })
    return this.#endWithError(failureError(withoutSecret(failure, secret)), 'supplier_failed')
  }

  async #complete(last: Uint8Array | null): Promise<void> {
    this.#tellRouter({ type: 'completed' })
    if (!this.#end()) return
    try {
      await this.#parts.admission.prepared.keepReply?.(this.#parts.stream.tap.finalReply)
      if (last !== null) this.#bodies?.add(last)
      await this.#settle('completed')
    } catch (problem) {
      return this.#endUnkept(problem)
    }
    if (last !== null) this.#sink?.send(last)
    this.#sink?.end()
    await this.#letGo()
  }

  /** The answer is whole, but it or what it costs could not be written down; the client gets an error in place of its end. */
  async #endUnkept(problem: unknown): Promise<void> {
    this.#reportTrouble(problem)
    this.#parts.stream.abort()
    // Changes nothing when it is the settlement that was not written.
    await this.#parts.admission.settle(cutShort(this.#ending('completed'))).catch(() => undefined)
    const error = problem instanceof GatewayError ? problem : unwritableError(UNKEPT, problem)
    this.#sendError(error, true)
  }

  async #endWithError(error: GatewayError, outcome: Outcome): Promise<void> {
    if (!this.#end()) return
    this.#parts.stream.abort()
    await this.#settle(outcome)
    this.#sendError(error)
  }

  #sendError(error: GatewayError, isEndWithheld = false): void {
    const { admission, stream } = this.#parts
    this.#sink?.send(encoder.encode(stream.tap.fail(error, isEndWithheld)))
    if (admission.prepared.protocol.breaksOffAfterError) this.#breakOff()
    else this.#sink?.end()
  }

  /** A supplier that breaks off has failed, though its first byte counted as an answer; not if the client is to blame. */
  #tellRouter(result: EndedStream['result']): void {
    if (this.#isEnded) return
    const { gateway, candidate, admission } = this.#parts
    const modelId = admission.prepared.target.model.id
    gateway.router.endStream({ candidate, modelId, begunAtMs: this.#openedAtMs, result })
  }

  /** The connection is destroyed, but only after the error frame had time to leave. */
  #breakOff(): void {
    setTimeout(() => this.#sink?.breakOff(), BREAK_OFF_MS)
  }

  async #leave(): Promise<void> {
    this.#tellRouter(ABANDONED)
    if (!this.#end()) return
    this.#parts.stream.abort()
    await this.#settle('client_left')
    // For a client that is still connected but stopped reading.
    this.#sink?.breakOff()
  }

  /** False when it has ended already: an ending happens once. */
  #end(): boolean {
    if (this.#isEnded) return false
    this.#isEnded = true
    this.#parts.gateway.streams.remove(this)
    this.#stopListening?.()
    return true
  }

  #settle(outcome: Outcome): Promise<void> {
    return this.#parts.admission.settle(this.#ending(outcome))
  }

  #ending(outcome: Outcome): RequestEnd {
    const { candidate, stream, supplierFormat } = this.#parts
    return {
      outcome,
      hasDelivered: true,
      reported: stream.tap.usage,
      outputCharacters: stream.tap.outputCharacters,
      sentCharacters: this.#sentCharacters,
      served: { candidate, format: supplierFormat },
    }
  }

  async #letGo(): Promise<void> {
    const { reader, abort } = this.#parts.stream
    const timer = setTimeout(abort, FAREWELL_MS)
    try {
      const { done } = await reader.read()
      if (!done) abort()
    } catch {
      // The connection is gone, which is all that was wanted.
    } finally {
      clearTimeout(timer)
    }
  }
}
