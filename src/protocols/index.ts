import type { Format } from '../vocabulary/supply.ts'
import { chatCompletion } from './chat-completion/index.ts'
import { contentGeneration, generationImages } from './content-generation/index.ts'
import type { ImageSide } from './image-side.ts'
import { images } from './images/index.ts'
import { messages } from './messages/index.ts'
import type { Protocol } from './protocol.ts'
import { responses } from './responses/index.ts'

/** Every text format of the gateway. A new one needs a folder and a line here. */
export const PROTOCOLS: readonly Protocol[] = [chatCompletion, responses, messages, contentGeneration]

const byName = new Map(PROTOCOLS.map((protocol) => [protocol.name, protocol]))

export function protocolOf(name: Format): Protocol | undefined {
  return byName.get(name)
}

/** Every format in which suppliers can generate images; the dedicated one comes first. */
export const IMAGE_SIDES: readonly ImageSide[] = [images, generationImages]
