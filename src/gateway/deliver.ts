import { GatewayError } from '../errors/gateway-error.ts'
import { type Admission, NOTHING_DELIVERED } from './admission.ts'
import type { Answer } from './answer.ts'
import { AnswerBody } from './answer-body.ts'
import { attemptWithRepairs, type Tried } from './attempt.ts'
import { CandidateLine, type PlanFor, type ReadyCandidate } from './candidate-line.ts'
import type { Gateway } from './gateway.ts'
import { attemptHedged, hedgeAfterMsOf } from './hedge.ts'
import { noAnswer, outcomeOf } from './no-answer.ts'
import { orderFor } from './order-for.ts'
import { isWorthAnotherTry } from './supplier-trouble.ts'

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
export async function deliver(admission: Admission, gateway: Gateway, planFor: PlanFor): Promise<Delivery> {
  const { candidates, freeInSeconds } = orderFor(admission, gateway)
  const line = new CandidateLine(candidates, { admission, gateway, freeInSeconds, planFor })
  for (let ready = await line.next(); ready !== null; ready = await line.next()) {
    const { answer, served } = await tryCandidate(ready, line, { admission, gateway })
    if (answer.type === 'whole' || answer.type === 'stream') {
      if (admission.conversation !== null) gateway.router.remember(admission.conversation, served.candidate)
      return await deliverAnswer(answer, served, { admission, gateway })
    }
    if (answer.type === 'client-left') return await giveUp(admission, 'client_left', clientLeft())
    line.troubles.failure = answer.failure
    if (!isWorthAnotherTry(answer.failure)) break
  }
  return await giveUp(admission, outcomeOf(line.troubles), noAnswer(line.troubles, { admission, gateway }))
}

interface Parts {
  readonly admission: Admission
  readonly gateway: Gateway
}

function tryCandidate(ready: ReadyCandidate, line: CandidateLine, parts: Parts): Promise<Tried> {
  const hedgeAfterMs = hedgeAfterMsOf(parts.admission.asking)
  if (hedgeAfterMs === null) return attemptWithRepairs(ready, parts)
  return attemptHedged(ready, line, { ...parts, hedgeAfterMs })
}

function deliverAnswer(
  answer: Answer & { type: 'whole' | 'stream' },
  served: ReadyCandidate,
  { admission, gateway }: Parts,
): Delivery | Promise<Delivery> {
  admission.noteFirstByte()
  if (answer.type === 'whole') return deliverWhole(answer, served, admission)
  const { candidate, plan } = served
  const supplierFormat = plan.supplierProtocol.name
  const body = new AnswerBody({ admission, candidate, gateway, stream: answer.stream, supplierFormat })
  return { body: body.open(), ...deliveryOf(admission, served) }
}

async function deliverWhole(
  answer: Answer & { type: 'whole' },
  served: ReadyCandidate,
  admission: Admission,
): Promise<Delivery> {
  const body = typeof answer.body === 'string' ? answer.body : await answer.body()
  const { keepReply } = admission.asking
  if (keepReply !== undefined) await keepReply(answer.reply)
  admission.asking.bodies?.add(body)
  await admission.settle({
    outcome: 'completed',
    hasDelivered: true,
    reported: answer.facts.usage,
    outputCharacters: answer.facts.outputCharacters,
    ...(answer.facts.images !== undefined && { images: answer.facts.images }),
    served: { candidate: served.candidate, format: served.plan.supplierProtocol.name },
  })
  return { body, ...deliveryOf(admission, served) }
}

function deliveryOf(admission: Admission, { candidate, plan }: ReadyCandidate): Omit<Delivery, 'body'> {
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

function clientLeft(): GatewayError {
  return new GatewayError('internal_error', 'The client left before it was answered.')
}
