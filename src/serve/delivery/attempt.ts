import type { SupplierFailure } from '../../errors/supplier-failure.ts'
import type { AttemptResult } from '../../rules/routing/router.ts'
import { supplierTypeOf } from '../../suppliers/index.ts'
import type { CallTarget } from '../../suppliers/supplier-type.ts'
import type { Attempt } from '../../vocabulary/settlement.ts'
import type { Admission } from '../admission/admission.ts'
import { capacityWindows } from '../admission/capacity.ts'
import type { CredentialRefusal, Gateway } from '../gateway.ts'
import type { Exchange } from '../ports/exchange.ts'
import type { CallResult } from './call-result.ts'
import { ask } from './ask.ts'
import { MAX_ATTEMPTS, type ReadyCandidate } from './candidate-queue.ts'
import { failureOf, isWorthAnotherTry, withoutSecret } from './supplier-failures.ts'

export interface AttemptParts {
  readonly admission: Admission
  readonly gateway: Gateway
  /** Whose going ends the attempt, when it is not only the client's. */
  readonly client?: Pick<Exchange, 'onLeave'>
  /** Whether it was called off because another candidate answered first. */
  isOvertaken?(): boolean
}

/** An answer, and what it was got from. */
export interface AttemptOutcome {
  readonly answer: CallResult
  readonly served: ReadyCandidate
}

/** One try, and one more when the supplier's complaint says how to mend the request. */
export async function attemptWithRepairs(
  ready: ReadyCandidate,
  parts: AttemptParts,
): Promise<AttemptOutcome> {
  const running = begin(ready, parts)
  const answer = end(await call(running, parts), running, parts)
  if (answer.type !== 'failed' || answer.failure.kind !== 'input') return { answer, served: ready }
  const mended = await mend(ready, answer.failure, parts)
  if (mended === null) return { answer, served: ready }
  const again = begin(mended, parts)
  const second = end(await call(again, parts), again, parts)
  if (second.type === 'whole' || second.type === 'stream') mended.plan.noteAnswered?.()
  return { answer: second, served: mended }
}

/** The same candidate with a mended request, its attempt begun; null when there is none, or no room for it. */
async function mend(
  { candidate, plan: refused }: ReadyCandidate,
  failure: SupplierFailure,
  { admission, gateway }: AttemptParts,
): Promise<ReadyCandidate | null> {
  if (admission.attempts.length >= MAX_ATTEMPTS || admission.remainingMs() <= 0) return null
  const plan = (await refused.mend?.(failure)) ?? null
  if (plan === null) return null
  // The mended request is a request of its own to the supplier, whose limits count it.
  const refusal = await gateway.admissions.takeCapacity(capacityWindows(admission, candidate, plan))
  if (refusal !== null || !gateway.router.begin(candidate, admission.prepared.target.model.id)) return null
  return { candidate, plan, reason: 'mended' }
}

/** One call to a candidate whose attempt has begun. */
interface RunningAttempt {
  readonly ready: ReadyCandidate
  readonly startedAtMs: number
  /** The same moment by the monotonic clock. */
  readonly begunAtMs: number
  /** How long the supplier has to begin its answer. */
  readonly firstByteMs: number
  /** Whether that is much less than it should have, because others have used up the time of the request. */
  readonly isCutShort: boolean
  /** Whether that is less than usual, because it has not answered others. */
  readonly isShortened: boolean
}

function begin(ready: ReadyCandidate, { admission, gateway }: AttemptParts): RunningAttempt {
  const { route, patienceMs } = ready.candidate
  const supplierMs = route.supplier.timeouts.firstByteMs ?? gateway.timeouts.firstByteMs
  const usualMs = Math.min(supplierMs, patienceMs ?? supplierMs)
  const begunAtMs = gateway.clock.monotonicMs()
  const remainingMs = admission.remainingMs(begunAtMs)
  return {
    ready,
    startedAtMs: gateway.clock.nowMs(),
    begunAtMs,
    firstByteMs: Math.min(usualMs, remainingMs),
    isShortened: usualMs < Math.min(supplierMs, remainingMs),
    isCutShort: remainingMs < Math.min(usualMs, gateway.timeouts.deadlineMs / 2),
  }
}

/** The end of an attempt is told to the router and noted for the settlement. */
function end(
  told: CallResult,
  running: RunningAttempt,
  { admission, gateway, isOvertaken }: AttemptParts,
): CallResult {
  const { candidate } = running.ready
  const answer = describe(told, running)
  const elapsedMs = gateway.clock.monotonicMs() - running.begunAtMs
  const result = resultFor(answer, elapsedMs, running)
  gateway.router.end({ candidate, modelId: admission.prepared.target.model.id, result })
  const record = attemptRecord(answer, running, { elapsedMs, isOvertaken: isOvertaken?.() === true })
  admission.attempts.push(record)
  if (answer.type === 'failed') noteFailure(record, answer.failure, { admission, gateway })
  return answer
}

/** An address may have to be fetched or signed first, which may fail like the call itself. */
function call(running: RunningAttempt, parts: AttemptParts): Promise<CallResult> {
  try {
    const target = addressOf(running.ready, parts)
    if (!(target instanceof Promise)) return askAt(target, running, parts)
    return target.then((found) => askAt(found, running, parts), notAsked)
  } catch (error) {
    return Promise.resolve(notAsked(error))
  }
}

function notAsked(error: unknown): CallResult {
  return { type: 'failed', failure: failureOf(error, false), remaining: null }
}

function askAt(target: CallTarget, running: RunningAttempt, parts: AttemptParts): Promise<CallResult> {
  const { admission, gateway, client = admission.prepared.exchange } = parts
  const { candidate, plan } = running.ready
  return ask(plan, {
    target,
    credentialId: candidate.credential.id,
    callSupplier: gateway.callSupplier,
    client,
    clock: gateway.clock,
    connectMs: candidate.route.supplier.timeouts.connectMs ?? gateway.timeouts.connectMs,
    firstByteMs: running.firstByteMs,
  })
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
      clientHeaders: admission.prepared.exchange.headers,
      operation: plan.operation ?? 'generate',
    },
    gateway.callTools,
  )
}

function resultFor(answer: CallResult, elapsedMs: number, { isCutShort }: RunningAttempt): AttemptResult {
  switch (answer.type) {
    case 'whole':
      return { type: 'answered', firstByteMs: elapsedMs, remaining: answer.remaining }
    case 'stream':
      return { type: 'answered', firstByteMs: elapsedMs, remaining: answer.remaining, isStreaming: true }
    case 'failed':
      // Nobody was asked.
      if (answer.failure.kind === 'local') return { type: 'abandoned' }
      // Not its own fault: others have taken its time.
      if (isCutShort && answer.failure.kind === 'timeout') return { type: 'abandoned' }
      return { type: 'failed', failure: answer.failure, remaining: answer.remaining }
    case 'client-left':
      return { type: 'abandoned' }
  }
}

function noteFailure(record: Attempt, failure: SupplierFailure, { admission, gateway }: AttemptParts): void {
  const { supplier, credentialId, status } = record
  const { requestId } = admission.prepared.exchange
  gateway.log.attemptFailed({ requestId, supplier, credentialId, failure: record.failure ?? '', status })
  const evidence = evidenceIn(failure)
  if (evidence === null) return
  const modelId = admission.prepared.target.model.id
  gateway.onCredentialRefused({ supplierId: supplier, credentialId, modelId, evidence })
}

/** What a failure says against the credential; null: nothing that would not go away by itself. */
function evidenceIn({ kind, status, isSuspected }: SupplierFailure): CredentialRefusal['evidence'] | null {
  if (kind === 'denied') return 'denied'
  if (kind !== 'credential') return null
  // What is used up for now comes back without anybody's help.
  if (status === 429) return null
  return isSuspected === true ? 'suspected' : 'said'
}

/** The answer as it may be told: without our secret, and with what the client should know about its wait. */
function describe(answer: CallResult, { ready, isShortened, firstByteMs }: RunningAttempt): CallResult {
  if (answer.type !== 'failed') return answer
  const failure = withoutSecret(answer.failure, ready.candidate.credential.secret)
  const isShort = isShortened && failure.kind === 'timeout'
  return { ...answer, failure: isShort ? { ...failure, shortenedWaitMs: firstByteMs } : failure }
}

interface Outcome {
  readonly elapsedMs: number
  readonly isOvertaken: boolean
}

function attemptRecord(
  answer: CallResult,
  running: RunningAttempt,
  { elapsedMs, isOvertaken }: Outcome,
): Attempt {
  const { candidate, reason = candidate.reason } = running.ready
  const failure = answer.type === 'failed' ? answer.failure : null
  const hasAnswered = answer.type === 'whole' || answer.type === 'stream'
  return {
    supplier: candidate.route.supplier.id,
    credentialId: candidate.credential.id,
    reason,
    result: answer.type === 'client-left' && isOvertaken ? 'overtaken' : resultOf(answer),
    status: hasAnswered ? 200 : (failure?.status ?? null),
    failure: failure === null ? null : describeFailure(failure),
    startedAtMs: running.startedAtMs,
    firstByteMs: hasAnswered ? elapsedMs : null,
    durationMs: elapsedMs,
  }
}

/** A complaint about the client's input may quote it, and prompts belong in no log and no record. */
function describeFailure({ kind, message, param }: SupplierFailure): string {
  const isAboutInput = kind === 'input' || kind === 'context-length'
  if (!isAboutInput) return `${kind}: ${message}`
  return param === null ? kind : `${kind}: ${param}`
}

function resultOf(answer: CallResult): Exclude<Attempt['result'], 'overtaken'> {
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
