import type { PictureRequest } from '../../conversation/images.ts'
import { images, readEdit, readGeneration } from '../../protocols/images/index.ts'
import { parseJson } from '../../wire/parse-json.ts'
import type { PreparedRequest } from '../admission/prepared-request.ts'
import { isLargeBody, yieldLoop } from '../delivery/yield-loop.ts'
import type { Exchange } from '../ports/exchange.ts'
import type { UploadRules } from '../ports/uploads.ts'

/** A request for pictures, and what to do with its uploads in the end. */
export interface ImageReading {
  readonly picture: PictureRequest
  dispose(): Promise<void>
}

export type ReadImageRequest = (exchange: Exchange) => Promise<ImageReading>

export async function readGenerationRequest(exchange: Exchange): Promise<ImageReading> {
  const text = await exchange.readText()
  const body = parseJson(text)
  if (isLargeBody(text.length)) await yieldLoop()
  const picture = readGeneration(body)
  return { picture, dispose: () => Promise.resolve() }
}

/** What no model takes more of; each model's own data is looked at once it is known which one is asked. */
const UPLOAD_RULES: UploadRules = {
  // Sixteen to start from, and a mask.
  maxPictures: 17,
  maxBytesPerPicture: 25 * 1024 * 1024,
  maxPixels: 100_000_000,
  maxFields: 64,
  maxFieldBytes: 256 * 1024,
  fileFields: ['image', 'mask'],
}

export async function readEditRequest(exchange: Exchange): Promise<ImageReading> {
  const form = await exchange.readForm(UPLOAD_RULES)
  const dispose = () => form.dispose()
  try {
    return { picture: readEdit(form), dispose }
  } catch (error) {
    await dispose()
    throw error
  }
}

/** A request for pictures on its way. */
export interface ImageAsking extends PreparedRequest {
  readonly picture: PictureRequest
}

/** What admission and routing see of a request for pictures. */
export function describePictures(picture: PictureRequest): Pick<PreparedRequest, 'protocol' | 'request'> {
  const count = picture.count ?? 1
  return {
    protocol: images,
    request: {
      facts: {
        model: picture.model,
        stream: false,
        promptCharacters: picture.prompt.length,
        mediaParts: picture.edit?.pictures.length ?? 0,
        maxOutputTokens: null,
        choices: count,
        images: count,
      },
      conversationHint: () => null,
    },
  }
}
