import { type Attributes, SpanKind } from '@opentelemetry/api'
import type { Conversation } from '../../../conversation/conversation.ts'
import type { AnsweredRequest, ReadContent, SettledRequest } from '../../../serve/ports/request-observer.ts'
import type { Attempt } from '../../../vocabulary/settlement.ts'
import { usdtOf } from '../request-fields.ts'
import { scrub } from '../scrub.ts'
import { attemptErrorOf, errorTypeOf, inputTokensOf } from './facts.ts'
import { ATTEMPT, EVENT, EVENT_ATTRIBUTE, GEN_AI, SERVER } from './names.ts'
import { NO_PROVIDER, operationOf, providerOf, supplierNamed } from './providers.ts'
import { contentAttributes, finishReasonOf } from './span-content.ts'
import { put, type SpanEvent, type SpanFacts } from './span-facts.ts'
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
      attributes: serverAttributes(request),
      // An error of the client is not one of the server.
      ...(status >= 500 && { failure: {} }),
    })
  }

  writeSettled(request: SettledRequest): void {
    const { settlement, trace } = request
    if (trace?.recording == null) return
    const { startedAtMs, durationMs, model, clientFormat } = settlement
    const spanId = this.#parts.ids.nextSpanId()
    const content = readSafely(request)
    const attributes = settledAttributes(request)
    if (content.conversation !== null) putParameters(attributes, content.conversation)
    putAnswer(attributes, content)
    if (this.#showsContent(request))
      Object.assign(attributes, contentAttributes(content.conversation, content.answer))
    this.#write(request, {
      spanId,
      name: `${operationOf(clientFormat)} ${model}`,
      kind: SpanKind.CLIENT,
      startMs: startedAtMs,
      endMs: startedAtMs + durationMs,
      parent: { spanId: trace.spanId, isRemote: false },
      attributes,
      events: eventsOf(request),
      ...(errorTypeOf(settlement) !== null && { failure: {} }),
    })
    for (const [place, attempt] of trace.recording.attempts.entries())
      this.#write(request, attemptFacts(request, { ...attempt, place, parentId: spanId }))
  }

  #showsContent({ storesBodies }: SettledRequest): boolean {
    const { content } = this.#parts
    return content === 'all' || (content === 'kept' && storesBodies)
  }

  #write({ trace }: Pick<SettledRequest, 'trace'>, facts: SpanFacts): void {
    if (trace !== null) this.#parts.queue.add(trace, facts)
  }
}

/** By the conventions, `HTTP` stands for methods that clients make up. */
function serverName({ method, route }: AnsweredRequest): string {
  const label = USUAL_METHODS.has(method) || method === MESSAGE ? method : 'HTTP'
  return route === null ? label : `${label} ${route}`
}

function serverAttributes(request: AnsweredRequest): Attributes {
  const { method, status, errorCode } = request
  const attributes: Attributes = {}
  if (method !== MESSAGE) attributes[SERVER.method] = USUAL_METHODS.has(method) ? method : '_OTHER'
  put(attributes, SERVER.route, request.route)
  attributes[SERVER.status] = status
  put(attributes, SERVER.errorType, errorCode ?? (status >= 500 ? String(status) : null))
  attributes[SERVER.requestId] = request.requestId
  put(attributes, SERVER.accountId, request.accountId)
  put(attributes, SERVER.keyId, request.keyId)
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
  { settlement, routes }: SettledRequest,
  { spanId, record, place, parentId }: WrittenAttempt,
): SpanFacts {
  const { startedAtMs, durationMs, failure, result } = record
  const errorType = attemptErrorOf(record)
  const message = scrub(failure ?? '').slice(0, MAX_MESSAGE_CHARACTERS)
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
    attributes: attemptAttributes(record, { routes, place, errorType }),
    ...(errorType !== null && { failure: { message } }),
  }
}

function attemptAttributes(
  record: Attempt,
  { routes, place, errorType }: Pick<SettledRequest, 'routes'> & { place: number; errorType: string | null },
): Attributes {
  const supplier = supplierNamed(record.supplier, routes)
  const { address, port } = supplier === null ? NO_PROVIDER : providerOf(supplier)
  const attributes: Attributes = { [ATTEMPT.method]: 'POST' }
  put(attributes, ATTEMPT.status, record.status)
  if (place > 0) attributes[ATTEMPT.resendCount] = place
  put(attributes, ATTEMPT.serverAddress, address)
  put(attributes, ATTEMPT.serverPort, port)
  put(attributes, ATTEMPT.errorType, errorType)
  attributes[ATTEMPT.supplier] = record.supplier
  attributes[ATTEMPT.credentialId] = record.credentialId
  attributes[ATTEMPT.reason] = record.reason
  attributes[ATTEMPT.result] = record.result
  return attributes
}

/** A request that cannot be decoded has its spans, without what is in its body. */
function readSafely(request: SettledRequest): ReadContent {
  try {
    return request.read()
  } catch {
    return { conversation: null, answer: null }
  }
}

function settledAttributes({ settlement, served, routes, ...request }: SettledRequest): Attributes {
  const { usage, stream, firstByteMs, attempts } = settlement
  const supplier = served?.supplier ?? supplierNamed(attempts[attempts.length - 1]?.supplier, routes)
  const provider = supplier === null ? NO_PROVIDER : providerOf(supplier)
  const attributes: Attributes = {
    [GEN_AI.operation]: operationOf(settlement.clientFormat),
    [GEN_AI.provider]: provider.name,
    [GEN_AI.requestModel]: settlement.model,
    [GEN_AI.inputTokens]: inputTokensOf(usage),
    [GEN_AI.outputTokens]: usage.output,
    [GEN_AI.requestId]: settlement.requestId,
    [GEN_AI.accountId]: settlement.accountId,
    [GEN_AI.keyId]: settlement.keyId,
    [GEN_AI.outcome]: settlement.outcome,
    [GEN_AI.amount]: usdtOf(settlement.amountNano),
    [GEN_AI.cost]: usdtOf(settlement.costNano),
  }
  if (stream) {
    attributes[GEN_AI.stream] = true
    put(attributes, GEN_AI.timeToFirstChunk, firstByteMs === null ? null : firstByteMs / 1_000)
  }
  if (request.choices > 1) attributes[GEN_AI.choiceCount] = request.choices
  put(attributes, GEN_AI.maxTokens, request.maxOutputTokens)
  put(attributes, GEN_AI.conversationId, settlement.session)
  put(attributes, GEN_AI.agent, settlement.agent)
  put(attributes, GEN_AI.responseModel, served?.route.upstreamModel)
  put(attributes, GEN_AI.cacheReadTokens, usage.cacheRead || null)
  put(attributes, GEN_AI.cacheWriteTokens, usage.cacheWrite || null)
  put(attributes, GEN_AI.reasoningTokens, usage.reasoning || null)
  put(attributes, GEN_AI.serverAddress, provider.address)
  put(attributes, GEN_AI.serverPort, provider.port)
  put(attributes, GEN_AI.errorType, errorTypeOf(settlement))
  put(attributes, GEN_AI.supplier, settlement.supplier)
  return attributes
}

function putParameters(attributes: Attributes, conversation: Conversation): void {
  put(attributes, GEN_AI.temperature, conversation.temperature)
  put(attributes, GEN_AI.topP, conversation.topP)
  put(attributes, GEN_AI.topK, conversation.topK)
  put(attributes, GEN_AI.seed, conversation.seed)
  put(attributes, GEN_AI.frequencyPenalty, conversation.frequencyPenalty)
  put(attributes, GEN_AI.presencePenalty, conversation.presencePenalty)
  put(attributes, GEN_AI.stopSequences, conversation.stop.length > 0 ? conversation.stop : null)
  put(attributes, GEN_AI.outputType, conversation.output.type === 'text' ? null : 'json')
}

function putAnswer(attributes: Attributes, { answer }: ReadContent): void {
  if (answer === null) return
  put(attributes, GEN_AI.responseId, answer.id === '' ? null : answer.id)
  attributes[GEN_AI.finishReasons] = answer.choices.map(({ finish }) => finishReasonOf(finish.reason))
}

function eventsOf({ settlement, admission }: SettledRequest): SpanEvent[] {
  const { startedAtMs, durationMs } = settlement
  return [
    { name: EVENT.admitted, atMs: startedAtMs },
    {
      name: EVENT.held,
      atMs: startedAtMs,
      attributes: { [EVENT_ATTRIBUTE.hold]: usdtOf(admission.holdNano) },
    },
    {
      name: EVENT.settled,
      atMs: startedAtMs + durationMs,
      attributes: {
        [EVENT_ATTRIBUTE.amount]: usdtOf(settlement.amountNano),
        [EVENT_ATTRIBUTE.cost]: usdtOf(settlement.costNano),
        [EVENT_ATTRIBUTE.provenance]: settlement.provenance,
      },
    },
  ]
}
