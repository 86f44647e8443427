import { SpanKind } from '@opentelemetry/api'
import { type AnswerEnding, endingOf } from '../../../conversation/answer.ts'
import type { RequestSettings } from '../../../conversation/conversation.ts'
import type { AnsweredRequest, TracedRequest } from '../../../serve/ports/request-observer.ts'
import type { Attempt } from '../../../vocabulary/settlement.ts'
import { usdtOf } from '../request-fields.ts'
import { scrub } from '../scrub.ts'
import {
  attemptErrorOf,
  errorTypeOf,
  inputTokensOf,
  NO_PROVIDER,
  operationOf,
  providerOf,
  supplierNamed,
} from './conventions.ts'
import { ATTEMPT, EVENT, EVENT_ATTRIBUTE, GEN_AI, SERVER } from './names.ts'
import { finishReasonOf, putContent } from './span-content.ts'
import { SpanAttributes, type SpanEvent, type SpanFacts } from './span-facts.ts'
import type { SpanQueue } from './span-queue.ts'
import type { RandomIds } from './trace-context.ts'

const MAX_MESSAGE_CHARACTERS = 200
/** What a message of a WebSocket has in place of a method. */
const MESSAGE = 'WEBSOCKET'
const USUAL_METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])

/** Which requests have their content in their spans. `kept`: those of accounts that store their bodies. */
export type ContentRule = 'off' | 'kept' | 'all'

export interface SpanWriterParts {
  readonly queue: Pick<SpanQueue, 'add'>
  readonly ids: RandomIds
  readonly content: ContentRule
}

/** Writes the spans of requests that have ended. */
export class SpanWriter {
  readonly #parts: SpanWriterParts
  // Spans are bytes as soon as they are written, so each kind uses its lists again.
  readonly #server = new SpanAttributes()
  readonly #settled = new SpanAttributes()
  readonly #attempt = new SpanAttributes()
  readonly #events = new SettledEvents()

  constructor(parts: SpanWriterParts) {
    this.#parts = parts
  }

  writeServer(request: AnsweredRequest): void {
    const { trace, status, startedAtMs } = request
    const { parentSpanId } = trace
    this.#write(request, {
      spanId: trace.spanId,
      name: serverName(request),
      kind: SpanKind.SERVER,
      startMs: startedAtMs,
      endMs: startedAtMs + request.durationMs,
      parent: parentSpanId === null ? null : { spanId: parentSpanId, isRemote: true },
      attributes: putServer(this.#server.empty(), request),
      // An error of the client is not one of the server.
      failure: status >= 500 ? {} : undefined,
    })
  }

  writeSettled(request: TracedRequest): void {
    const { settlement, trace, recording } = request
    const { startedAtMs, durationMs, model, clientFormat } = settlement
    const spanId = this.#parts.ids.nextSpanId()
    const attributes = putSettled(this.#settled.empty(), request, readSafely(request.readSettings))
    const showsContent = this.#showsContent(request)
    const answer = showsContent ? readSafely(request.readAnswer) : null
    const ending = answer === null ? readSafely(request.readEnding) : endingOf(answer)
    if (ending !== null) putEnding(attributes, ending)
    if (showsContent) putContent(attributes, { conversation: readSafely(request.readConversation), answer })
    this.#write(request, {
      spanId,
      name: `${operationOf(clientFormat)} ${model}`,
      kind: SpanKind.CLIENT,
      startMs: startedAtMs,
      endMs: startedAtMs + durationMs,
      parent: { spanId: trace.spanId, isRemote: false },
      attributes,
      events: this.#events.of(request),
      failure: errorTypeOf(settlement) === null ? undefined : {},
    })
    let place = 0
    for (const { spanId: id, record } of recording.attempts) {
      const attempt = { spanId: id, record, place, parentId: spanId }
      this.#write(request, attemptFacts(this.#attempt.empty(), request, attempt))
      place += 1
    }
  }

  #showsContent({ storesBodies }: TracedRequest): boolean {
    const { content } = this.#parts
    return content === 'all' || (content === 'kept' && storesBodies)
  }

  #write({ trace }: Pick<TracedRequest, 'trace'>, facts: SpanFacts): void {
    if (trace !== null) this.#parts.queue.add(trace, facts)
  }
}

/** By the conventions, `HTTP` stands for methods that clients make up. */
function serverName({ method, route }: AnsweredRequest): string {
  const label = USUAL_METHODS.has(method) || method === MESSAGE ? method : 'HTTP'
  return route === null ? label : `${label} ${route}`
}

function putServer(attributes: SpanAttributes, request: AnsweredRequest): SpanAttributes {
  const { method, status, errorCode } = request
  if (method !== MESSAGE) attributes.put(SERVER.method, USUAL_METHODS.has(method) ? method : '_OTHER')
  attributes.put(SERVER.route, request.route)
  attributes.put(SERVER.status, status)
  attributes.put(SERVER.errorType, errorCode ?? (status >= 500 ? String(status) : null))
  attributes.put(SERVER.accountId, request.accountId)
  attributes.put(SERVER.keyId, request.keyId)
  attributes.endUsual()
  attributes.put(SERVER.requestId, request.requestId)
  return attributes
}

interface WrittenAttempt {
  readonly spanId: string
  readonly record: Attempt
  /** How many attempts there were before it. */
  readonly place: number
  readonly parentId: string
}

function attemptFacts(
  attributes: SpanAttributes,
  { settlement, routes }: TracedRequest,
  { spanId, record, place, parentId }: WrittenAttempt,
): SpanFacts {
  const { startedAtMs, durationMs, failure, result } = record
  const errorType = attemptErrorOf(record)
  // An answer lasts until the request ends; the record of an attempt only knows when it began.
  const endedAtMs = settlement.startedAtMs + settlement.durationMs
  const knownMs = startedAtMs + (durationMs ?? 0)
  return {
    spanId,
    name: 'POST',
    kind: SpanKind.CLIENT,
    startMs: startedAtMs,
    endMs: result === 'answered' ? Math.max(endedAtMs, knownMs) : knownMs,
    parent: { spanId: parentId, isRemote: false },
    attributes: putAttempt(attributes, record, { routes, place, errorType }),
    failure:
      errorType === null ? undefined : { message: scrub(failure ?? '').slice(0, MAX_MESSAGE_CHARACTERS) },
  }
}

function putAttempt(
  attributes: SpanAttributes,
  record: Attempt,
  { routes, place, errorType }: Pick<TracedRequest, 'routes'> & { place: number; errorType: string | null },
): SpanAttributes {
  const supplier = supplierNamed(record.supplier, routes)
  const { address, port } = supplier === null ? NO_PROVIDER : providerOf(supplier)
  attributes.put(ATTEMPT.method, 'POST')
  attributes.put(ATTEMPT.status, record.status)
  if (place > 0) attributes.put(ATTEMPT.resendCount, place)
  attributes.put(ATTEMPT.serverAddress, address)
  attributes.put(ATTEMPT.serverPort, port)
  attributes.put(ATTEMPT.errorType, errorType)
  attributes.put(ATTEMPT.supplier, record.supplier)
  attributes.put(ATTEMPT.credentialId, record.credentialId)
  attributes.put(ATTEMPT.reason, record.reason)
  attributes.put(ATTEMPT.result, record.result)
  attributes.endUsual()
  return attributes
}

/** A request that cannot be decoded has its spans, without what is in its body. */
function readSafely<Read>(read: () => Read): Read | null {
  try {
    return read()
  } catch {
    return null
  }
}

function putSettled(
  attributes: SpanAttributes,
  request: TracedRequest,
  settings: RequestSettings | null,
): SpanAttributes {
  const { settlement, served, routes, choices, maxOutputTokens } = request
  const { usage, stream, firstByteMs, attempts } = settlement
  const supplier = served?.supplier ?? supplierNamed(attempts[attempts.length - 1]?.supplier, routes)
  const provider = supplier === null ? NO_PROVIDER : providerOf(supplier)
  attributes.put(GEN_AI.operation, operationOf(settlement.clientFormat))
  attributes.put(GEN_AI.provider, provider.name)
  attributes.put(GEN_AI.requestModel, settlement.model)
  attributes.put(GEN_AI.responseModel, served?.route.upstreamModel)
  attributes.put(GEN_AI.supplier, settlement.supplier)
  attributes.put(GEN_AI.serverAddress, provider.address)
  attributes.put(GEN_AI.serverPort, provider.port)
  attributes.put(GEN_AI.accountId, settlement.accountId)
  attributes.put(GEN_AI.keyId, settlement.keyId)
  attributes.put(GEN_AI.outcome, settlement.outcome)
  attributes.put(GEN_AI.errorType, errorTypeOf(settlement))
  if (stream) attributes.put(GEN_AI.stream, true)
  if (choices > 1) attributes.put(GEN_AI.choiceCount, choices)
  attributes.put(GEN_AI.maxTokens, maxOutputTokens)
  if (settings !== null) putSettings(attributes, settings)
  attributes.endUsual()
  if (settings !== null) {
    attributes.put(GEN_AI.seed, settings.seed)
    attributes.put(GEN_AI.stopSequences, settings.stop.length > 0 ? settings.stop : null)
  }
  if (stream) attributes.put(GEN_AI.timeToFirstChunk, firstByteMs === null ? null : firstByteMs / 1_000)
  attributes.put(GEN_AI.requestId, settlement.requestId)
  attributes.put(GEN_AI.inputTokens, inputTokensOf(usage))
  attributes.put(GEN_AI.outputTokens, usage.output)
  attributes.put(GEN_AI.cacheReadTokens, usage.cacheRead || null)
  attributes.put(GEN_AI.cacheWriteTokens, usage.cacheWrite || null)
  attributes.put(GEN_AI.reasoningTokens, usage.reasoning || null)
  attributes.put(GEN_AI.amount, usdtOf(settlement.amountNano))
  attributes.put(GEN_AI.cost, usdtOf(settlement.costNano))
  attributes.put(GEN_AI.conversationId, settlement.session)
  attributes.put(GEN_AI.agent, settlement.agent)
  return attributes
}

function putSettings(attributes: SpanAttributes, settings: RequestSettings): void {
  attributes.put(GEN_AI.temperature, settings.temperature)
  attributes.put(GEN_AI.topP, settings.topP)
  attributes.put(GEN_AI.topK, settings.topK)
  attributes.put(GEN_AI.frequencyPenalty, settings.frequencyPenalty)
  attributes.put(GEN_AI.presencePenalty, settings.presencePenalty)
  attributes.put(GEN_AI.outputType, settings.output.type === 'text' ? null : 'json')
}

function putEnding(attributes: SpanAttributes, { id, reasons }: AnswerEnding): void {
  attributes.put(GEN_AI.responseId, id === '' ? null : id)
  attributes.put(GEN_AI.finishReasons, reasons.map(finishReasonOf))
}

/** The events of a settled request, of which only times and amounts differ. */
class SettledEvents {
  readonly #held = new SpanAttributes()
  readonly #settled = new SpanAttributes()

  of({ settlement, admission }: TracedRequest): SpanEvent[] {
    const { startedAtMs, durationMs } = settlement
    const held = this.#held.empty()
    held.put(EVENT_ATTRIBUTE.hold, usdtOf(admission.holdNano))
    const settled = this.#settled.empty()
    settled.put(EVENT_ATTRIBUTE.amount, usdtOf(settlement.amountNano))
    settled.put(EVENT_ATTRIBUTE.cost, usdtOf(settlement.costNano))
    settled.put(EVENT_ATTRIBUTE.provenance, settlement.provenance)
    return [
      { name: EVENT.admitted, atMs: startedAtMs },
      { name: EVENT.held, atMs: startedAtMs, attributes: held },
      { name: EVENT.settled, atMs: startedAtMs + durationMs, attributes: settled },
    ]
  }
}
