import type { Face } from '../faces/face.ts'
import type { FaultOf } from '../faults.ts'
import { type Refusal, refusalForStatus } from '../refusal.ts'

export const JSON_TYPE = 'application/json'

export const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
} as const

export function refuseWith(refusal: Refusal, face: Face): Response {
  return Response.json(face.writeError(refusal), { status: refusal.status })
}

export function answerStatus(fault: FaultOf<'status'>, face: Face): Response {
  const body = fault.body ?? JSON.stringify(face.writeError(refusalForStatus(fault.status)))
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

export class ConnectionDestroyed extends Error {
  constructor() {
    super('The sandbox destroyed the connection on purpose.')
  }
}
