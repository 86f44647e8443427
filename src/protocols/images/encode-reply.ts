import type { ImageAnswer, ImageForm } from '../../conversation/families/images.ts'
import { encodeUsage } from './usage.ts'

/** An image for the client. */
export interface HandedPicture {
  /** A URL, or the image in Base64. */
  readonly value: string
  readonly revisedPrompt: string | null
}

export interface ReplyFacts extends Pick<ImageAnswer, 'usage' | 'remarks'> {
  readonly createdAtMs: number
  readonly form: ImageForm
}

export function encodeReply(
  pictures: readonly HandedPicture[],
  { createdAtMs, form, usage, remarks }: ReplyFacts,
): string {
  const field = form === 'url' ? 'url' : 'b64_json'
  return JSON.stringify({
    created: Math.floor(createdAtMs / 1000),
    data: pictures.map(({ value, revisedPrompt }) => ({
      [field]: value,
      ...(revisedPrompt !== null && { revised_prompt: revisedPrompt }),
    })),
    ...(usage !== null && { usage: encodeUsage(usage) }),
    ...remarks,
  })
}
