import type { SupplierFailure } from '../../errors/supplier-failure.ts'
import type { StreamTap } from '../../protocols/protocol.ts'
import { readRemaining, type SupplierRemaining } from '../../rules/routing/supplier-headers.ts'
import type { CallTarget } from '../../suppliers/supplier-type.ts'
import type { Clock } from '../../vocabulary/clock.ts'
import { asResponse, type HttpAnswer } from '../../wire/http-answer.ts'
import { MAX_IMAGE_REPLY_BYTES, MAX_MESSAGE_BYTES, MAX_REPLY_BYTES, readText } from '../../wire/read-text.ts'
import type { CallPlan, WholeReading } from '../families/text/lanes/lane-plan.ts'
import type { Exchange } from '../ports/exchange.ts'
import type { CallSupplier } from '../ports/supplier-call.ts'
import type { CallResult } from './call-result.ts'
import { SupplierPatience } from './supplier-patience.ts'
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

/** Calls a supplier as a lane has planned it. Resolves at its first usable bytes, its whole reply, or its failure. */
export async function ask(plan: CallPlan, parts: AskParts): Promise<CallResult> {
  const patience = new SupplierPatience(parts.client, parts.firstByteMs)
  try {
    if (plan.copies > 1) return await askSeveral(plan, parts, patience)
    const response = await send(plan, parts, patience)
    const nowMs = parts.clock.nowMs()
    const remaining = readRemaining(response.headers, nowMs)
    if (!response.ok) {
      return { type: 'failed', failure: await readFailure(plan, response, nowMs), remaining }
    }
    if (plan.isStreamed && isEventStream(response)) {
      return { ...(await openStream(plan, response, patience)), remaining }
    }
    // A supplier that answers a stream request with a whole reply has answered all the same.
    const text = response.textNow?.() ?? (await readText(response, maxReplyBytes(plan)))
    if (text === null) return { ...tooLong(patience), remaining }
    const whole = plan.readWhole([text], patience)
    return answerOf(whole instanceof Promise ? await whole : whole, remaining)
  } catch (error) {
    // One of several calls may have failed while the others still run.
    patience.abort()
    if (patience.hasClientLeft) return { type: 'client-left', remaining: null }
    return { type: 'failed', failure: failureOf(error, patience.hasTimedOut), remaining: null }
  } finally {
    patience.rest()
  }
}

function send(
  plan: CallPlan,
  { target, callSupplier, connectMs, credentialId }: AskParts,
  patience: SupplierPatience,
): Promise<HttpAnswer> {
  const { url, headers, body = plan.body, readResponse } = target
  const response = callSupplier({ url, headers, body, connectMs, patience, credentialId })
  return readResponse === undefined ? response : response.then((answer) => readResponse(asResponse(answer)))
}

async function askSeveral(plan: CallPlan, parts: AskParts, patience: SupplierPatience): Promise<CallResult> {
  const responses = await Promise.all(Array.from({ length: plan.copies }, () => send(plan, parts, patience)))
  const refused = responses.find((response) => !response.ok)
  if (refused !== undefined) {
    const nowMs = parts.clock.nowMs()
    const failure = await readFailure(plan, refused, nowMs)
    patience.abort()
    return { type: 'failed', failure, remaining: readRemaining(refused.headers, nowMs) }
  }
  const texts = await Promise.all(responses.map((response) => readText(response, maxReplyBytes(plan))))
  const replies = texts.filter((text) => text !== null)
  if (replies.length === texts.length) return answerOf(await plan.readWhole(replies, patience), null)
  return tooLong(patience)
}

function maxReplyBytes({ operation }: CallPlan): number {
  const isPicture = operation === 'generate-image' || operation === 'edit-image'
  return isPicture ? MAX_IMAGE_REPLY_BYTES : MAX_REPLY_BYTES
}

function tooLong(patience: SupplierPatience): CallResult {
  patience.abort()
  return failedWith(malformed('The reply is longer than any answer.'))
}

function answerOf(whole: WholeReading, remaining: SupplierRemaining | null): CallResult {
  if (whole === null) return { ...failedWith(malformed('The reply is not of its format.')), remaining }
  if ('failure' in whole) return { ...failedWith(whole.failure), remaining }
  return { ...whole, type: 'whole', remaining }
}

function failedWith(failure: SupplierFailure): CallResult {
  return { type: 'failed', failure, remaining: null }
}

function isEventStream(response: HttpAnswer): boolean {
  return response.headers.get('content-type')?.includes('text/event-stream') ?? false
}

/** Reads until the first event a client can use: up to here every failure can still become a plain error. */
async function openStream(plan: CallPlan, response: HttpAnswer, patience: SupplierPatience): Promise<CallResult> {
  if (response.body === null) return failedWith(malformed('The stream has no body.'))
  const tap = plan.openTap()
  const reader = response.body.getReader()
  const first: Uint8Array[] = []
  while (!tap.hasContent) {
    const { done, value } = await reader.read()
    const bytes = done ? tap.end() : tap.push(value)
    if (bytes !== null) first.push(bytes)
    const failure = done && !tap.hasContent ? emptyStream(tap) : tap.failure
    if (failure !== null) {
      patience.abort()
      return failedWith(failure)
    }
  }
  return { type: 'stream', stream: { tap, reader, first, abort: () => patience.abort() }, remaining: null }
}

function emptyStream(tap: StreamTap): SupplierFailure {
  return tap.failure ?? malformed('The stream ended before anything was said.')
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
