import type { PainterKind } from '../../actors/actor.ts'
import type { ImageAsk } from '../../images/make-images.ts'
import type { Face, ImageScene, Incoming, MadeImages } from '../face.ts'
import { OPENAI_STYLE, toSeconds } from '../openai-style.ts'
import { readForm } from './read-form.ts'
import { checkRequest, type ImageRequest, type Operation, readSize } from './schema.ts'

const OPERATIONS: Readonly<Record<string, Operation>> = {
  '/v1/images/generations': 'generation',
  '/v1/images/edits': 'edit',
}

export const images: Face = {
  name: 'images',
  home: '/v1/images/',
  claims: (method, path) => method === 'POST' && path in OPERATIONS,
  takesForm: (path) => OPERATIONS[path] === 'edit',
  ...OPENAI_STYLE,
  open: openScene,
}

function openScene(incoming: Incoming): ImageScene {
  const { path, body, nowMs, keepImage } = incoming
  const operation = OPERATIONS[path] ?? 'generation'
  const { fields, sources, mask } =
    operation === 'edit' ? readForm(body) : { fields: body, sources: [], mask: null }
  const { request, dialect } = checkRequest(fields, operation, incoming.traitsOf)
  return {
    type: 'images',
    ask: decodeRequest(request, { sources, mask }),
    writeReply: (made) => encodeReply(made, { request, dialect, operation, nowMs, keepImage }),
  }
}

export function decodeRequest(
  request: ImageRequest,
  { sources, mask }: Pick<ImageAsk, 'sources' | 'mask'>,
): ImageAsk {
  return {
    model: request.model,
    prompt: request.prompt,
    count: request.n ?? 1,
    size: readSize(request.size ?? 'auto'),
    quality: decodeQuality(request.quality ?? null),
    mood: request.style === 'natural' ? 'natural' : 'vivid',
    isTransparent: request.background === 'transparent',
    sources,
    mask,
  }
}

function decodeQuality(quality: string | null): ImageAsk['quality'] {
  if (quality === 'low') return 'low'
  return quality === 'high' || quality === 'hd' ? 'high' : 'medium'
}

/** What an answer depends on, apart from the images. */
export interface ReplyContext extends Pick<Incoming, 'nowMs' | 'keepImage'> {
  readonly request: ImageRequest
  readonly dialect: PainterKind
  readonly operation: Operation
}

export function encodeReply(made: MadeImages, context: ReplyContext): unknown {
  const created = toSeconds(context.nowMs)
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
