import type { Actor } from './actors/actor.ts'
import type { CallRecord } from './call-log.ts'
import { answerStatus, destroyConnection, JSON_TYPE, STREAM_HEADERS } from './delivery/responses.ts'
import { openBody } from './delivery/stream-body.ts'
import { waitForAbort } from './delivery/wait.ts'
import type { AnswerScene, CountScene, Face, Frame, Scene } from './faces/face.ts'
import type { FaultPlan } from './fault-plan.ts'
import { type Performance, perform, performEndlessly } from './performance/performance.ts'
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

/** A call whose caller wants the model to speak. */
type SpokenCall = PlannedCall & { readonly scene: AnswerScene }

export async function answerCall(planned: PlannedCall, stage: Stage): Promise<Response> {
  const { scene, plan, call, face, signal } = planned
  const pauseMs = plan.find('latency')?.beforeFirstByteMs ?? 0
  if (pauseMs > 0) await stage.wait(pauseMs, signal)
  if (plan.find('hang') !== null) await waitForAbort(signal)
  if (plan.find('refuse') !== null || plan.find('cut')?.afterPieces === 0 || signal.aborted)
    return destroyConnection()
  const status = plan.find('status')
  if (status !== null) {
    call.finished = true
    return answerStatus(status, face)
  }
  if (scene.type === 'answer') return answerWithPerformance({ ...planned, scene }, stage)
  call.finished = true
  return answerCount(scene)
}

function answerCount(scene: CountScene): Response {
  return Response.json(scene.writeCount(countTokens(renderPrompt(scene.ask).length)))
}

function answerWithPerformance(planned: SpokenCall, stage: Stage): Response {
  const { scene, plan } = planned
  const performance = stagePerformance(planned, stage)
  const streams = scene.stream && plan.find('plain-json') === null
  return streams ? answerStream(performance, planned, stage) : answerWhole(performance, planned, stage)
}

function stagePerformance({ scene: { ask }, actor, plan }: SpokenCall, stage: Stage): Performance {
  const prompt = renderPrompt(ask)
  const { cachedTokens, writtenTokens } = stage.promptCache.read(ask.model, prompt)
  const promptUsage = {
    input: countTokens(prompt.length),
    cachedInput: cachedTokens,
    writtenInput: writtenTokens,
  }
  const lines = Array.from({ length: ask.choices }, (_, choice) => actor.speak(ask, choice))
  const long = plan.find('long-stream')
  const performance =
    long === null
      ? perform(ask, lines, promptUsage)
      : performEndlessly(long.pieces, long.bytesPerPiece, promptUsage)
  if (plan.find('missing-usage') !== null) return { ...performance, usage: null }
  return plan.find('late-usage') === null ? performance : { ...performance, hasLateUsage: true }
}

function answerStream(performance: Performance, planned: SpokenCall, stage: Stage): Response {
  const { scene } = planned
  const headers =
    scene.streamType === undefined ? STREAM_HEADERS : { ...STREAM_HEADERS, 'content-type': scene.streamType }
  return new Response(openFaultyBody(scene.writeFrames(performance), planned, stage), { headers })
}

function answerWhole(performance: Performance, planned: SpokenCall, stage: Stage): Response {
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
  planned: SpokenCall,
  stage: Stage,
): ReadableStream<Uint8Array> {
  const { plan, call, scene, signal } = planned
  return openBody(frames, {
    plan,
    signal,
    wait: stage.wait,
    writeErrorFrame: (sentFrames) => scene.writeErrorFrame(refusalForStatus(500), sentFrames),
    onEnd: () => {
      call.finished = true
    },
  })
}
