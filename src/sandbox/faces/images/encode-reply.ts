import type { PainterKind } from '../../actors/actor.ts'
import type { Incoming, MadeImages } from '../face.ts'
import { decodeQuality } from './decode-request.ts'
import type { ImageRequest, Operation } from './schema.ts'

const MILLISECONDS_PER_SECOND = 1000

/** What an answer depends on, apart from the images. */
export interface ReplyContext extends Pick<Incoming, 'nowMs' | 'keepImage'> {
  readonly request: ImageRequest
  readonly dialect: PainterKind
  readonly operation: Operation
}

export function encodeReply(made: MadeImages, context: ReplyContext): unknown {
  const created = Math.floor(context.nowMs / MILLISECONDS_PER_SECOND)
  switch (context.dialect) {
    case 'classic':
      return { created, data: made.images.map((png) => encodeClassic(png, context)) }
    case 'base64-only':
      return { created, ...encodeBase64Only(made, context) }
  }
}

function encodeClassic(png: Uint8Array<ArrayBuffer>, { request, operation, keepImage }: ReplyContext) {
  return {
    ...(request.response_format === 'b64_json' ? { b64_json: encodeBase64(png) } : { url: keepImage(png) }),
    ...(operation === 'edit' ? {} : { revised_prompt: `A simulated picture of: ${request.prompt}` }),
  }
}

function encodeBase64Only({ images, size, usage }: MadeImages, { request }: ReplyContext) {
  return {
    background: request.background === 'transparent' ? 'transparent' : 'opaque',
    data: images.map((png) => ({ b64_json: encodeBase64(png) })),
    output_format: 'png',
    quality: decodeQuality(request.quality ?? null),
    size: `${size.width}x${size.height}`,
    ...(usage === null ? {} : { usage: encodeUsage(usage) }),
  }
}

function encodeUsage({ textInput, imageInput, output }: NonNullable<MadeImages['usage']>) {
  const input = textInput + imageInput
  return {
    input_tokens: input,
    input_tokens_details: { text_tokens: textInput, image_tokens: imageInput },
    output_tokens: output,
    total_tokens: input + output,
  }
}

function encodeBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64')
}
