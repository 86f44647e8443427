import type { PictureAnswer } from '../../conversation/pictures.ts'
import { GatewayError } from '../../errors/gateway-error.ts'
import { encodeReply, type HandedPicture } from '../../protocols/images/index.ts'
import type { Gateway } from '../gateway.ts'
import type { CollectedPicture } from './collect-pictures.ts'
import type { ImageAsking } from './image-asking.ts'
import { ownAddressOf } from './own-address.ts'

export interface HandingParts {
  readonly asking: ImageAsking
  readonly gateway: Gateway
  readonly answer: PictureAnswer
}

/** The reply as the client wants it: with the pictures in it, or with addresses under which they are kept for a while. */
export async function handOut(
  pictures: readonly CollectedPicture[],
  { asking, gateway, answer }: HandingParts,
): Promise<string> {
  const { wants } = asking.picture
  const address = ownAddressOf(asking.exchange, gateway.publicUrl)
  const handed: HandedPicture[] = []
  for (const picture of pictures) {
    const value = wants === 'base64' ? picture.base64 : address + (await keep(picture, gateway))
    handed.push({ value, revisedPrompt: picture.revisedPrompt })
  }
  return encodeReply(handed, { ...answer, wants, createdAtMs: gateway.clock.nowMs() })
}

async function keep({ base64, mediaType }: CollectedPicture, { assets }: Gateway): Promise<string> {
  try {
    return (await assets.save(Buffer.from(base64, 'base64'), mediaType)).path
  } catch (cause) {
    throw cannotKeep(cause)
  }
}

/** A client that tried again would have the suppliers draw for nothing once more. */
function cannotKeep(cause: unknown): GatewayError {
  const advice = 'Nothing is charged. With response_format "b64_json" pictures come in the answer itself.'
  const message = `The picture was made, but this gateway cannot keep it to give it an address. ${advice}`
  return new GatewayError('internal_error', message, { cause, headers: { 'x-should-retry': 'false' } })
}
