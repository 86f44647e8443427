import { addImages, answerImages, type PlannedCall } from './answer-images.ts'
import {
  answerStatus,
  answerWhole,
  destroyConnection,
  openFaultyBody,
  STREAM_HEADERS,
} from './delivery/responses.ts'
import { waitForAbort } from './delivery/wait.ts'
import type { AnswerScene, CountScene, ResultScene } from './faces/face.ts'
import { type Performance, perform, performEndlessly } from './performance/performance.ts'
import { countTokens, renderPrompt } from './performance/tokens.ts'
import type { SandboxError } from './sandbox-error.ts'
import type { Stage } from './stage.ts'

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
  switch (scene.type) {
    case 'answer':
      return answerWithPerformance({ ...planned, scene }, stage)
    case 'images':
      return answerImages({ ...planned, scene }, stage)
    case 'result':
      return answerResult({ ...planned, scene }, stage)
    case 'count':
      call.finished = true
      return answerCount(scene)
  }
}

function answerResult(
  { scene, plan, call, face, signal }: PlannedCall & { readonly scene: ResultScene },
  stage: Stage,
): Response {
  const hasUsage = plan.find('missing-usage') === null
  const { pieces, contentType } = scene
  const writeError = (refusal: SandboxError) => JSON.stringify(face.writeError(refusal))
  if (pieces === undefined) {
    const faulty = { plan, call, signal, contentType, writeErrorFrame: writeError }
    return answerWhole(() => scene.writeReply(hasUsage), faulty, stage)
  }
  const writeErrorFrame = (refusal: SandboxError) => `event: error\ndata: ${writeError(refusal)}\n\n`
  const body = openFaultyBody(pieces.write(hasUsage), { plan, call, signal, writeErrorFrame }, stage)
  return new Response(body, { headers: { ...STREAM_HEADERS, 'content-type': pieces.contentType } })
}

function answerCount(scene: CountScene): Response {
  return Response.json(scene.writeCount(countTokens(renderPrompt(scene.ask).length)))
}

async function answerWithPerformance(planned: SpokenCall, stage: Stage): Promise<Response> {
  const { scene, plan } = planned
  const performance = await stagePerformance(planned, stage)
  const faulty = { ...planned, writeErrorFrame: scene.writeErrorFrame }
  const streams = scene.stream && plan.find('plain-json') === null
  if (!streams) return answerWhole(() => scene.writeReply(performance), faulty, stage)
  const headers =
    scene.streamType === undefined ? STREAM_HEADERS : { ...STREAM_HEADERS, 'content-type': scene.streamType }
  return new Response(openFaultyBody(scene.writeFrames(performance), faulty, stage), { headers })
}

async function stagePerformance(
  { scene: { ask, asks = [ask] }, actor, plan }: SpokenCall,
  stage: Stage,
): Promise<Performance> {
  const prompt = renderPrompt(ask)
  const { cachedTokens, writtenTokens } = stage.promptCache.read(ask.model, prompt)
  const promptUsage = {
    input: countTokens(prompt.length),
    cachedInput: cachedTokens,
    writtenInput: writtenTokens,
  }
  const lines = asks.flatMap((each) =>
    Array.from({ length: each.choices }, (_, choice) => actor.speak(each, choice)),
  )
  const long = plan.find('long-stream')
  const performance =
    long === null
      ? await addImages(perform(ask, lines, promptUsage), ask)
      : performEndlessly(long.pieces, long.bytesPerPiece, promptUsage)
  if (plan.find('missing-usage') !== null) return { ...performance, usage: null }
  return plan.find('late-usage') === null ? performance : { ...performance, hasLateUsage: true }
}
