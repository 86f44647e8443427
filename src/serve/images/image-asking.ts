import type { PictureRequest } from '../../conversation/pictures.ts'
import { images } from '../../protocols/images/index.ts'
import type { PreparedRequest } from '../admission/prepared-request.ts'

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
