import type { CallRecord } from './call-log.ts'
import { JSON_TYPE } from './delivery/responses.ts'
import { openBody } from './delivery/stream-body.ts'
import type { Frame } from './faces/face.ts'
import type { FaultPlan } from './fault-plan.ts'
import { type Refusal, refusalForStatus } from './refusal.ts'
import type { Stage } from './stage.ts'

const GARBAGE_BODY = '<html>\u0000 this is not JSON {"choices": ['

/** What a body needs to know in order to misbehave as planned. */
export interface FaultyCall {
  readonly plan: FaultPlan
  readonly call: CallRecord
  /** Aborted when the caller leaves. */
  readonly signal: AbortSignal
  writeErrorFrame(refusal: Refusal, sentFrames: number): string
}

/** An answer in one piece of JSON. */
export function answerWhole(writeReply: () => unknown, faulty: FaultyCall, stage: Stage): Response {
  const { plan, call } = faulty
  const headers = { 'content-type': JSON_TYPE }
  const text = plan.find('garbage') === null ? JSON.stringify(writeReply()) : GARBAGE_BODY
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
  const { plan, call, signal } = faulty
  return openBody(frames, {
    plan,
    signal,
    wait: stage.wait,
    writeErrorFrame: (sentFrames) => faulty.writeErrorFrame(refusalForStatus(500), sentFrames),
    onEnd: () => {
      call.finished = true
    },
  })
}
