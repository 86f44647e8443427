import { GatewayError } from '../../errors/gateway-error.ts'
import { isPending, type MaybePromise } from '../../vocabulary/runtime/maybe-promise.ts'
import { type Admission, NOTHING_DELIVERED, type RequestEnd } from '../admission/admission.ts'
import type { PreparedRequest } from '../admission/prepared-request.ts'
import type { Family } from '../families/family.ts'
import type { Gateway } from '../gateway.ts'
import type { Reply } from '../ports/exchange.ts'
import { abandonedEnd } from './abandoned.ts'
import { AnswerBody } from './answer-body.ts'
import { attempt } from './attempt.ts'
import type { PreparedReply } from './call-plan.ts'
import type { CallResult } from './call-result.ts'
import { CandidateQueue, type ReadyCandidate } from './candidate-queue.ts'
import { attemptHedged } from './hedge.ts'
import { noAnswer, outcomeOf } from './no-answer.ts'

/**
 * Gets an answer from one of the candidates. Another one is tried only while nothing has been sent to the client; the
 * first usable bytes commit the request to the supplier they came from.
 *
 * Whatever goes wrong, the hold of the request is released. Settling a second time changes nothing.
 */
export async function deliver<Prepared extends PreparedRequest>(
  admission: Admission<Prepared>,
  gateway: Gateway,
  family: Pick<Family<unknown, unknown, Prepared>, 'plan'>,
): Promise<Reply> {
  const parts = { admission, gateway, family }
  const hedgeAfterMs = hedgeAfterMsOf(admission.prepared)
  try {
    const queue = new CandidateQueue(parts)
    for (;;) {
      const next = queue.next()
      const ready = isPending(next) ? await next : next
      if (ready === null) break
      const attempted = await (hedgeAfterMs === null
        ? attempt(ready, parts)
        : attemptHedged(ready, queue, { ...parts, hedgeAfterMs }))
      const { result, served } = attempted
      if (result.type === 'client-left') {
        return await giveUp(admission, abandonedEnd(attempted, admission), clientLeft())
      }
      if (result.type === 'failed') {
        if (queue.noteFailure(result.failure, served.candidate)) continue
        break
      }
      const reply = commit(result, served, parts)
      return isPending(reply) ? await reply : reply
    }
    const end = { outcome: outcomeOf(queue.failures), ...NOTHING_DELIVERED, served: null }
    return await giveUp(admission, end, noAnswer(queue.failures, parts))
  } catch (error) {
    await admission.settle({ outcome: 'refused', ...NOTHING_DELIVERED, served: null })
    throw error
  }
}

type Answered = Extract<CallResult, { type: 'whole' | 'stream' }>

interface CommitParts {
  readonly admission: Admission
  readonly gateway: Gateway
}

/**
 * After how long a second candidate is called as well; null: never. An operator must allow it for the model, since the
 * work of both is paid for. Only for whole replies: one of two streams would have to be thrown away half-read.
 */
function hedgeAfterMsOf({ target, request }: PreparedRequest): number | null {
  const { hedgeAfterMs } = target.model.capabilities
  if (request.facts.stream || typeof hedgeAfterMs !== 'number' || !(hedgeAfterMs > 0)) return null
  return hedgeAfterMs
}

/** From here on no other candidate is tried. */
function commit(result: Answered, served: ReadyCandidate, parts: CommitParts): MaybePromise<Reply> {
  const { admission, gateway } = parts
  if (admission.conversation !== null) gateway.router.remember(admission.conversation, served.candidate)
  admission.noteFirstByte()
  if (result.type === 'stream') {
    const body = new AnswerBody(result.stream, served, parts).open()
    return replyWith(body, { served, admission, contentType: result.stream.tap.contentType })
  }
  const { body } = result
  const isReady = typeof body === 'string' && admission.prepared.keepReply === undefined
  return isReady ? settleWhole(body, result, { served, admission }) : finishWhole(result, served, admission)
}

/** For replies whose body has yet to be made, or that are stored before they leave. */
async function finishWhole(
  whole: PreparedReply,
  served: ReadyCandidate,
  admission: Admission,
): Promise<Reply> {
  const { body, reply } = whole
  const text = typeof body === 'string' ? body : await body()
  await admission.prepared.keepReply?.(reply)
  return settleWhole(text, whole, { served, admission })
}

/** Settles the request before its reply leaves. */
function settleWhole(
  body: string,
  { facts, contentType, isLong, reply }: PreparedReply,
  { served, admission }: { readonly served: ReadyCandidate; readonly admission: Admission },
): MaybePromise<Reply> {
  admission.bodies?.add(body, reply)
  const { candidate, plan } = served
  const settling = admission.settle({
    outcome: 'completed',
    hasDelivered: true,
    reported: facts.usage,
    isCounted: facts.isCounted,
    ownCount: facts.ownCount,
    outputCharacters: facts.outputCharacters,
    sample: body,
    images: facts.images,
    inlineImages: facts.inlineImages,
    served: { candidate, format: plan.supplierProtocol.name },
  })
  const delivered = replyWith(isLong ? piecesOf(body) : body, { served, admission, contentType })
  if (isLong) delivered.headers['content-length'] = String(Buffer.byteLength(body))
  return isPending(settling) ? settling.then(() => delivered) : delivered
}

const CHARACTERS_PER_PIECE = 256 * 1024

/** A text as a stream, at the client's pace. */
function piecesOf(text: string): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let at = 0
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      let end = Math.min(text.length, at + CHARACTERS_PER_PIECE)
      // A character of two units stays whole.
      if (end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end += 1
      controller.enqueue(encoder.encode(text.slice(at, end)))
      at = end
      if (at >= text.length) controller.close()
    },
  })
}

const EVENT_STREAM = 'text/event-stream; charset=utf-8'

interface ReplyParts {
  readonly served: ReadyCandidate
  readonly admission: Admission
  /** As usual for the format when undefined. */
  readonly contentType: string | undefined
}

function replyWith(body: Reply['body'], { served, admission, contentType }: ReplyParts): Reply {
  const { candidate, plan } = served
  const { facts, streamContentType = EVENT_STREAM } = admission.prepared.request
  const headers: Record<string, string> = {
    'content-type': contentType ?? (facts.stream ? streamContentType : 'application/json'),
    'x-gateway-route': candidate.route.supplier.id,
    'x-gateway-attempts': String(admission.attempts.length),
  }
  // Client parameters that were left out on the way.
  if (plan.dropped.length > 0) headers['x-gateway-dropped-params'] = plan.dropped.join(', ')
  // The client's limit for the length of the answer, lowered to what can be paid.
  const { outputLimitName } = admission.prepared.protocol
  if (admission.ration?.maxOutputTokens != null && outputLimitName !== undefined)
    headers['x-gateway-capped-params'] = outputLimitName
  if (typeof body !== 'string') {
    // Proxies must neither hold events back nor compress them.
    headers['cache-control'] = 'no-cache, no-transform'
    headers['x-accel-buffering'] = 'no'
  }
  return { status: 200, headers, body }
}

async function giveUp(admission: Admission, end: RequestEnd, error: GatewayError): Promise<never> {
  await admission.settle(end)
  throw error
}

function clientLeft(): GatewayError {
  return new GatewayError('internal_error', 'The client left before it was answered.')
}
