import type { SupplierFailure } from '../../errors/supplier-failure.ts'
import { readRemaining, type SupplierRemaining } from '../../rules/routing/supplier-headers.ts'
import type { CallTarget } from '../../suppliers/supplier-type.ts'
import type { Clock } from '../../vocabulary/clock.ts'
import { isPending } from '../../vocabulary/runtime/maybe-promise.ts'
import { asResponse, type HttpAnswer } from '../../wire/http-answer.ts'
import { MAX_MESSAGE_BYTES, MAX_REPLY_BYTES, readText } from '../../wire/read-text.ts'
import type { Exchange } from '../ports/exchange.ts'
import type { CallPatience, CallSupplier } from '../ports/supplier-call.ts'
import type { CallPlan, WholeReading } from './call-plan.ts'
import type { CallResult } from './call-result.ts'
import { failureOf, malformed, retryAfterSecondsOf } from './supplier-failures.ts'

export interface AskParts {
  readonly target: CallTarget
  readonly credentialId: string
  readonly callSupplier: CallSupplier
  readonly client: Pick<Exchange, 'onLeave'>
  readonly clock: Clock
  readonly connectMs: number
  readonly firstByteMs: number
}

/** Calls a supplier as planned. Resolves with its first usable bytes, its whole reply, or its failure. Never rejects. */
export async function ask(plan: CallPlan, parts: AskParts): Promise<CallResult> {
  const { target, callSupplier, clock, connectMs, credentialId } = parts
  const { url, headers, body = plan.body, readResponse } = target
  const patience = new SupplierPatience(parts.client, parts.firstByteMs)
  const call = { url, headers, body, connectMs, patience, credentialId }
  try {
    if (plan.copies > 1) return await askSeveral(plan, parts, patience)
    const answer = await callSupplier(call)
    const response: HttpAnswer = readResponse === undefined ? answer : await readResponse(asResponse(answer))
    const nowMs = clock.nowMs()
    const remaining = readRemaining(response.headers, nowMs)
    if (!response.ok) return failed(await readFailure(plan, response, nowMs), remaining)
    if (plan.isStreamed && response.headers.get('content-type')?.includes('text/event-stream')) {
      return await openStream(plan, response, { patience, remaining })
    }
    // A supplier may answer a request for a stream with a whole reply.
    const text = response.textNow?.() ?? (await readText(response, plan.maxReplyBytes ?? MAX_REPLY_BYTES))
    if (text === null) return tooLong(patience, remaining)
    const whole = plan.readWhole([text], patience)
    return wholeResult(isPending(whole) ? await whole : whole, remaining)
  } catch (error) {
    // One of several calls may have failed while the others still run.
    patience.abort()
    if (patience.hasClientLeft) return { type: 'client-left', remaining: null }
    return failed(failureOf(error, patience.hasTimedOut))
  } finally {
    patience.rest()
  }
}

async function askSeveral(
  plan: CallPlan,
  { target, callSupplier, clock, connectMs, credentialId }: AskParts,
  patience: SupplierPatience,
): Promise<CallResult> {
  const { url, headers, body = plan.body, readResponse } = target
  const askOnce = async () => {
    const answer = await callSupplier({ url, headers, body, connectMs, patience, credentialId })
    return readResponse === undefined ? answer : await readResponse(asResponse(answer))
  }
  const responses: HttpAnswer[] = await Promise.all(Array.from({ length: plan.copies }, askOnce))
  const refused = responses.find((response) => !response.ok)
  if (refused !== undefined) {
    const nowMs = clock.nowMs()
    const failure = await readFailure(plan, refused, nowMs)
    patience.abort()
    return failed(failure, readRemaining(refused.headers, nowMs))
  }
  const maxBytes = plan.maxReplyBytes ?? MAX_REPLY_BYTES
  const texts = await Promise.all(responses.map((response) => readText(response, maxBytes)))
  const replies = texts.filter((text) => text !== null)
  if (replies.length < texts.length) return tooLong(patience, null)
  return wholeResult(await plan.readWhole(replies, patience), null)
}

function tooLong(patience: SupplierPatience, remaining: SupplierRemaining | null): CallResult {
  patience.abort()
  return failed(malformed('The reply is longer than any answer.'), remaining)
}

function wholeResult(whole: WholeReading, remaining: SupplierRemaining | null): CallResult {
  if (whole === null) return failed(malformed('The reply is not of its format.'), remaining)
  if ('failure' in whole) return failed(whole.failure, remaining)
  return { ...whole, type: 'whole', remaining }
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
  plan: CallPlan,
  response: HttpAnswer,
  { patience, remaining }: Opening,
): Promise<CallResult> {
  if (response.body === null) return failed(malformed('The stream has no body.'), remaining)
  const tap = plan.openTap()
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

  /** Created on first use: a signal costs more than everything else here. */
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

  /** Stops the timer; the call itself may go on. */
  rest(): void {
    clearTimeout(this.#timer)
    this.#stopListening()
  }
}
