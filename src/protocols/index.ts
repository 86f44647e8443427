import type { Format } from '../vocabulary/supply.ts'
import { chatCompletion } from './chat-completion/index.ts'
import { contentGeneration, generationPictures } from './content-generation/index.ts'
import { images } from './images/index.ts'
import { messages } from './messages/index.ts'
import type { PictureSide } from './pictures.ts'
import type { Protocol } from './protocol.ts'
import { responses } from './responses/index.ts'

/** Every text format this gateway speaks. A new one is its folder and one line here. */
export const PROTOCOLS: readonly Protocol[] = [chatCompletion, responses, messages, contentGeneration]

const byName = new Map(PROTOCOLS.map((protocol) => [protocol.name, protocol]))

export function protocolOf(name: Format): Protocol | undefined {
  return byName.get(name)
}

/** Every format suppliers can be asked for pictures in, the one made for it first. */
export const PICTURE_SIDES: readonly PictureSide[] = [images, generationPictures]
