import type { SupplierFailure } from '../../errors/supplier-failure.ts'
import type { ReplyFacts, StreamTap } from '../../protocols/protocol.ts'
import { readRemaining, type SupplierRemaining } from '../../rules/routing/supplier-headers.ts'
import type { CallTarget } from '../../suppliers/supplier-type.ts'
import type { Clock } from '../../vocabulary/clock.ts'
import { isPending, type MaybePromise } from '../../vocabulary/runtime/maybe-promise.ts'
import { asResponse, type HttpAnswer } from '../../wire/http-answer.ts'
import type { PiecedBody } from '../../wire/pieced-body.ts'
import { MAX_MESSAGE_BYTES, MAX_REPLY_BYTES, readText } from '../../wire/read-text.ts'
import type { Exchange } from '../ports/exchange.ts'
import type { AbortCall, CallPatience, CallSupplier, TraceHeaders } from '../ports/supplier-call.ts'
import type { CallPlan, WholeReading } from './call-plan.ts'
import type { CallResult } from './call-result.ts'
import { failureOf, malformed, retryAfterSecondsOf } from './supplier-failures.ts'

export interface AskParts {
  readonly target: CallTarget
  /** The same for one of several bodies, which some suppliers have signed. */
  readonly targetFor?: ((body: string) => MaybePromise<CallTarget>) | undefined
  readonly credentialId: string
  /** Null or absent when the supplier is told no trace. */
  readonly trace?: TraceHeaders | null
  readonly callSupplier: CallSupplier
  readonly client: Pick<Exchange, 'onLeave'>
  readonly clock: Clock
  readonly connectMs: number
  readonly firstByteMs: number
}

/** Calls a supplier as planned. Resolves with its first usable bytes, its whole reply, or its failure. Never rejects. */
export async function ask(plan: CallPlan, parts: AskParts): Promise<CallResult> {
  const { target, callSupplier, clock, connectMs, credentialId, trace = null } = parts
  const { url, headers, body = plan.pieces ?? plan.body, readResponse } = target
  const patience = new SupplierPatience(parts.client, parts.firstByteMs)
  const call = { url, headers, trace, body, connectMs, patience, credentialId }
  let tap: StreamTap | null = null
  try {
    // A supplier may charge for a request even if it is aborted at once.
    if (patience.hasClientLeft) return clientLeft(patience)
    if (plan.copies > 1) return await askSeveral(plan, parts, patience)
    const answer = await callSupplier(call)
    const response: HttpAnswer = readResponse === undefined ? answer : await readResponse(asResponse(answer))
    const nowMs = clock.nowMs()
    const remaining = readRemaining(response.headers, nowMs)
    if (!response.ok) return failed(await readFailure(plan, response, nowMs), remaining)
    if (plan.isStreamed && isStream(plan, response)) {
      tap = plan.openTap(contentTypeOf(response))
      return await openStream(tap, response, { patience, remaining })
    }
    // A supplier may answer a request for a stream with a whole reply.
    const text = response.textNow?.() ?? (await readText(response, plan.maxReplyBytes ?? MAX_REPLY_BYTES))
    if (text === null) return tooLong(patience, remaining)
    const whole = plan.readWhole([text], patience)
    return wholeResult(isPending(whole) ? await whole : whole, patience, remaining)
  } catch (error) {
    // One of several calls may have failed while the others still run.
    patience.abort()
    if (patience.hasClientLeft) return clientLeft(patience, tap)
    return failed(failureOf(error, patience.hasTimedOut))
  } finally {
    patience.rest()
  }
}

function isStream(plan: CallPlan, response: HttpAnswer): boolean {
  const contentType = contentTypeOf(response)
  return plan.isStream === undefined ? contentType.includes('text/event-stream') : plan.isStream(contentType)
}

function contentTypeOf({ headers }: HttpAnswer): string {
  return headers.get('content-type') ?? ''
}

/** How many copies of a request a supplier has at the same time. */
const MAX_COPIES_AT_ONCE = 8

/** Sends the copies of a request, each as soon as one of those before it has been answered. The first failure ends all. */
async function askSeveral(plan: CallPlan, parts: AskParts, patience: SupplierPatience): Promise<CallResult> {
  const replies: string[] = []
  let begun = 0
  let failure: CallResult | null = null
  const askOneByOne = async () => {
    while (begun < plan.copies && failure === null) {
      const place = begun++
      const part = plan.bodies?.[place]
      const target = part === undefined ? parts.target : ((await parts.targetFor?.(part)) ?? parts.target)
      const { body = part ?? plan.body } = target
      const reply = await askForText(plan, { ...parts, target: { ...target, body } }, patience)
      if (typeof reply !== 'string') {
        failure ??= reply
        return patience.abort()
      }
      replies[place] = reply
      patience.renew()
    }
  }
  try {
    const atOnce = Math.min(plan.copies, MAX_COPIES_AT_ONCE)
    await Promise.all(Array.from({ length: atOnce }, askOneByOne))
  } catch (error) {
    // After a refusal the other calls fail because they are aborted.
    if (failure === null) throw error
  }
  return failure ?? wholeResult(await plan.readWhole(replies, patience), patience, null)
}

type CopyParts = Omit<AskParts, 'target'> & {
  readonly target: Omit<CallTarget, 'body'> & { readonly body: string | PiecedBody }
}

async function askForText(
  plan: CallPlan,
  { target, callSupplier, clock, connectMs, credentialId, trace = null }: CopyParts,
  patience: SupplierPatience,
): Promise<string | CallResult> {
  const { url, headers, body, readResponse } = target
  const answer = await callSupplier({ url, headers, trace, body, connectMs, patience, credentialId })
  const response: HttpAnswer = readResponse === undefined ? answer : await readResponse(asResponse(answer))
  if (!response.ok) {
    const nowMs = clock.nowMs()
    return failed(await readFailure(plan, response, nowMs), readRemaining(response.headers, nowMs))
  }
  return (await readText(response, plan.maxReplyBytes ?? MAX_REPLY_BYTES)) ?? tooLong(patience, null)
}

function clientLeft({ sentCalls }: SupplierPatience, tap: StreamTap | null = null): CallResult {
  const work = { calls: sentCalls, reported: tap?.usage ?? null, facts: null }
  return { type: 'client-left', work, remaining: null }
}

function tooLong(patience: SupplierPatience, remaining: SupplierRemaining | null): CallResult {
  patience.abort()
  return failed(malformed('The reply is longer than any answer.'), remaining)
}

function wholeResult(
  whole: WholeReading,
  patience: SupplierPatience,
  remaining: SupplierRemaining | null,
): CallResult {
  if (whole === null) return failed(malformed('The reply is not of its format.'), remaining)
  if ('failure' in whole) return failed(whole.failure, remaining)
  if ('unfetched' in whole) return unfetched(whole.unfetched, patience)
  return { ...whole, type: 'whole', remaining }
}

function unfetched(facts: ReplyFacts, patience: SupplierPatience): CallResult {
  if (!patience.hasClientLeft) return failed(failureOf(null, patience.hasTimedOut))
  const work = { calls: patience.sentCalls, reported: null, facts }
  return { type: 'client-left', work, remaining: null }
}

function failed(failure: SupplierFailure, remaining: SupplierRemaining | null = null): CallResult {
  return { type: 'failed', failure, remaining }
}

interface Opening {
  readonly patience: SupplierPatience
  readonly remaining: SupplierRemaining | null
}

/** Reads until the first event that a client can use. Until then, every failure can still become a plain error. */
async function openStream(
  tap: StreamTap,
  response: HttpAnswer,
  { patience, remaining }: Opening,
): Promise<CallResult> {
  if (response.body === null) return failed(malformed('The stream has no body.'), remaining)
  const reader = response.body.getReader()
  const first: Uint8Array[] = []
  while (!tap.hasContent) {
    const { done, value } = await reader.read()
    const bytes = done ? tap.end() : tap.push(value)
    if (bytes !== null) first.push(bytes)
    const isEmpty = done && !tap.hasContent
    const failure = isEmpty
      ? (tap.failure ?? malformed('The stream ended before its first output.'))
      : tap.failure
    if (failure !== null) {
      patience.abort()
      return failed(failure, remaining)
    }
  }
  return { type: 'stream', stream: { tap, reader, first, abort: () => patience.abort() }, remaining }
}

async function readFailure(
  { supplierProtocol }: CallPlan,
  response: HttpAnswer,
  nowMs: number,
): Promise<SupplierFailure> {
  const text = (await readText(response, MAX_MESSAGE_BYTES)) ?? ''
  const failure = supplierProtocol.decodeError(response.status, text)
  return {
    ...failure,
    retryAfterSeconds: failure.retryAfterSeconds ?? retryAfterSecondsOf(response.headers, nowMs),
  }
}

/** Waits for a supplier until it answers, the client leaves, or the time is up. */
export class SupplierPatience implements CallPatience {
  readonly #timer: Timer
  readonly #stopListening: () => void
  readonly #calls: AbortCall[] = []
  #controller: AbortController | null = null
  #isAborted = false
  hasClientLeft = false
  hasTimedOut = false
  /** How many of the aborted calls the supplier had received as a whole. */
  sentCalls = 0

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

  /** Created on first use: a signal costs more than everything else here. */
  get signal(): AbortSignal {
    if (this.#controller === null) {
      const controller = new AbortController()
      this.#controller = controller
      this.onAbort(() => {
        controller.abort()
        return false
      })
    }
    return this.#controller.signal
  }

  onAbort(abort: AbortCall): void {
    if (!this.#isAborted) this.#calls.push(abort)
    else if (abort()) this.sentCalls += 1
  }

  abort(): void {
    this.#isAborted = true
    for (const abort of this.#calls.splice(0)) if (abort()) this.sentCalls += 1
  }

  /** Waits as long again, for the next of several calls. */
  renew(): void {
    this.#timer.refresh()
  }

  /** Stops the timer; the call itself may go on. */
  rest(): void {
    clearTimeout(this.#timer)
    this.#stopListening()
  }
}
