import { GatewayError } from '../errors/gateway-error.ts'
import type { SupplierFailure } from '../errors/supplier-failure.ts'
import { type Candidate, orderCandidates } from '../rules/routing/order-candidates.ts'
import { supplierTypeOf } from '../suppliers/index.ts'
import type { Attempt } from '../vocabulary/settlement.ts'
import { type Admission, NOTHING_DELIVERED } from './admission.ts'
import type { Answer } from './answer.ts'
import { AnswerBody } from './answer-body.ts'
import { capacityWindows } from './capacity.ts'
import type { Gateway } from './gateway.ts'
import { relay } from './relay.ts'
import { failureError, isWorthAnotherTry, supplierRateLimited } from './supplier-trouble.ts'

// More tries would only add to the time a client waits for the same bad news.
const MOST_ATTEMPTS = 3

/** What is sent to the client: a body whose settlement is taken care of, and the headers that say who served it. */
export interface Delivery {
  readonly body: string | ReadableStream<Uint8Array>
  readonly contentType: string
  readonly supplier: string
  readonly attempts: number
}

/**
 * Gets an answer from one of the candidates. Another one is tried only while nothing has been sent to the client;
 * the first usable bytes commit the request to the supplier they came from.
 */
export async function deliver(admission: Admission, gateway: Gateway): Promise<Delivery> {
  let lastFailure: SupplierFailure | null = null
  let freeInSeconds = Number.POSITIVE_INFINITY
  for (const candidate of orderCandidates(admission.asking.target.routes, gateway.random)) {
    const refusal = await gateway.admissions.takeCapacity(capacityWindows(admission, candidate))
    if (refusal?.reason === 'window') {
      freeInSeconds = Math.min(freeInSeconds, refusal.retryAfterSeconds)
      continue
    }
    const answer = await attempt(admission, candidate, gateway)
    if (answer.type === 'whole') return deliverWhole(admission, candidate, answer)
    if (answer.type === 'stream') return deliverStream(admission, candidate, { answer, gateway })
    if (answer.type === 'client-left') return await giveUp(admission, 'client_left', clientLeft())
    lastFailure = answer.failure
    if (!isWorthAnotherTry(lastFailure) || admission.attempts.length >= MOST_ATTEMPTS) break
  }
  return await giveUp(
    admission,
    outcomeOf(lastFailure),
    noAnswer(lastFailure, freeInSeconds, admission.attempts.length),
  )
}

async function attempt(admission: Admission, candidate: Candidate, gateway: Gateway): Promise<Answer> {
  const { protocol, request, exchange } = admission.asking
  const { supplier, route } = candidate.route
  const startedAtMs = gateway.clock.nowMs()
  const answer = await relay({
    protocol,
    request,
    upstreamModel: route.upstreamModel,
    target: supplierTypeOf(supplier.type).target({
      format: protocol.name,
      baseUrl: supplier.baseUrl,
      secret: candidate.credential.secret,
      upstreamModel: route.upstreamModel,
      stream: request.facts.stream,
    }),
    callSupplier: gateway.callSupplier,
    clientSignal: exchange.signal,
    firstByteMs: gateway.timeouts.firstByteMs,
  })
  const record = attemptRecord(candidate, answer, { startedAtMs, endedAtMs: gateway.clock.nowMs() })
  admission.attempts.push(record)
  if (record.failure !== null) {
    const { supplier: supplierId, credentialId, failure, status } = record
    gateway.log.attemptFailed({
      requestId: exchange.requestId,
      supplier: supplierId,
      credentialId,
      failure,
      status,
    })
  }
  return answer
}

function attemptRecord(
  candidate: Candidate,
  answer: Answer,
  times: { readonly startedAtMs: number; readonly endedAtMs: number },
): Attempt {
  const failure = answer.type === 'failed' ? answer.failure : null
  return {
    supplier: candidate.route.supplier.id,
    credentialId: candidate.credential.id,
    reason: candidate.reason,
    result: resultOf(answer),
    status: failure === null ? 200 : failure.status,
    failure: failure === null ? null : `${failure.kind}: ${failure.message}`,
    startedAtMs: times.startedAtMs,
    firstByteMs: failure === null ? times.endedAtMs - times.startedAtMs : null,
  }
}

function resultOf(answer: Answer): Attempt['result'] {
  switch (answer.type) {
    case 'whole':
    case 'stream':
      return 'answered'
    case 'client-left':
      return 'client_left'
    case 'failed':
      return isWorthAnotherTry(answer.failure) ? 'failed' : 'refused'
  }
}

async function deliverWhole(
  admission: Admission,
  candidate: Candidate,
  { body, facts }: Answer & { type: 'whole' },
): Promise<Delivery> {
  admission.noteFirstByte()
  await admission.settle({
    outcome: 'completed',
    hasDelivered: true,
    reported: facts.usage,
    outputCharacters: facts.outputCharacters,
    served: { candidate, format: admission.asking.protocol.name },
  })
  return { body, contentType: 'application/json', ...servedBy(admission, candidate) }
}

function deliverStream(
  admission: Admission,
  candidate: Candidate,
  { answer, gateway }: { answer: Answer & { type: 'stream' }; gateway: Gateway },
): Delivery {
  admission.noteFirstByte()
  const body = new AnswerBody({ admission, candidate, gateway, stream: answer.stream })
  return {
    body: body.open(),
    contentType: 'text/event-stream; charset=utf-8',
    ...servedBy(admission, candidate),
  }
}

function servedBy(admission: Admission, candidate: Candidate) {
  return { supplier: candidate.route.supplier.id, attempts: admission.attempts.length }
}

async function giveUp(
  admission: Admission,
  outcome: 'client_left' | 'supplier_failed' | 'refused',
  error: GatewayError,
): Promise<never> {
  await admission.settle({ outcome, ...NOTHING_DELIVERED, served: null })
  throw error
}

function outcomeOf(failure: SupplierFailure | null): 'supplier_failed' | 'refused' {
  return failure === null || isWorthAnotherTry(failure) ? 'supplier_failed' : 'refused'
}

function noAnswer(failure: SupplierFailure | null, freeInSeconds: number, attempts: number): GatewayError {
  if (failure !== null) return failureError(failure, attempts)
  if (Number.isFinite(freeInSeconds)) return supplierRateLimited(freeInSeconds)
  return new GatewayError('provider_overloaded', 'No supplier of this model can be used right now.')
}

function clientLeft(): GatewayError {
  return new GatewayError('internal_error', 'The client left before it was answered.')
}
