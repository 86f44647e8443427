import { GatewayError } from '../errors/gateway-error.ts'
import type { SupplierFailure } from '../errors/supplier-failure.ts'
import { saysProofRefused } from '../protocols/supplier-error.ts'
import { type Candidate, orderCandidates } from '../rules/routing/order-candidates.ts'
import { supplierTypeOf } from '../suppliers/index.ts'
import type { Attempt } from '../vocabulary/settlement.ts'
import { type Admission, NOTHING_DELIVERED } from './admission.ts'
import type { Answer } from './answer.ts'
import { AnswerBody } from './answer-body.ts'
import { ask } from './ask.ts'
import { capacityWindows } from './capacity.ts'
import type { Gateway } from './gateway.ts'
import type { LanePlan } from './lane-plan.ts'
import { planLane, planWithoutProofs } from './plan-lane.ts'
import { failureError, isWorthAnotherTry, supplierRateLimited, withoutSecret } from './supplier-trouble.ts'

// More tries would only add to the time a client waits for the same bad news.
const MOST_ATTEMPTS = 3

/** What is sent to the client: a body whose settlement is taken care of, and the headers that say who served it. */
export interface Delivery {
  readonly body: string | ReadableStream<Uint8Array>
  readonly contentType: string
  readonly supplier: string
  readonly attempts: number
  /** Client parameters that were left out on the way. */
  readonly dropped: readonly string[]
}

/**
 * Gets an answer from one of the candidates. Another one is tried only while nothing has been sent to the client;
 * the first usable bytes commit the request to the supplier they came from.
 */
export async function deliver(admission: Admission, gateway: Gateway): Promise<Delivery> {
  const troubles: Troubles = { failure: null, unspeakable: null, freeInSeconds: Number.POSITIVE_INFINITY }
  for (const candidate of orderCandidates(admission.asking.target.routes, gateway.random)) {
    const wanted = await planOrNote(admission, candidate, { gateway, troubles })
    if (wanted === null) continue
    const refusal = await gateway.admissions.takeCapacity(capacityWindows(admission, candidate, wanted))
    if (refusal?.reason === 'window') {
      troubles.freeInSeconds = Math.min(troubles.freeInSeconds, refusal.retryAfterSeconds)
      continue
    }
    const { answer, plan } = await attemptWithProofs(admission, candidate, { gateway, plan: wanted })
    if (answer.type === 'whole') return deliverWhole(admission, candidate, { answer, plan })
    if (answer.type === 'stream') return deliverStream(admission, candidate, { answer, plan, gateway })
    if (answer.type === 'client-left') return await giveUp(admission, 'client_left', clientLeft())
    troubles.failure = answer.failure
    if (!isWorthAnotherTry(answer.failure) || admission.attempts.length >= MOST_ATTEMPTS) break
  }
  return await giveUp(admission, outcomeOf(troubles), noAnswer(troubles))
}

/** What has stood in the way so far. */
interface Troubles {
  failure: SupplierFailure | null
  /** What the client wants cannot be said in a candidate's format. */
  unspeakable: GatewayError | null
  freeInSeconds: number
}

async function planOrNote(
  admission: Admission,
  candidate: Candidate,
  { gateway, troubles }: { gateway: Gateway; troubles: Troubles },
): Promise<LanePlan | null> {
  try {
    return await planLane(admission, candidate, gateway)
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    troubles.unspeakable ??= error
    return null
  }
}

interface AttemptParts {
  readonly gateway: Gateway
  readonly plan: LanePlan
}

/**
 * One try, and one more without signatures when the supplier does not know those of another: a conversation may move
 * between suppliers of one format, whose signatures look alike until they are checked.
 */
async function attemptWithProofs(
  admission: Admission,
  candidate: Candidate,
  parts: AttemptParts,
): Promise<{ answer: Answer; plan: LanePlan }> {
  const answer = await attempt(admission, candidate, parts)
  const mayTryAgain = admission.attempts.length < MOST_ATTEMPTS
  if (!mayTryAgain || !isProofRefusal(answer)) return { answer, plan: parts.plan }
  const { gateway } = parts
  const plan = await planWithoutProofs(parts.plan, { admission, candidate, gateway })
  return { answer: await attempt(admission, candidate, { gateway, plan }), plan }
}

function isProofRefusal(answer: Answer): boolean {
  return (
    answer.type === 'failed' && answer.failure.kind === 'input' && saysProofRefused(answer.failure.message)
  )
}

async function attempt(
  admission: Admission,
  candidate: Candidate,
  { gateway, plan }: AttemptParts,
): Promise<Answer> {
  const { exchange } = admission.asking
  const { supplier, route } = candidate.route
  const startedAtMs = gateway.clock.nowMs()
  const asked = await ask(plan, {
    target: supplierTypeOf(supplier.type).target({
      format: plan.supplierProtocol.name,
      baseUrl: supplier.baseUrl,
      secret: candidate.credential.secret,
      upstreamModel: route.upstreamModel,
      stream: plan.isStreamed,
    }),
    callSupplier: gateway.callSupplier,
    client: exchange,
    firstByteMs: gateway.timeouts.firstByteMs,
  })
  const answer = hideSecret(asked, candidate.credential.secret)
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

function hideSecret(answer: Answer, secret: string): Answer {
  return answer.type === 'failed' ? { ...answer, failure: withoutSecret(answer.failure, secret) } : answer
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
    failure: failure === null ? null : describeFailure(failure),
    startedAtMs: times.startedAtMs,
    firstByteMs: failure === null ? times.endedAtMs - times.startedAtMs : null,
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

async function deliverWhole(
  admission: Admission,
  candidate: Candidate,
  { answer, plan }: { answer: Answer & { type: 'whole' }; plan: LanePlan },
): Promise<Delivery> {
  admission.noteFirstByte()
  await admission.asking.keepReply?.(answer.reply)
  await admission.settle({
    outcome: 'completed',
    hasDelivered: true,
    reported: answer.facts.usage,
    outputCharacters: answer.facts.outputCharacters,
    served: { candidate, format: plan.supplierProtocol.name },
  })
  return { body: answer.body, ...deliveryOf(admission, candidate, plan) }
}

function deliverStream(
  admission: Admission,
  candidate: Candidate,
  { answer, plan, gateway }: { answer: Answer & { type: 'stream' }; plan: LanePlan; gateway: Gateway },
): Delivery {
  admission.noteFirstByte()
  const supplierFormat = plan.supplierProtocol.name
  const body = new AnswerBody({ admission, candidate, gateway, stream: answer.stream, supplierFormat })
  return { body: body.open(), ...deliveryOf(admission, candidate, plan) }
}

function deliveryOf(admission: Admission, candidate: Candidate, plan: LanePlan): Omit<Delivery, 'body'> {
  const { request } = admission.asking
  return {
    contentType: request.facts.stream ? (request.streamContentType ?? EVENT_STREAM) : 'application/json',
    supplier: candidate.route.supplier.id,
    attempts: admission.attempts.length,
    dropped: plan.dropped,
  }
}

const EVENT_STREAM = 'text/event-stream; charset=utf-8'

async function giveUp(
  admission: Admission,
  outcome: 'client_left' | 'supplier_failed' | 'refused',
  error: GatewayError,
): Promise<never> {
  await admission.settle({ outcome, ...NOTHING_DELIVERED, served: null })
  throw error
}

function outcomeOf({ failure, unspeakable }: Troubles): 'supplier_failed' | 'refused' {
  if (failure === null) return unspeakable === null ? 'supplier_failed' : 'refused'
  return isWorthAnotherTry(failure) ? 'supplier_failed' : 'refused'
}

function noAnswer({ failure, unspeakable, freeInSeconds }: Troubles): GatewayError {
  if (failure !== null) return failureError(failure)
  if (Number.isFinite(freeInSeconds)) return supplierRateLimited(freeInSeconds)
  if (unspeakable !== null) return unspeakable
  return new GatewayError('provider_overloaded', 'No supplier of this model can be used right now.')
}

function clientLeft(): GatewayError {
  return new GatewayError('internal_error', 'The client left before it was answered.')
}
