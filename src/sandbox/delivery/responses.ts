import type { CallRecord } from '../call-log.ts'
import type { Face, Frame } from '../faces/face.ts'
import type { FaultOf } from '../faults.ts'
import { errorForStatus, type SandboxError } from '../sandbox-error.ts'
import type { Stage } from '../stage.ts'
import { type BodyOptions, openBody } from './stream-body.ts'

const JSON_TYPE = 'application/json'

export const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
} as const

export function refuseWith(refusal: SandboxError, face: Face): Response {
  return Response.json(face.writeError(refusal), { status: refusal.status })
}

export function answerStatus(fault: FaultOf<'status'>, face: Face): Response {
  const body = fault.body ?? JSON.stringify(face.writeError(errorForStatus(fault.status)))
  const headers = new Headers({ 'content-type': JSON_TYPE })
  if (fault.retryAfterSeconds !== undefined) headers.set('retry-after', String(fault.retryAfterSeconds))
  return new Response(body, { status: fault.status, headers })
}

/**
 * The server gives its handlers no socket; a body that fails at once makes it destroy the connection unanswered.
 * The failure has no reason because the server would print one.
 */
export function destroyConnection(): Response {
  return new Response(new ReadableStream({ start: (controller) => controller.error(undefined) }))
}

const GARBAGE_BODY = '<html>\u0000 this is not JSON {"choices": ['

/** What a body needs to know in order to misbehave as planned. */
interface FaultyCall extends Pick<BodyOptions, 'plan' | 'signal'> {
  readonly call: CallRecord
  /** JSON when absent. */
  readonly contentType?: string | undefined
  writeErrorFrame(refusal: SandboxError, sentFrames: number): string
}

/** An answer in one piece: JSON, or a text of another type. */
export function answerWhole(writeReply: () => unknown, faulty: FaultyCall, stage: Stage): Response {
  const { plan, call, contentType } = faulty
  const headers = { 'content-type': contentType ?? JSON_TYPE }
  const write = () => (contentType === undefined ? JSON.stringify(writeReply()) : String(writeReply()))
  const text = plan.find('garbage') === null ? write() : GARBAGE_BODY
  const needsPieces = (['cut', 'split-utf8', 'truncated-end'] as const).some(
    (type) => plan.find(type) !== null,
  )
  if (needsPieces) return new Response(openFaultyBody(halve(text), faulty, stage), { headers })
  call.finished = true
  return new Response(text, { headers })
}

/** A whole reply has two pieces, so that it can break off in the middle. */
function halve(text: string): readonly Frame[] {
  const middle = Math.floor(text.length / 2)
  return [
    { part: 'content', text: text.slice(0, middle) },
    { part: 'end', text: text.slice(middle) },
  ]
}

export function openFaultyBody(
  frames: Iterable<Frame>,
  faulty: FaultyCall,
  stage: Stage,
): ReadableStream<Uint8Array> {
  return openBody(frames, {
    ...faulty,
    wait: stage.wait,
    writeErrorFrame: (sentFrames) => faulty.writeErrorFrame(errorForStatus(500), sentFrames),
    onEnd: () => {
      faulty.call.finished = true
    },
  })
}
