import { type Answer, type AnswerEnding, endingOf } from '../../conversation/answer.ts'
import { fold } from '../../conversation/fold.ts'
import type { BodyRecorder } from '../../manage/ports/console.ts'
import { protocolOf } from '../../protocols/index.ts'
import type { SupplierSide, SupplyContext } from '../../protocols/translation.ts'
import type { AdmissionRecord, Settlement } from '../../vocabulary/settlement.ts'
import { tryParseJson } from '../../wire/json-values.ts'
import type { RequestObserver, SettledRequest } from '../ports/request-observer.ts'
import type { TraceRecording } from '../ports/request-trace.ts'
import { type PreparedRequest, routesOf } from './prepared-request.ts'

/** Longer requests and answers are not decoded for telemetry. */
const MAX_TRACED_CHARACTERS = 512 * 1_024
const BEGINS_JSON = /^\s*[{[]/

/** Takes down the answer of a sampled request, and what is to be stored of it. */
class TracedAnswer implements BodyRecorder {
  readonly #recording: TraceRecording
  readonly #bodies: BodyRecorder | null
  #decoder: TextDecoder | null = null

  constructor(recording: TraceRecording, bodies: BodyRecorder | null) {
    this.#recording = recording
    this.#bodies = bodies
  }

  add(answered: string | Uint8Array, reply?: unknown): void {
    this.#bodies?.add(answered)
    const recording = this.#recording
    if (recording.isAnswerCut) return
    recording.reply = reply
    recording.answer += typeof answered === 'string' ? answered : this.#decode(answered)
    if (recording.answer.length <= MAX_TRACED_CHARACTERS) return
    recording.isAnswerCut = true
    recording.answer = ''
  }

  #decode(bytes: Uint8Array): string {
    this.#decoder ??= new TextDecoder()
    return this.#decoder.decode(bytes, { stream: true })
  }

  end(requestId: string): void {
    this.#bodies?.end(requestId)
  }
}

/** Takes down what an answer says; null when nobody wants to know. */
export function recorderFor({ bodies = null, exchange, protocol }: PreparedRequest): BodyRecorder | null {
  const recording = exchange.trace?.recording ?? null
  if (recording === null || protocolOf(protocol.name) === undefined) return bodies
  return new TracedAnswer(recording, bodies)
}

/** Reports a request that has ended to telemetry. */
export function observeEnd(
  { prepared, record }: { readonly prepared: PreparedRequest; readonly record: AdmissionRecord },
  settled: Omit<SettledRequest, 'routes'>,
  observer: RequestObserver,
): void {
  const { exchange, target, request, bodies, bodyText = '' } = prepared
  const { settlement, served } = settled
  const routes = routesOf(target)
  observer.noteSettled({ settlement, served, routes })
  const { trace } = exchange
  if (trace === undefined || trace.recording === null) return
  const { recording } = trace
  const client = bodyText.length <= MAX_TRACED_CHARACTERS ? request.client : undefined
  observer.noteTraced({
    settlement,
    admission: record,
    trace,
    recording,
    served,
    routes,
    choices: request.facts.choices,
    maxOutputTokens: request.facts.maxOutputTokens,
    storesBodies: bodies !== undefined && bodies !== null,
    readSettings: () => request.client?.decodeSettings?.() ?? client?.decode() ?? null,
    readConversation: () => client?.decode() ?? null,
    readAnswer: () => readAnswer(recording, settlement),
    readEnding: () => readEnding(recording, settlement),
  })
}

function readAnswer(recording: TraceRecording, settlement: Settlement): Answer | null {
  const recorded = recordedAnswer(recording, settlement)
  if (recorded === null) return null
  const { body, side, context } = recorded
  return body === null
    ? decodeStream(recorded, Buffer.from(recording.answer))
    : side.decodeReply(body, context)
}

function readEnding(recording: TraceRecording, settlement: Settlement): AnswerEnding | null {
  const recorded = recordedAnswer(recording, settlement)
  if (recorded === null) return null
  const { body, side, context } = recorded
  const quick = body === null ? null : (side.readEnding?.(body) ?? null)
  if (quick !== null) return quick
  const stream = Buffer.from(recording.answer)
  const answer =
    body === null
      ? decodeStream(recorded, side.shortenStream?.(stream) ?? stream)
      : side.decodeReply(body, context)
  return answer === null ? null : endingOf(answer)
}

interface RecordedAnswer {
  /** null for a stream. */
  readonly body: object | null
  readonly side: SupplierSide
  readonly context: SupplyContext
}

/** The client's answer has the shape of a supplier's of the same format. */
function recordedAnswer(
  { answer, isAnswerCut, reply }: TraceRecording,
  { clientFormat, model }: Settlement,
): RecordedAnswer | null {
  const side = protocolOf(clientFormat)?.supplier
  if (side === undefined || isAnswerCut || answer === '') return null
  const context = { upstreamModel: model, route: '', traits: side.traits, outputTokenLimit: null }
  // Finding out that a stream is not JSON takes longer than reading a short one.
  const body = reply ?? (BEGINS_JSON.test(answer) ? tryParseJson(answer) : null)
  return { body: typeof body === 'object' ? body : null, side, context }
}

function decodeStream({ side, context }: RecordedAnswer, stream: Uint8Array): Answer | null {
  const decoder = side.openDecoder(context)
  const events = [...decoder.push(stream), ...decoder.end()]
  return decoder.failure === null ? fold(events) : null
}
