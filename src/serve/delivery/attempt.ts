import type { SupplierFailure } from '../../errors/supplier-failure.ts'
import type { AttemptVerdict } from '../../rules/routing/router.ts'
import { targetOf } from '../../suppliers/index.ts'
import type { CallTarget } from '../../suppliers/supplier-type.ts'
import { isPending, type MaybePromise } from '../../vocabulary/runtime/maybe-promise.ts'
import type { Attempt } from '../../vocabulary/settlement.ts'
import type { Admission } from '../admission/admission.ts'
import { capacityWindows } from '../admission/capacity.ts'
import { modelOver } from '../admission/prepared-request.ts'
import type { CredentialRefusal, Gateway } from '../gateway.ts'
import type { Exchange } from '../ports/exchange.ts'
import type { AttemptSpan } from '../ports/request-observer.ts'
import { ask } from './ask.ts'
import type { CallPlan } from './call-plan.ts'
import type { CallResult } from './call-result.ts'
import { MAX_ATTEMPTS, type ReadyCandidate } from './candidate-queue.ts'
import { failureOf, isWorthAnotherTry, withoutSecret } from './supplier-failures.ts'

export interface AttemptParts {
  readonly admission: Admission
  readonly gateway: Gateway
  /** Ends the attempt when it leaves; the client of the request when absent. */
  readonly client?: Pick<Exchange, 'onLeave'>
  /** Whether the attempt was cancelled because another candidate answered first. */
  isOvertaken?(): boolean
}

/** The result of an attempt, and the candidate it came from. */
export interface Attempted {
  readonly result: CallResult
  readonly served: ReadyCandidate
  /** The attempt at another candidate that was under way as well when the client left. */
  readonly rival?: Attempted
}

/** Calls a candidate, and a second time when its error says how to repair the request. */
export async function attempt(first: ReadyCandidate, parts: AttemptParts): Promise<Attempted> {
  const { admission, gateway, client = admission.prepared.exchange } = parts
  let served = first
  for (;;) {
    const { candidate, plan } = served
    const running = begin(served, parts)
    let result: CallResult
    try {
      const target = addressOf(served, parts, plan.body)
      result = await ask(plan, {
        target: isPending(target) ? await target : target,
        targetFor: plan.bodies && ((body) => addressOf({ candidate, plan }, parts, body)),
        trace: running.trace,
        credentialId: candidate.credential.id,
        callSupplier: gateway.callSupplier,
        client,
        clock: gateway.clock,
        connectMs: candidate.route.supplier.timeouts.connectMs ?? gateway.timeouts.connectMs,
        firstByteMs: running.firstByteMs,
      })
    } catch (error) {
      // The address may have to be fetched or signed, which may fail like the call itself.
      result = { type: 'failed', failure: failureOf(error, false), remaining: null }
    }
    result = end(result, running, parts)
    if (served !== first) {
      if (result.type === 'whole' || result.type === 'stream') plan.noteAnswered?.()
      return { result, served }
    }
    if (result.type !== 'failed' || result.failure.kind !== 'input') return { result, served }
    const mended = await mend(served, result.failure, parts)
    if (mended === null) return { result, served }
    served = mended
  }
}

/** The same candidate with a repaired request; null when there is none, or no capacity for it. */
async function mend(
  { candidate, plan: refused }: ReadyCandidate,
  failure: SupplierFailure,
  { admission, gateway }: AttemptParts,
): Promise<ReadyCandidate | null> {
  if (admission.attempts.length >= MAX_ATTEMPTS || admission.remainingMs() <= 0) return null
  const plan = (await refused.mend?.(failure)) ?? null
  if (plan === null) return null
  const model = modelOver(admission.prepared.target, candidate.route)
  // To the supplier, the repaired request is another request, which its limits count.
  const windows = capacityWindows(candidate, {
    model,
    tokens: admission.tokens,
    copies: plan.copies,
    isFirst: admission.attempts.length === 0,
  })
  const refusal = await gateway.admissions.takeCapacity(windows)
  if (refusal !== null || !gateway.router.begin(candidate, model.id)) return null
  return { candidate, plan, reason: 'mended' }
}

/** A call to a candidate that has begun. */
interface RunningAttempt {
  readonly served: ReadyCandidate
  readonly startedAtMs: number
  /** The same moment by the monotonic clock. */
  readonly begunAtMs: number
  /** How long the supplier has to begin its answer. */
  readonly firstByteMs: number
  /** Whether that is much less than it should have, because others have used up the time of the request. */
  readonly isCutShort: boolean
  /** Whether that is less than usual, because it has left other requests unanswered. */
  readonly isShortened: boolean
  /** null when requests are not traced. */
  readonly span: AttemptSpan | null
  /** What the supplier is told of it. */
  readonly trace: AttemptSpan['headers']
}

function begin(served: ReadyCandidate, { admission, gateway }: AttemptParts): RunningAttempt {
  const { route, patienceMs } = served.candidate
  const supplierMs = route.supplier.timeouts.firstByteMs ?? gateway.timeouts.firstByteMs
  const usualMs = Math.min(supplierMs, patienceMs ?? supplierMs)
  const begunAtMs = gateway.clock.monotonicMs()
  const remainingMs = admission.remainingMs(begunAtMs)
  const span = beginSpan(admission.prepared.exchange, gateway)
  return {
    served,
    startedAtMs: gateway.clock.nowMs(),
    begunAtMs,
    firstByteMs: Math.min(usualMs, remainingMs),
    isShortened: usualMs < Math.min(supplierMs, remainingMs),
    span,
    trace: span === null ? null : span.headers,
    isCutShort: remainingMs < Math.min(usualMs, gateway.timeouts.deadlineMs / 2),
  }
}

function beginSpan({ trace }: Exchange, { observer }: Gateway): AttemptSpan | null {
  return observer === undefined || trace === undefined ? null : observer.beginAttempt(trace)
}

const NO_BETAS: readonly string[] = []

function addressOf(
  { candidate, plan }: ReadyCandidate,
  { admission, gateway }: AttemptParts,
  body: CallPlan['body'],
): MaybePromise<CallTarget> {
  const { supplier, route } = candidate.route
  const { exchange, protocol } = admission.prepared
  return targetOf(
    supplier.type,
    {
      format: plan.supplierProtocol.name,
      baseUrl: supplier.baseUrl,
      secret: candidate.credential.secret,
      options: supplier.options,
      upstreamModel: route.upstreamModel,
      stream: plan.isStreamed,
      body: typeof body === 'string' ? body : '',
      // Headers of a client of another format are not written for this supplier.
      clientHeaders: protocol.name === plan.supplierProtocol.name ? exchange.headers : null,
      betas: plan.betas ?? NO_BETAS,
      operation: plan.operation ?? 'generate',
    },
    gateway.callTools,
  )
}

/** Reports the end of an attempt to the router, and records it for the settlement. */
function end(raw: CallResult, running: RunningAttempt, parts: AttemptParts): CallResult {
  const { admission, gateway } = parts
  const { candidate, reason = candidate.reason } = running.served
  const elapsedMs = gateway.clock.monotonicMs() - running.begunAtMs
  const result = raw.type === 'failed' ? { ...raw, failure: publicFailure(raw.failure, running) } : raw
  const { modelId } = candidate.route.route
  gateway.router.end({ candidate, modelId, result: routingResult(result, elapsedMs, running) })
  const failure = result.type === 'failed' ? result.failure : null
  const hasAnswered = result.type === 'whole' || result.type === 'stream'
  const record: Attempt = {
    ...(admission.prepared.target.alias !== undefined && { model: modelId }),
    supplier: candidate.route.supplier.id,
    credentialId: candidate.credential.id,
    reason,
    result: hasAnswered ? 'answered' : unansweredResult(failure, parts),
    status: hasAnswered ? 200 : (failure?.status ?? null),
    failure: failure === null ? null : describeFailure(failure),
    startedAtMs: running.startedAtMs,
    firstByteMs: hasAnswered ? elapsedMs : null,
    durationMs: elapsedMs,
  }
  admission.attempts.push(record)
  const { span } = running
  if (span !== null)
    admission.prepared.exchange.trace?.recording?.attempts.push({ spanId: span.spanId, record })
  if (failure !== null) noteFailure(record, { failure, modelId }, parts)
  return result
}

/** The failure without our secret, and with what the client should know about a shorter wait. */
function publicFailure(
  raw: SupplierFailure,
  { served, isShortened, firstByteMs }: RunningAttempt,
): SupplierFailure {
  const failure = withoutSecret(raw, served.candidate.credential.secret)
  return isShortened && failure.kind === 'timeout' ? { ...failure, shortenedWaitMs: firstByteMs } : failure
}

function routingResult(
  result: CallResult,
  firstByteMs: number,
  { isCutShort }: RunningAttempt,
): AttemptVerdict {
  const { remaining } = result
  switch (result.type) {
    case 'whole':
      return { type: 'answered', firstByteMs, remaining }
    case 'stream':
      return { type: 'answered', firstByteMs, remaining, isStreaming: true }
    case 'failed':
      // The supplier was not called.
      if (result.failure.kind === 'local') return { type: 'abandoned' }
      // Not the supplier's fault: others have used up its time.
      if (isCutShort && result.failure.kind === 'timeout') return { type: 'abandoned' }
      return { type: 'failed', failure: result.failure, remaining }
    case 'client-left':
      return { type: 'abandoned' }
  }
}

/** `failure` is null when the client has left or the attempt was cancelled. */
function unansweredResult(failure: SupplierFailure | null, { isOvertaken }: AttemptParts): Attempt['result'] {
  if (failure !== null) return isWorthAnotherTry(failure) ? 'failed' : 'refused'
  return isOvertaken?.() === true ? 'overtaken' : 'client_left'
}

function noteFailure(
  record: Attempt,
  { failure, modelId }: { readonly failure: SupplierFailure; readonly modelId: string },
  { admission, gateway }: AttemptParts,
): void {
  const { supplier, credentialId, status } = record
  const { requestId, trace } = admission.prepared.exchange
  const line = { requestId, supplier, credentialId, failure: record.failure ?? '', status }
  gateway.log.attemptFailed(trace === undefined ? line : { ...line, trace })
  const evidence = evidenceIn(failure)
  if (evidence === null) return
  gateway.onCredentialRefused({ supplierId: supplier, credentialId, modelId, evidence })
}

/** What a failure says against the credential; null when it says nothing, or nothing that lasts. */
function evidenceIn({ kind, status, isSuspected }: SupplierFailure): CredentialRefusal['evidence'] | null {
  if (kind === 'denied') return 'denied'
  if (kind !== 'credential') return null
  // A credential that is used up for now recovers by itself.
  if (status === 429) return null
  return isSuspected === true ? 'suspected' : 'said'
}

/** A complaint about the client's input may quote it, and prompts belong in no log and no record. */
function describeFailure({ kind, message, param }: SupplierFailure): string {
  const isAboutInput = kind === 'input' || kind === 'context-length'
  if (!isAboutInput) return `${kind}: ${message}`
  return param === null ? kind : `${kind}: ${param}`
}
