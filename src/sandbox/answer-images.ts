import type { Actor } from './actors/actor.ts'
import { declinesImage } from './actors/image.ts'
import type { CallRecord } from './call-log.ts'
import { answerWhole, destroyConnection, openFaultyBody, STREAM_HEADERS } from './delivery/responses.ts'
import { nextTurn } from './delivery/wait.ts'
import type { Face, Frame, ImageScene, ImageStream, MadeImages, Scene } from './faces/face.ts'
import type { FaultPlan } from './faults.ts'
import { countImageUsage, type GivenImage, openStudio } from './images/make-images.ts'
import { type Ask, lastUserText, lastUserTurn, type SeenImage } from './performance/ask.ts'
import { type Choice, type Performance, readStep } from './performance/performance.ts'
import { countTokens, TOKENS_PER_MADE_IMAGE } from './performance/tokens.ts'
import { SandboxError } from './sandbox-error.ts'
import type { Stage } from './stage.ts'

export interface PlannedCall {
  readonly scene: Scene
  readonly actor: Actor
  readonly plan: FaultPlan
  readonly call: CallRecord
  readonly face: Face
  /** Aborted when the caller leaves. */
  readonly signal: AbortSignal
}

/** Makes the images of one call, one after the other. */
export async function answerImages(
  { scene, plan, call, face, signal }: PlannedCall & { readonly scene: ImageScene },
  stage: Stage,
): Promise<Response> {
  refuseUnwanted(scene.ask.prompt)
  const studio = openStudio(scene.ask)
  const images: Uint8Array<ArrayBuffer>[] = []
  while (images.length < scene.ask.count) {
    images.push(studio.make(images.length))
    // Others are served between two images, each of which takes a while.
    await nextTurn()
    if (signal.aborted) return destroyConnection()
  }
  const usage = plan.find('missing-usage') === null ? countImageUsage(scene.ask, studio.size) : null
  if (scene.stream !== undefined && plan.find('plain-json') === null) {
    const { writeErrorFrame } = scene.stream
    const frames = writeImageFrames(scene.stream, { images, size: studio.size, usage })
    return new Response(openFaultyBody(frames, { plan, call, signal, writeErrorFrame }, stage), {
      headers: STREAM_HEADERS,
    })
  }
  const writeReply = () => scene.writeReply({ images, size: studio.size, usage })
  const writeErrorFrame = (refusal: SandboxError) => JSON.stringify(face.writeError(refusal))
  return answerWhole(writeReply, { plan, call, signal, writeErrorFrame }, stage)
}

// As real models charge for what they show before the final image.
const TOKENS_PER_PARTIAL_IMAGE = 100

function* writeImageFrames(stream: ImageStream, { images, size, usage }: MadeImages): Generator<Frame> {
  for (const png of images) {
    for (let index = 0; index < stream.partialImages; index++) {
      yield { part: 'content', text: stream.writePartial(png, index, { size }) }
    }
    const output = usage === null ? 0 : usage.output / images.length
    const used = usage && {
      ...usage,
      output: output + stream.partialImages * TOKENS_PER_PARTIAL_IMAGE,
    }
    yield { part: 'finish', text: stream.writeFinal(png, { size, usage: used }) }
  }
}

function refuseUnwanted(prompt: string): void {
  if (!declinesImage(prompt)) return
  const message = 'Your request was rejected as a result of our safety system.'
  throw new SandboxError('bad-request', message, { field: 'prompt', code: 'content_policy_violation' })
}

/** Ends every answer that was not broken off with an image, if images are wanted at all. */
export async function addImages(performance: Performance, ask: Ask): Promise<Performance> {
  if (ask.image === undefined) return performance
  const studio = openStudio({
    model: ask.model,
    prompt: lastUserText(ask),
    count: ask.choices,
    size: ask.image.size,
    quality: 'medium',
    mood: 'vivid',
    isTransparent: false,
    sources: findImages(ask).map(toGiven),
    mask: null,
  })
  const choices: Choice[] = []
  for (const [variant, choice] of performance.choices.entries()) {
    await nextTurn()
    choices.push(isOpenEnded(choice) ? endWithImage(choice, ask, () => studio.make(variant)) : choice)
  }
  return { ...performance, choices, usage: addTokens(performance.usage, choices) }
}

function isOpenEnded({ finish, stopSequence }: Choice): boolean {
  return finish === 'stop' && stopSequence === null
}

/** An image cannot be given by half, so one that the caller's limit has no room for does not come at all. */
function endWithImage(choice: Choice, { maxOutputTokens }: Ask, make: () => Uint8Array): Choice {
  const characters = choice.steps.reduce((sum, step) => sum + readStep(step).length, 0)
  const tokens = countTokens(characters) + TOKENS_PER_MADE_IMAGE
  const isOverLimit = maxOutputTokens !== null && tokens > maxOutputTokens
  return isOverLimit ? { ...choice, finish: 'length' } : { ...choice, image: make() }
}

function addTokens(usage: Performance['usage'], choices: readonly Choice[]): Performance['usage'] {
  if (usage === null) return null
  const imageOutput = choices.filter(({ image }) => image !== undefined).length * TOKENS_PER_MADE_IMAGE
  return { ...usage, output: usage.output + imageOutput, imageOutput }
}

/** Those of the question; where it has none, it is about the latest ones there are, be they the model's own. */
function findImages(ask: Ask): readonly SeenImage[] {
  const asked = lastUserTurn(ask)?.images ?? []
  return asked.length > 0 ? asked : (ask.turns.findLast(({ images }) => images.length > 0)?.images ?? [])
}

function toGiven({ base64 }: SeenImage): GivenImage {
  const field = 'contents'
  if (base64 !== undefined) return { field, bytes: Buffer.from(base64, 'base64') }
  const message = 'Unable to process input image: the sandbox does not fetch image URLs.'
  throw new SandboxError('bad-request', message, { field })
}
