import { declinesPicture } from './actors/image.ts'
import { answerWhole } from './answer-whole.ts'
import type { CallRecord } from './call-log.ts'
import { destroyConnection } from './delivery/responses.ts'
import { nextTurn } from './delivery/wait.ts'
import type { Face, PictureScene } from './faces/face.ts'
import type { FaultPlan } from './fault-plan.ts'
import { openStudio } from './pictures/open-studio.ts'
import { countPictureUsage } from './pictures/picture-usage.ts'
import { Refusal } from './refusal.ts'
import type { Stage } from './stage.ts'

export interface PictureCall {
  readonly scene: PictureScene
  readonly plan: FaultPlan
  readonly call: CallRecord
  readonly face: Face
  readonly signal: AbortSignal
}

/** Makes the pictures of one call, one after the other. */
export async function answerPictures(planned: PictureCall, stage: Stage): Promise<Response> {
  const { scene, plan, call, face, signal } = planned
  refuseUnwanted(scene.ask.prompt)
  const studio = openStudio(scene.ask)
  const pictures: Uint8Array<ArrayBuffer>[] = []
  while (pictures.length < scene.ask.count) {
    pictures.push(studio.make(pictures.length))
    // Others are served between two pictures, each of which takes a while.
    await nextTurn()
    if (signal.aborted) return destroyConnection()
  }
  const usage = plan.find('missing-usage') === null ? countPictureUsage(scene.ask, studio.size) : null
  const writeReply = () => scene.writeReply({ pictures, size: studio.size, usage })
  const writeErrorFrame = (refusal: Refusal) => JSON.stringify(face.writeError(refusal))
  return answerWhole(writeReply, { plan, call, signal, writeErrorFrame }, stage)
}

function refuseUnwanted(prompt: string): void {
  if (!declinesPicture(prompt)) return
  const message = 'Your request was rejected as a result of our safety system.'
  throw new Refusal('bad-request', message, { field: 'prompt', code: 'content_policy_violation' })
}
