import type { ImageRequest } from '../../../conversation/images.ts'
import { images, readEdit, readGeneration } from '../../../protocols/images/index.ts'
import { parseJson } from '../../../wire/parse-json.ts'
import type { PreparedRequest } from '../../admission/prepared-request.ts'
import { isLargeBody, yieldLoop } from '../../yield-loop.ts'
import type { Exchange } from '../../ports/exchange.ts'
import type { UploadRules } from '../../ports/uploads.ts'

/** An image request that was read. `dispose` deletes its uploads. */
export interface ImageReading {
  readonly imageRequest: ImageRequest
  dispose(): Promise<void>
}

export type ReadImageRequest = (exchange: Exchange) => Promise<ImageReading>

export async function readGenerationRequest(exchange: Exchange): Promise<ImageReading> {
  const text = await exchange.readText()
  const body = parseJson(text)
  if (isLargeBody(text.length)) await yieldLoop()
  const imageRequest = readGeneration(body)
  return { imageRequest, dispose: () => Promise.resolve() }
}

/** What no model takes more of; each model's own data is looked at once it is known which one is asked. */
const UPLOAD_RULES: UploadRules = {
  // Sixteen to start from, and a mask.
  maxImages: 17,
  maxBytesPerImage: 25 * 1024 * 1024,
  maxPixels: 100_000_000,
  maxFields: 64,
  maxFieldBytes: 256 * 1024,
  fileFields: ['image', 'mask'],
}

export async function readEditRequest(exchange: Exchange): Promise<ImageReading> {
  const form = await exchange.readForm(UPLOAD_RULES)
  const dispose = () => form.dispose()
  try {
    return { imageRequest: readEdit(form), dispose }
  } catch (error) {
    await dispose()
    throw error
  }
}

/** An image request that is ready for admission. */
export interface PreparedImageRequest extends PreparedRequest {
  readonly imageRequest: ImageRequest
}

/** What admission and routing need to know about an image request. */
export function describeImages(imageRequest: ImageRequest): Pick<PreparedRequest, 'protocol' | 'request'> {
  const count = imageRequest.count ?? 1
  return {
    protocol: images,
    request: {
      facts: {
        model: imageRequest.model,
        stream: false,
        promptCharacters: imageRequest.prompt.length,
        mediaParts: imageRequest.edit?.pictures.length ?? 0,
        maxOutputTokens: null,
        choices: count,
        images: count,
      },
      conversationHint: () => null,
    },
  }
}
