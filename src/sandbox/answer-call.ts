import type { Actor } from './actors/actor.ts'
import type { CallRecord } from './call-log.ts'
import { answerStatus, destroyConnection, JSON_TYPE, STREAM_HEADERS } from './delivery/responses.ts'
import { openBody } from './delivery/stream-body.ts'
import { waitForAbort } from './delivery/wait.ts'
import type { Face, Frame, Scene } from './faces/face.ts'
import type { FaultPlan } from './fault-plan.ts'
import { type Performance, type PromptUsage, perform, performEndlessly } from './performance/performance.ts'
import { countTokens, renderPrompt } from './performance/tokens.ts'
import { refusalForStatus } from './refusal.ts'
import type { Stage } from './stage.ts'

const GARBAGE_BODY = '<html>\u0000 this is not JSON {"choices": ['

export interface PlannedCall {
  readonly scene: Scene
  readonly actor: Actor
  readonly plan: FaultPlan
  readonly call: CallRecord
  readonly face: Face
  /** Aborted when the caller leaves. */
  readonly signal: AbortSignal
}

export async function answerCall(planned: PlannedCall, stage: Stage): Promise<Response> {
  const { plan, call, face, signal } = planned
  const pauseMs = plan.find('latency')?.beforeFirstByteMs ?? 0
  if (pauseMs > 0) await stage.wait(pauseMs, signal)
  if (plan.find('hang') !== null) await waitForAbort(signal)
  if (plan.find('refuse') !== null || plan.find('cut')?.afterPieces === 0 || signal.aborted)
    return destroyConnection()
  const status = plan.find('status')
  if (status === null) return answerWithPerformance(planned, stage)
  call.finished = true
  return answerStatus(status, face)
}

function answerWithPerformance(planned: PlannedCall, stage: Stage): Response {
  const { scene, plan } = planned
  const performance = stagePerformance(planned, stage)
  const streams = scene.stream && plan.find('plain-json') === null
  return streams ? answerStream(performance, planned, stage) : answerWhole(performance, planned, stage)
}

function stagePerformance({ scene: { ask }, actor, plan }: PlannedCall, stage: Stage): Performance {
  const prompt = renderPrompt(ask)
  const promptUsage: PromptUsage = {
    input: countTokens(prompt.length),
    cachedInput: stage.promptCache.read(ask.model, prompt),
  }
  const lines = Array.from({ length: ask.choices }, (_, choice) => actor.speak(ask, choice))
  const long = plan.find('long-stream')
  const performance =
    long === null
      ? perform(ask, lines, promptUsage)
      : performEndlessly(long.pieces, long.bytesPerPiece, promptUsage)
  return plan.find('missing-usage') === null ? performance : { ...performance, usage: null }
}

function answerStream(performance: Performance, planned: PlannedCall, stage: Stage): Response {
  const frames = planned.scene.writeFrames(performance)
  return new Response(openFaultyBody(frames, planned, stage), { headers: STREAM_HEADERS })
}

function answerWhole(performance: Performance, planned: PlannedCall, stage: Stage): Response {
  const { plan, scene, call } = planned
  const headers = { 'content-type': JSON_TYPE }
  const text = plan.find('garbage') === null ? JSON.stringify(scene.writeReply(performance)) : GARBAGE_BODY
  const needsPieces = (['cut', 'split-utf8', 'truncated-end'] as const).some(
    (type) => plan.find(type) !== null,
  )
  if (needsPieces) return new Response(openFaultyBody(halve(text), planned, stage), { headers })
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

function openFaultyBody(
  frames: Iterable<Frame>,
  planned: PlannedCall,
  stage: Stage,
): ReadableStream<Uint8Array> {
  const { plan, call, face, signal } = planned
  return openBody(frames, {
    plan,
    signal,
    wait: stage.wait,
    errorFrame: face.writeErrorFrame(refusalForStatus(500)),
    onEnd: () => {
      call.finished = true
    },
  })
}
