import type { SupplierFailure } from '../errors/supplier-failure.ts'
import type { AttemptResult } from '../rules/routing/router.ts'
import { supplierTypeOf } from '../suppliers/index.ts'
import type { CallTarget } from '../suppliers/supplier-type.ts'
import type { Attempt } from '../vocabulary/settlement.ts'
import type { Admission } from './admission.ts'
import type { Answer } from './answer.ts'
import { ask } from './ask.ts'
import type { ReadyCandidate } from './candidate-line.ts'
import { capacityWindows } from './capacity.ts'
import type { Gateway } from './gateway.ts'
import type { Exchange } from './ports/exchange.ts'
import { failureOf, isWorthAnotherTry, withoutSecret } from './supplier-trouble.ts'

// More tries would only add to the time a client waits for the same bad news.
export const MOST_ATTEMPTS = 3

export interface AttemptParts {
  readonly admission: Admission
  readonly gateway: Gateway
  /** Whose going ends the attempt, when it is not only the client's. */
  readonly client?: Pick<Exchange, 'onLeave'>
}

/** An answer, and what it was got from. */
export interface Tried {
  readonly answer: Answer
  readonly served: ReadyCandidate
}

/** One try, and one more when the supplier's complaint says how to mend the request. */
export async function attemptWithRepairs(ready: ReadyCandidate, parts: AttemptParts): Promise<Tried> {
  const answer = await attempt(ready, parts)
  if (answer.type !== 'failed' || answer.failure.kind !== 'input') return { answer, served: ready }
  const { admission, gateway } = parts
  if (admission.attempts.length >= MOST_ATTEMPTS) return { answer, served: ready }
  const plan = (await ready.plan.mend?.(answer.failure)) ?? null
  if (plan === null) return { answer, served: ready }
  // The mended request is a request of its own to the supplier, whose limits count it.
  const refusal = await gateway.admissions.takeCapacity(capacityWindows(admission, ready.candidate, plan))
  if (refusal !== null || !gateway.router.begin(ready.candidate, admission.asking.target.model.id)) {
    return { answer, served: ready }
  }
  const mended = { candidate: ready.candidate, plan, reason: 'mended' }
  return { answer: await attempt(mended, parts), served: mended }
}

/** One call to a candidate whose attempt has begun; its end is told to the router and noted for the settlement. */
async function attempt(ready: ReadyCandidate, parts: AttemptParts): Promise<Answer> {
  const { admission, gateway } = parts
  const { candidate } = ready
  const { target } = admission.asking
  const startedAtMs = gateway.clock.nowMs()
  const answer = hideSecret(await call(ready, parts), candidate.credential.secret)
  const endedAtMs = gateway.clock.nowMs()
  const result = resultFor(answer, endedAtMs - startedAtMs)
  gateway.router.end({ candidate, modelId: target.model.id, result })
  const record = attemptRecord(ready, answer, { startedAtMs, endedAtMs })
  admission.attempts.push(record)
  if (answer.type === 'failed') noteFailure(record, answer.failure, parts)
  return answer
}

/** An address may have to be fetched or signed first, which may fail like the call itself. */
async function call({ candidate, plan }: ReadyCandidate, parts: AttemptParts): Promise<Answer> {
  const { admission, gateway, client = admission.asking.exchange } = parts
  const { timeouts } = candidate.route.supplier
  try {
    const target = addressOf({ candidate, plan }, parts)
    return await ask(plan, {
      target: target instanceof Promise ? await target : target,
      callSupplier: gateway.callSupplier,
      client,
      clock: gateway.clock,
      connectMs: timeouts.connectMs ?? gateway.timeouts.connectMs,
      firstByteMs: Math.min(timeouts.firstByteMs ?? gateway.timeouts.firstByteMs, admission.remainingMs()),
    })
  } catch (error) {
    return { type: 'failed', failure: failureOf(error, false), remaining: null }
  }
}

function addressOf(
  { candidate, plan }: ReadyCandidate,
  { admission, gateway }: AttemptParts,
): CallTarget | Promise<CallTarget> {
  const { supplier, route } = candidate.route
  return supplierTypeOf(supplier.type).target(
    {
      format: plan.supplierProtocol.name,
      baseUrl: supplier.baseUrl,
      secret: candidate.credential.secret,
      options: supplier.options,
      upstreamModel: route.upstreamModel,
      stream: plan.isStreamed,
      body: typeof plan.body === 'string' ? plan.body : '',
      clientHeaders: admission.asking.exchange.headers,
      ...(plan.operation !== undefined && { operation: plan.operation }),
    },
    gateway.callTools,
  )
}

function resultFor(answer: Answer, elapsedMs: number): AttemptResult {
  switch (answer.type) {
    case 'whole':
    case 'stream':
      return { type: 'answered', firstByteMs: elapsedMs, remaining: answer.remaining }
    case 'failed':
      return { type: 'failed', failure: answer.failure, remaining: answer.remaining }
    case 'client-left':
      return { type: 'abandoned' }
  }
}

function noteFailure(record: Attempt, failure: SupplierFailure, { admission, gateway }: AttemptParts): void {
  const { supplier, credentialId, status } = record
  const { requestId } = admission.asking.exchange
  gateway.log.attemptFailed({ requestId, supplier, credentialId, failure: record.failure ?? '', status })
  const isRefused = failure.kind === 'credential' && (status === 401 || status === 403)
  if (isRefused) gateway.onCredentialRefused({ supplierId: supplier, credentialId })
}

function hideSecret(answer: Answer, secret: string): Answer {
  return answer.type === 'failed' ? { ...answer, failure: withoutSecret(answer.failure, secret) } : answer
}

function attemptRecord(
  { candidate, reason = candidate.reason }: ReadyCandidate,
  answer: Answer,
  times: { readonly startedAtMs: number; readonly endedAtMs: number },
): Attempt {
  const failure = answer.type === 'failed' ? answer.failure : null
  const elapsedMs = times.endedAtMs - times.startedAtMs
  return {
    supplier: candidate.route.supplier.id,
    credentialId: candidate.credential.id,
    reason,
    result: resultOf(answer),
    status: failure === null ? 200 : failure.status,
    failure: failure === null ? null : describeFailure(failure),
    startedAtMs: times.startedAtMs,
    firstByteMs: failure === null ? elapsedMs : null,
    durationMs: elapsedMs,
  }
}

/** A complaint about the client's input may quote it, and prompts belong in no log and no record. */
function describeFailure({ kind, message, param }: SupplierFailure): string {
  const isAboutInput = kind === 'input' || kind === 'context-length'
  if (!isAboutInput) return `${kind}: ${message}`
  return param === null ? kind : `${kind}: ${param}`
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
