import { GatewayError } from '../../errors/gateway-error.ts'
import type { ReplyFacts } from '../../protocols/protocol.ts'
import { type Admission, NOTHING_DELIVERED } from '../admission/admission.ts'
import type { Gateway } from '../gateway.ts'
import type { PreparedReply } from '../families/text/lanes/lane-plan.ts'
import type { PushedBody, Reply } from '../ports/exchange.ts'
import type { CallResult } from './call-result.ts'
import { AnswerBody } from './answer-body.ts'
import { type AttemptOutcome, attemptWithRepairs } from './attempt.ts'
import { CandidateQueue, type PlanFor, type ReadyCandidate } from './candidate-queue.ts'
import { attemptHedged, hedgeAfterMsOf } from './hedge.ts'
import { noAnswer, outcomeOf } from './no-answer.ts'
import { orderFor } from './order-for.ts'

/** What is sent to the client: a body whose settlement is taken care of, and the headers that say who served it. */
export interface Delivery {
  readonly body: Reply['body']
  readonly contentType: string
  readonly supplier: string
  readonly attempts: number
  /** Client parameters that were left out on the way. */
  readonly dropped: readonly string[]
}

/**
 * Gets an answer from one of the candidates. Another one is tried only while nothing has been sent to the client;
 * the first usable bytes commit the request to the supplier they came from.
 *
 * Whatever goes wrong on the way, what was held for the request is let go; settling a second time changes nothing.
 */
export async function deliver(admission: Admission, gateway: Gateway, planFor: PlanFor): Promise<Delivery> {
  const parts = { admission, gateway, planFor }
  try {
    const line = new CandidateQueue(orderFor(admission, gateway), parts)
    for (;;) {
      const next = line.next()
      const ready = next instanceof Promise ? await next : next
      if (ready === null) break
      const { answer, served } = await tryCandidate(ready, line, parts)
      if (answer.type === 'client-left') return await giveUp(admission, 'client_left', clientLeft())
      if (answer.type === 'failed') {
        if (line.noteFailure(answer.failure, served.candidate)) continue
        break
      }
      commitTo(served, parts)
      if (answer.type === 'stream') return deliveryOf(openStream(answer, served, parts), served, admission)
      const whole = deliverWhole(answer, served, admission)
      return whole instanceof Promise ? await whole : whole
    }
    return await giveUp(admission, outcomeOf(line.failures), noAnswer(line.failures, parts))
  } catch (error) {
    await admission.settle({ outcome: 'refused', ...NOTHING_DELIVERED, served: null })
    throw error
  }
}

interface Parts {
  readonly admission: Admission
  readonly gateway: Gateway
}

function tryCandidate(ready: ReadyCandidate, line: CandidateQueue, parts: Parts): Promise<AttemptOutcome> {
  const hedgeAfterMs = hedgeAfterMsOf(parts.admission.prepared)
  if (hedgeAfterMs === null) return attemptWithRepairs(ready, parts)
  return attemptHedged(ready, line, { ...parts, hedgeAfterMs })
}

/** From here on nobody else is asked. */
function commitTo({ candidate }: ReadyCandidate, { admission, gateway }: Parts): void {
  if (admission.conversation !== null) gateway.router.remember(admission.conversation, candidate)
  admission.noteFirstByte()
}

function openStream(
  { stream }: CallResult & { type: 'stream' },
  { candidate, plan }: ReadyCandidate,
  { admission, gateway }: Parts,
): PushedBody {
  const supplierFormat = plan.supplierProtocol.name
  return new AnswerBody({ admission, candidate, gateway, stream, supplierFormat }).open()
}

/** A promise when the body has yet to be made or kept, or its settlement to be written. */
function deliverWhole(
  answer: PreparedReply,
  served: ReadyCandidate,
  admission: Admission,
): Delivery | Promise<Delivery> {
  const body = writeWhole(answer, admission)
  const settle = (written: string) => settleWhole(written, answer.facts, { served, admission })
  return body instanceof Promise ? body.then(settle) : settle(body)
}

/** A promise when the body has yet to be made, or is to be kept before it leaves. */
function writeWhole(
  { body, reply }: PreparedReply,
  { prepared: { keepReply } }: Admission,
): string | Promise<string> {
  if (keepReply !== undefined) return writeKept(body, () => keepReply(reply))
  return typeof body === 'string' ? body : body()
}

async function writeKept(body: PreparedReply['body'], keep: () => Promise<void>): Promise<string> {
  const written = typeof body === 'string' ? body : await body()
  await keep()
  return written
}

function settleWhole(
  body: string,
  { usage, outputCharacters, images }: ReplyFacts,
  { served, admission }: { readonly served: ReadyCandidate; readonly admission: Admission },
): Delivery | Promise<Delivery> {
  admission.prepared.bodies?.add(body)
  const settling = admission.settle({
    outcome: 'completed',
    hasDelivered: true,
    reported: usage,
    outputCharacters,
    images,
    served: { candidate: served.candidate, format: served.plan.supplierProtocol.name },
  })
  const delivery = deliveryOf(body, served, admission)
  return admission.isSettled ? delivery : settling.then(() => delivery)
}

function deliveryOf(
  body: Delivery['body'],
  { candidate, plan }: ReadyCandidate,
  admission: Admission,
): Delivery {
  const { request } = admission.prepared
  return {
    body,
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
