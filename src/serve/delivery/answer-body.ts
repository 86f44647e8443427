import { GatewayError } from '../../errors/gateway-error.ts'
import type { SupplierFailure } from '../../errors/supplier-failure.ts'
import type { BodyRecorder } from '../../manage/ports/console.ts'
import type { EndedStream } from '../../rules/routing/router.ts'
import type { Outcome } from '../../vocabulary/settlement.ts'
import { type Admission, cutShort, type RequestEnd, unwritableError } from '../admission/admission.ts'
import { SentSample } from '../admission/sent-sample.ts'
import type { Gateway } from '../gateway.ts'
import type { BodySink, PushedBody } from '../ports/exchange.ts'
import { loggedError } from '../ports/log.ts'
import type { NoteGap } from '../ports/request-observer.ts'
import type { OpenStream } from './call-result.ts'
import type { ReadyCandidate } from './candidate-queue.ts'
import { openChunkGaps } from './chunk-gaps.ts'
import type { LiveStream } from './live-streams.ts'
import { cutFrames, isHeldBack, joinIfAny, payFor } from './paid-output.ts'
import { failureError, malformed, withoutSecret } from './supplier-failures.ts'
import { type Piece, type PieceTaker, SupplyFlow } from './supply-flow.ts'

export interface AnswerBodyParts {
  readonly admission: Admission
  readonly gateway: Gateway
}

// After its last event a supplier has this long to end the response, so that its connection can be used again.
const CLOSE_WAIT_MS = 1_000
// A busy client that has not read the error when its connection breaks never sees it.
const BREAK_OFF_MS = 1_000

const ABANDONED: EndedStream['result'] = { type: 'abandoned' }

const encoder = new TextEncoder()

const NOT_STORED = 'The answer cannot be written down; try again later.'

/**
 * Moves a supplier's stream to the client at the client's pace. However it ends, the supplier's connection is released
 * and the request is settled before the last byte leaves.
 */
export class AnswerBody implements LiveStream, PushedBody, PieceTaker {
  readonly #stream: OpenStream
  readonly #served: ReadyCandidate
  readonly #admission: Admission
  readonly #gateway: Gateway
  /** For accounts that store response bodies; null for all others. */
  readonly #bodies: BodyRecorder | null
  #sink: BodySink | null = null
  isEnded = false
  readonly #flow: SupplyFlow
  readonly #openedAtMs: number
  #stopListening: (() => void) | null = null
  /** When the supplier last sent something. */
  #receivedAtMs: number
  /** When something was last sent to the client. */
  #sentAtMs: number
  /** When the client last took something. */
  #takenAtMs: number
  #behindBytes = 0
  /** Since when the supplier is waited for. */
  #gapFromMs: number
  readonly #noteGap: NoteGap | null
  /** Characters of the answer that have been sent. */
  #sentCharacters = 0
  readonly #sample = new SentSample()

  constructor(stream: OpenStream, served: ReadyCandidate, { admission, gateway }: AnswerBodyParts) {
    this.#stream = stream
    this.#flow = new SupplyFlow(stream.reader, this)
    this.#served = served
    this.#admission = admission
    this.#gateway = gateway
    this.#bodies = admission.bodies
    this.#openedAtMs = gateway.clock.monotonicMs()
    this.#receivedAtMs = this.#openedAtMs
    this.#sentAtMs = this.#openedAtMs
    this.#takenAtMs = this.#openedAtMs
    this.#gapFromMs = this.#openedAtMs
    this.#noteGap = openChunkGaps(served, { admission, gateway })
  }

  /** From here on the stream is watched, even if the body is never requested. */
  open(): PushedBody {
    this.#gateway.streams.add(this)
    this.#stopListening = this.#admission.prepared.exchange.onLeave(() => this.#leaveLogged())
    return this
  }

  pushTo(sink: BodySink): void {
    if (this.isEnded) {
      sink.breakOff()
      return
    }
    this.#sink = sink
    this.#begin().catch((problem) => this.giveUp(problem))
  }

  giveUp(problem: unknown): void {
    if (this.isEnded) this.#breakOffLogged(problem)
    else this.fail(new GatewayError('provider_error', 'The answer could not be read.', { cause: problem }))
  }

  beat(nowMs: number): void {
    this.#noteProgress(nowMs)
    const { timeouts } = this.#gateway
    const supplierIdleMs = this.#served.candidate.route.supplier.timeouts.idleMs ?? timeouts.idleMs
    if (nowMs - this.#receivedAtMs >= supplierIdleMs && this.#isWaiting()) {
      this.fail(new GatewayError('provider_timeout', 'The supplier fell silent in the middle of its answer.'))
    } else if (nowMs - this.#takenAtMs >= timeouts.idleMs && !this.#isWaiting()) {
      this.#leaveLogged()
    } else if (nowMs - this.#sentAtMs >= timeouts.heartbeatMs) {
      this.#sendHeartbeat(nowMs)
    }
  }

  /** A client may take minutes for one large event, as long as it takes some of it. */
  #noteProgress(nowMs: number): void {
    const behindBytes = this.#sink?.behindBytes ?? 0
    if (behindBytes === 0 || behindBytes < this.#behindBytes) this.#takenAtMs = nowMs
    this.#behindBytes = behindBytes
  }

  fail(error: GatewayError): void {
    const outcome = error.code === 'shutting_down' ? 'interrupted' : 'supplier_failed'
    const isAtFault = outcome === 'supplier_failed'
    this.#reportToRouter(isAtFault ? { type: 'failed', failure: malformed(error.message) } : ABANDONED)
    if (error.cause !== undefined) this.#logProblem(error.cause)
    this.#endWithError(error, outcome).catch((problem) => this.#breakOffLogged(problem))
  }

  /** All that is left is to show the client that the answer is incomplete. */
  #breakOffLogged(problem: unknown): void {
    this.#logProblem(problem)
    this.#sink?.breakOff()
  }

  readonly #logProblem = (problem: unknown): void => {
    this.#gateway.log.trouble('a stream could not be settled', problem, this.#requestId)
  }

  #leaveLogged(): void {
    this.#leave().catch(this.#logProblem)
  }

  get #requestId(): string {
    return this.#admission.prepared.exchange.requestId
  }

  /** Whether the supplier is to send next. It is not silent while the client does not read. */
  #isWaiting(): boolean {
    return this.#sink !== null && !this.#sink.isBehind
  }

  #sendHeartbeat(nowMs: number): void {
    const { heartbeat } = this.#admission.prepared.protocol
    if (heartbeat === null || this.isEnded || !this.#isWaiting()) return
    this.#sentAtMs = nowMs
    this.#sink?.send(encoder.encode(heartbeat))
  }

  /** A short answer may have arrived at once; then too, its end is sent after the settlement. */
  async #begin(): Promise<void> {
    const { tap, first } = this.#stream
    const last = tap.isTerminated ? first.length - 1 : first.length
    for (const bytes of first.slice(0, last)) this.#send(bytes)
    if (tap.pace !== undefined && isHeldBack(tap)) {
      const released = await this.#payFor(null)
      if (this.isEnded) return
      if (tap.isTerminated) return this.#complete(released)
      if (released !== null) this.#send(released)
    }
    if (tap.failure !== null) return this.#endWithFailure(tap.failure)
    if (tap.isTerminated) return this.#complete(first[last] ?? null)
    await this.#waitForClient()
    return this.#flow.begin()
  }

  takePiece(piece: Piece): Promise<void> | null {
    if (this.isEnded) return null
    this.#noteReceived(piece)
    if (piece === 'end') return this.#endOfSupply()
    const { tap } = this.#stream
    this.#sentCharacters = tap.outputCharacters
    let forwarded: Uint8Array | null
    try {
      forwarded = tap.push(piece)
    } catch (problem) {
      return this.#endUnreadable(problem)
    }
    const isHeld = tap.pace !== undefined && isHeldBack(tap)
    return isHeld ? this.#forwardPaid(forwarded) : this.#sendOn(forwarded)
  }

  async #forwardPaid(before: Uint8Array | null): Promise<void> {
    const forwarded = await this.#payFor(before)
    await this.#sendOn(forwarded)
  }

  #sendOn(forwarded: Uint8Array | null): Promise<void> | null {
    if (this.isEnded) return null
    const { tap } = this.#stream
    if (tap.isTerminated) return this.#complete(forwarded)
    if (forwarded !== null) this.#send(forwarded)
    if (tap.failure !== null) return this.#endWithFailure(tap.failure)
    return this.#waitForClient()
  }

  /** Gives what may be sent now of what the tap holds back, after `before`. Ends the answer where the money ends. */
  async #payFor(before: Uint8Array | null): Promise<Uint8Array | null> {
    const { tap } = this.#stream
    const { released, isPaid } = await payFor(tap, this.#served.candidate.route, this.#admission)
    const forwarded = joinIfAny(before, released)
    if (!isPaid) await this.#cut(forwarded)
    return forwarded
  }

  /** Ends the answer as one that was cut by its length. */
  async #cut(before: Uint8Array | null): Promise<void> {
    this.#reportToRouter(ABANDONED)
    if (!this.#end()) return
    const { tap, abort } = this.#stream
    abort()
    const last = joinIfAny(before, cutFrames(tap, this.#admission.prepared.protocol))
    const end = { ...this.#endOf('completed'), isCut: true }
    try {
      await this.#admission.prepared.keepReply?.(tap.finalReply)
      if (last !== null) this.#bodies?.add(last)
      await this.#admission.settle(end)
    } catch (problem) {
      return this.#endNotStored(problem)
    }
    if (last !== null) this.#sink?.send(last)
    this.#sink?.end()
  }

  /** Nothing is read that the client has no room for. That slows a fast supplier down. Null when there is room. */
  #waitForClient(): Promise<void> | null {
    const sink = this.#sink
    if (sink?.isBehind) return this.#untilCaughtUp(sink)
    this.#takenAtMs = this.#receivedAtMs
    return null
  }

  async #untilCaughtUp(sink: BodySink): Promise<void> {
    this.#behindBytes = sink.behindBytes
    await sink.caughtUp()
    this.#takenAtMs = this.#gateway.clock.monotonicMs()
    this.#gapFromMs = this.#takenAtMs
  }

  #noteReceived(piece: Piece): void {
    const nowMs = this.#gateway.clock.monotonicMs()
    this.#receivedAtMs = nowMs
    if (piece === 'end') return
    this.#noteGap?.(nowMs - this.#gapFromMs)
    this.#gapFromMs = nowMs
  }

  /** Malformed bytes fail the answer with an error; they do not break the connection. */
  #endUnreadable(problem: unknown): Promise<void> {
    this.#gateway.log.trouble('a stream could not be read', problem, this.#requestId)
    return this.#endWithFailure(malformed('The stream cannot be read.'))
  }

  #send(bytes: Uint8Array): void {
    this.#sentAtMs = this.#receivedAtMs
    this.#sample.add(bytes)
    this.#bodies?.add(bytes)
    this.#sink?.send(bytes)
  }

  /** A stream that ends without its terminal event has failed, however quietly. */
  async #endOfSupply(): Promise<void> {
    const { tap } = this.#stream
    this.#sentCharacters = tap.outputCharacters
    let last = tap.end(this.#flow.isBroken)
    if (tap.pace !== undefined && isHeldBack(tap)) last = await this.#payFor(last)
    if (this.isEnded) return
    if (tap.isComplete) return this.#complete(last)
    if (last !== null) this.#send(last)
    const failure = tap.failure ?? malformed('The stream ended before its terminal event.')
    return this.#endWithFailure(failure)
  }

  #endWithFailure(failure: SupplierFailure): Promise<void> {
    const { secret } = this.#served.candidate.credential
    this.#reportToRouter({ type: 'failed', failure })
    return this.#endWithError(failureError(withoutSecret(failure, secret)), 'supplier_failed')
  }

  async #complete(last: Uint8Array | null): Promise<void> {
    this.#reportToRouter({ type: 'completed' })
    if (!this.#end()) return
    try {
      await this.#admission.prepared.keepReply?.(this.#stream.tap.finalReply)
      if (last !== null) {
        this.#sample.add(last)
        this.#bodies?.add(last)
      }
      await this.#admission.settle(this.#endOf('completed'))
    } catch (problem) {
      return this.#endNotStored(problem)
    }
    if (last !== null) this.#sink?.send(last)
    this.#sink?.end()
    await this.#release()
  }

  /** The answer is complete, but it or its cost could not be stored. The client gets an error instead of its end. */
  async #endNotStored(problem: unknown): Promise<void> {
    this.#logProblem(problem)
    this.#stream.abort()
    try {
      await this.#admission.settle(cutShort(this.#endOf('completed')))
    } catch {
      // It is the settlement that could not be written, and the error for the client says so.
    }
    const error = problem instanceof GatewayError ? problem : unwritableError(NOT_STORED, problem)
    this.#sendError(error, true)
  }

  async #endWithError(error: GatewayError, outcome: Outcome): Promise<void> {
    if (!this.#end()) return
    this.#stream.abort()
    await this.#admission.settle(this.#endOf(outcome))
    this.#sendError(error)
  }

  #sendError(error: GatewayError, isEndWithheld = false): void {
    const { exchange } = this.#admission.prepared
    exchange.error = loggedError(error, exchange.bodyOwner)
    this.#sink?.send(encoder.encode(this.#stream.tap.fail(error, isEndWithheld)))
    if (this.#admission.prepared.protocol.breaksOffAfterError) this.#breakOff()
    else this.#sink?.end()
  }

  /** A supplier that breaks off has failed, although its first byte counted as an answer. A client that leaves is no failure. */
  #reportToRouter(result: EndedStream['result']): void {
    if (this.isEnded) return
    const { candidate } = this.#served
    const { modelId } = candidate.route.route
    this.#gateway.router.endStream({ candidate, modelId, begunAtMs: this.#openedAtMs, result })
  }

  /** Breaks the connection after the error frame has had time to leave. */
  #breakOff(): void {
    setTimeout(() => this.#sink?.breakOff(), BREAK_OFF_MS)
  }

  async #leave(): Promise<void> {
    this.#reportToRouter(ABANDONED)
    if (!this.#end()) return
    this.#stream.abort()
    await this.#admission.settle(this.#endOf('client_left'))
    // The client may still be connected but not read.
    this.#sink?.breakOff()
  }

  /** False when it has ended already. */
  #end(): boolean {
    if (this.isEnded) return false
    this.isEnded = true
    this.#gateway.streams.remove(this)
    this.#stopListening?.()
    return true
  }

  #endOf(outcome: Outcome): RequestEnd {
    const { tap } = this.#stream
    const { candidate, plan } = this.#served
    const unfinished = outcome === 'client_left' ? (tap.unfinished ?? null) : null
    return {
      outcome,
      hasDelivered: true,
      reported: unfinished ?? tap.usage,
      isCounted: unfinished === null ? tap.isCounted : true,
      ownCount: tap.ownCount,
      outputCharacters: tap.outputCharacters,
      images: tap.images,
      inlineImages: tap.inlineImages,
      outputTokens: tap.pace?.outputTokens,
      sentCharacters: this.#sentCharacters,
      sample: this.#sample,
      served: { candidate, format: plan.supplierProtocol.name },
    }
  }

  /** Lets the supplier end its response, so that its connection can be used again. */
  async #release(): Promise<void> {
    const { reader, abort } = this.#stream
    const timer = setTimeout(abort, CLOSE_WAIT_MS)
    try {
      const { done } = await reader.read()
      if (!done) abort()
    } catch {
      // The connection is closed already.
    } finally {
      clearTimeout(timer)
    }
  }
}
