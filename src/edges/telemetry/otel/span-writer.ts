import type { Tracer } from '@opentelemetry/api'
import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
} from '@opentelemetry/api'
import type { Conversation } from '../../../conversation/conversation.ts'
import type {
  AnsweredRequest,
  ReadContent,
  RequestTrace,
  SettledRequest,
} from '../../../serve/ports/request-observer.ts'
import type { Attempt } from '../../../vocabulary/settlement.ts'
import { usdtOf } from '../request-fields.ts'
import { scrub } from '../scrub.ts'
import { attemptErrorOf, errorTypeOf, inputTokensOf } from './facts.ts'
import { ATTEMPT, EVENT, EVENT_ATTRIBUTE, GEN_AI, SERVER } from './names.ts'
import { NO_PROVIDER, operationOf, providerOf, supplierNamed } from './providers.ts'
import { contentAttributes, finishReasonOf } from './span-content.ts'
import { childContext, type RandomIds } from './trace-context.ts'

const MAX_MESSAGE_CHARACTERS = 200
const USUAL_METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])

/** Which requests have their content in their spans. `kept`: those of accounts that store their bodies. */
export type ContentRule = 'off' | 'kept' | 'all'

export interface SpanWriterParts {
  readonly tracer: Tracer
  readonly ids: RandomIds
  readonly content: ContentRule
}

/** Hands the SDK the ids of spans that began before they are written. */
export class GivenIds {
  spanId = ''
  traceId = ''

  generateSpanId(): string {
    return this.spanId
  }

  generateTraceId(): string {
    return this.traceId
  }
}

interface SpanFacts {
  readonly spanId: string
  readonly name: string
  readonly kind: SpanKind
  readonly startMs: number
  readonly attributes: Attributes
  readonly context: Context
}

/** Writes the spans of requests that have ended. */
export class SpanWriter {
  readonly #parts: SpanWriterParts
  readonly #given: GivenIds

  constructor(parts: SpanWriterParts, given: GivenIds) {
    this.#parts = parts
    this.#given = given
  }

  writeServer(request: AnsweredRequest): void {
    const { trace, route, status, errorCode } = request
    const method = USUAL_METHODS.has(request.method) ? request.method : '_OTHER'
    const isFault = status >= 500
    const parent = trace.parentSpanId
    const span = this.#start(trace, {
      spanId: trace.spanId,
      name: route === null ? method : `${method} ${route}`,
      kind: SpanKind.SERVER,
      startMs: request.startedAtMs,
      context: parent === null ? ROOT_CONTEXT : childContext(trace, parent, true),
      attributes: present({
        [SERVER.method]: method,
        [SERVER.route]: route,
        [SERVER.status]: status,
        [SERVER.errorType]: errorCode ?? (isFault ? String(status) : null),
        [SERVER.requestId]: request.requestId,
        [SERVER.accountId]: request.accountId,
        [SERVER.keyId]: request.keyId,
      }),
    })
    // An error of the client is not one of the server.
    if (isFault) span.setStatus({ code: SpanStatusCode.ERROR })
    span.end(request.startedAtMs + request.durationMs)
  }

  writeSettled(request: SettledRequest): void {
    const { settlement, trace } = request
    if (trace?.recording == null) return
    const { startedAtMs, durationMs, model, clientFormat } = settlement
    const spanId = this.#parts.ids.nextSpanId()
    const content = readSafely(request)
    const span = this.#start(trace, {
      spanId,
      name: `${operationOf(clientFormat)} ${model}`,
      kind: SpanKind.CLIENT,
      startMs: startedAtMs,
      context: childContext(trace, trace.spanId, false),
      attributes: {
        ...settledAttributes(request),
        ...parameterAttributes(content.conversation),
        ...answerAttributes(content),
        ...(this.#showsContent(request) && contentAttributes(content.conversation, content.answer)),
      },
    })
    addEvents(span, request)
    if (errorTypeOf(settlement) !== null) span.setStatus({ code: SpanStatusCode.ERROR })
    const context = childContext(trace, spanId, false)
    for (const [place, { spanId: attemptId, record }] of trace.recording.attempts.entries())
      this.#writeAttempt(request, record, { spanId: attemptId, place, context })
    span.end(startedAtMs + durationMs)
  }

  #showsContent({ storesBodies }: SettledRequest): boolean {
    const { content } = this.#parts
    return content === 'all' || (content === 'kept' && storesBodies)
  }

  #writeAttempt(
    { settlement, routes, trace }: SettledRequest,
    record: Attempt,
    {
      spanId,
      place,
      context,
    }: { readonly spanId: string; readonly place: number; readonly context: Context },
  ): void {
    if (trace === null) return
    const supplier = supplierNamed(record.supplier, routes)
    const provider = supplier === null ? NO_PROVIDER : providerOf(supplier)
    const errorType = attemptErrorOf(record)
    const span = this.#start(trace, {
      spanId,
      name: 'POST',
      kind: SpanKind.CLIENT,
      startMs: record.startedAtMs,
      context,
      attributes: present({
        [ATTEMPT.method]: 'POST',
        [ATTEMPT.status]: record.status,
        [ATTEMPT.resendCount]: place === 0 ? null : place,
        [ATTEMPT.serverAddress]: provider.address,
        [ATTEMPT.serverPort]: provider.port,
        [ATTEMPT.errorType]: errorType,
        [ATTEMPT.supplier]: record.supplier,
        [ATTEMPT.credentialId]: record.credentialId,
        [ATTEMPT.reason]: record.reason,
        [ATTEMPT.result]: record.result,
      }),
    })
    if (errorType !== null) {
      const message = scrub(record.failure ?? '').slice(0, MAX_MESSAGE_CHARACTERS)
      span.setStatus({ code: SpanStatusCode.ERROR, message })
    }
    // An answer lasts until the request ends; the record of an attempt only knows when it began.
    const endedAtMs = settlement.startedAtMs + settlement.durationMs
    const failedAtMs = record.startedAtMs + (record.durationMs ?? 0)
    span.end(record.result === 'answered' ? Math.max(endedAtMs, failedAtMs) : failedAtMs)
  }

  #start({ traceId }: RequestTrace, facts: SpanFacts): Span {
    const { spanId, name, kind, startMs, attributes, context } = facts
    this.#given.spanId = spanId
    this.#given.traceId = traceId
    return this.#parts.tracer.startSpan(name, { kind, startTime: startMs, attributes }, context)
  }
}

type Maybe = Readonly<Record<string, string | number | boolean | readonly string[] | null | undefined>>

function present(attributes: Maybe): Attributes {
  const entries = Object.entries(attributes).filter(([, value]) => value !== null && value !== undefined)
  return Object.fromEntries(entries) as Attributes
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
  return present({
    [GEN_AI.operation]: operationOf(settlement.clientFormat),
    [GEN_AI.provider]: provider.name,
    [GEN_AI.requestModel]: settlement.model,
    [GEN_AI.stream]: stream ? true : null,
    [GEN_AI.choiceCount]: request.choices > 1 ? request.choices : null,
    [GEN_AI.maxTokens]: request.maxOutputTokens,
    [GEN_AI.conversationId]: settlement.session,
    [GEN_AI.responseModel]: served?.route.upstreamModel,
    [GEN_AI.timeToFirstChunk]: stream && firstByteMs !== null ? firstByteMs / 1_000 : null,
    [GEN_AI.inputTokens]: inputTokensOf(usage),
    [GEN_AI.outputTokens]: usage.output,
    [GEN_AI.cacheReadTokens]: usage.cacheRead || null,
    [GEN_AI.cacheWriteTokens]: usage.cacheWrite || null,
    [GEN_AI.reasoningTokens]: usage.reasoning || null,
    [GEN_AI.serverAddress]: provider.address,
    [GEN_AI.serverPort]: provider.port,
    [GEN_AI.errorType]: errorTypeOf(settlement),
    [GEN_AI.requestId]: settlement.requestId,
    [GEN_AI.accountId]: settlement.accountId,
    [GEN_AI.keyId]: settlement.keyId,
    [GEN_AI.agent]: settlement.agent,
    [GEN_AI.supplier]: settlement.supplier,
    [GEN_AI.outcome]: settlement.outcome,
    [GEN_AI.amount]: usdtOf(settlement.amountNano),
    [GEN_AI.cost]: usdtOf(settlement.costNano),
  })
}

function parameterAttributes(conversation: Conversation | null): Attributes {
  if (conversation === null) return {}
  const { stop, output } = conversation
  return present({
    [GEN_AI.temperature]: conversation.temperature,
    [GEN_AI.topP]: conversation.topP,
    [GEN_AI.topK]: conversation.topK,
    [GEN_AI.seed]: conversation.seed,
    [GEN_AI.frequencyPenalty]: conversation.frequencyPenalty,
    [GEN_AI.presencePenalty]: conversation.presencePenalty,
    [GEN_AI.stopSequences]: stop.length > 0 ? stop : null,
    [GEN_AI.outputType]: output.type === 'text' ? null : 'json',
  })
}

function answerAttributes({ answer }: ReadContent): Attributes {
  if (answer === null) return {}
  return present({
    [GEN_AI.responseId]: answer.id === '' ? null : answer.id,
    [GEN_AI.finishReasons]: answer.choices.map(({ finish }) => finishReasonOf(finish.reason)),
  })
}

function addEvents(span: Span, { settlement, admission }: SettledRequest): void {
  const { startedAtMs, durationMs } = settlement
  span.addEvent(EVENT.admitted, {}, startedAtMs)
  span.addEvent(EVENT.held, { [EVENT_ATTRIBUTE.hold]: usdtOf(admission.holdNano) }, startedAtMs)
  span.addEvent(
    EVENT.settled,
    {
      [EVENT_ATTRIBUTE.amount]: usdtOf(settlement.amountNano),
      [EVENT_ATTRIBUTE.cost]: usdtOf(settlement.costNano),
      [EVENT_ATTRIBUTE.provenance]: settlement.provenance,
    },
    startedAtMs + durationMs,
  )
}
