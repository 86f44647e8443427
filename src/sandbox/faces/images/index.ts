import type { PainterKind } from '../../actors/actor.ts'
import type { GivenImage, ImageAsk } from '../../images/make-images.ts'
import { SandboxError } from '../../sandbox-error.ts'
import type { Face, Form, FormValue, ImageScene, ImageStream, Incoming, MadeImages } from '../face.ts'
import { encodeError, OPENAI_STYLE, refuseMissing, toSeconds } from '../openai-style.ts'
import { checkRequest, type ImageRequestBody, type Operation, readSize } from './schema.ts'

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
  const { fields, ...given } =
    operation === 'edit' ? readForm(body) : { fields: body, sources: [], mask: null }
  const { request, dialect } = checkRequest(fields, operation, incoming.traitsOf)
  return {
    type: 'images',
    ask: decodeRequest(request, given),
    writeReply: (made) => encodeReply(made, { request, dialect, operation, nowMs, keepImage }),
    ...(request.stream === true && { stream: streamOf(request, operation, nowMs) }),
  }
}

function streamOf(request: ImageRequestBody, operation: Operation, nowMs: number): ImageStream {
  const prefix = operation === 'edit' ? 'image_edit' : 'image_generation'
  const write = (type: string, png: Uint8Array, fields: object) => {
    const event = { type, b64_json: encodeBase64(png), created_at: toSeconds(nowMs), ...fields }
    return `event: ${type}\ndata: ${JSON.stringify(event)}\n\n`
  }
  return {
    partialImages: request.partial_images ?? 0,
    writePartial: (png, index, { size }) =>
      write(`${prefix}.partial_image`, png, {
        ...describeLook(request, size),
        partial_image_index: index,
      }),
    writeFinal: (png, { size, usage }) =>
      write(`${prefix}.completed`, png, {
        ...describeLook(request, size),
        ...(usage !== null && { usage: encodeUsage(usage) }),
      }),
    writeErrorFrame: (refusal) =>
      `event: error\ndata: ${JSON.stringify({ type: 'error', ...encodeError(refusal) })}\n\n`,
  }
}

function describeLook(request: ImageRequestBody, size: MadeImages['size']) {
  return {
    background: request.background === 'transparent' ? 'transparent' : 'opaque',
    output_format: 'png',
    quality: decodeQuality(request.quality ?? null),
    size: `${size.width}x${size.height}`,
  }
}

function decodeRequest(request: ImageRequestBody, given: Pick<ImageAsk, 'sources' | 'mask'>): ImageAsk {
  return {
    model: request.model,
    prompt: request.prompt,
    count: request.n ?? 1,
    size: readSize(request.size ?? 'auto'),
    quality: decodeQuality(request.quality ?? null),
    mood: request.style === 'natural' ? 'natural' : 'vivid',
    isTransparent: request.background === 'transparent',
    ...given,
  }
}

function decodeQuality(quality: string | null): ImageAsk['quality'] {
  if (quality === 'low') return 'low'
  return quality === 'high' || quality === 'hd' ? 'high' : 'medium'
}

/** What an answer depends on, apart from the images. */
interface ReplyContext extends Pick<Incoming, 'nowMs' | 'keepImage'> {
  readonly request: ImageRequestBody
  readonly dialect: PainterKind
  readonly operation: Operation
}

function encodeReply(made: MadeImages, context: ReplyContext): unknown {
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
    ...(operation === 'edit' ? {} : { revised_prompt: `A simulated image of: ${request.prompt}` }),
  }
}

function encodeBase64Only({ images, size, usage }: MadeImages, { request }: ReplyContext) {
  return {
    ...describeLook(request, size),
    data: images.map((png) => ({ b64_json: encodeBase64(png) })),
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

/** A form taken apart: the words as fields like those of a JSON body, and the files. */
interface ReadForm extends Pick<ImageAsk, 'sources' | 'mask'> {
  readonly fields: Readonly<Record<string, unknown>>
}

const MAX_IMAGES = 16
const LARGEST_IMAGE_BYTES = 50 * 1024 * 1024
const FILE_FIELDS = ['image', 'image[]', 'mask']

function readForm(body: unknown): ReadForm {
  if (!(body instanceof Map)) throw new SandboxError('bad-request', 'The body must be multipart/form-data.')
  const form: Form = body
  const files = (name: string, field: string) => (form.get(name) ?? []).map((value) => readFile(value, field))
  const sources = [...files('image', 'image'), ...files('image[]', 'image')]
  if (sources.length === 0) throw refuseMissing('image')
  if (sources.length > MAX_IMAGES)
    throw refuse(`Too many images: ${sources.length}. At most ${MAX_IMAGES} are accepted.`, 'image')
  const [mask = null, ...moreMasks] = files('mask', 'mask')
  if (moreMasks.length > 0) throw refuse("Duplicate parameter: 'mask'.", 'mask')
  return { fields: readFields(form), sources, mask }
}

function readFields(form: Form): Readonly<Record<string, unknown>> {
  const fields = [...form].filter(([name]) => !FILE_FIELDS.includes(name))
  return Object.fromEntries(fields.map(([name, values]) => [name, readField(name, values)]))
}

function readField(name: string, [value, ...more]: readonly FormValue[]): unknown {
  if (more.length > 0) throw refuse(`Duplicate parameter: '${name}'.`, name)
  if (typeof value !== 'string') throw refuse(`Invalid type for '${name}': expected text, got a file.`, name)
  // A form has only text, so what looks like a number or a truth value is read as one.
  if (name === 'prompt' || name === 'user' || name === 'model') return value
  if (/^-?\d{1,9}$/.test(value)) return Number(value)
  return value === 'true' || value === 'false' ? value === 'true' : value
}

function readFile(value: FormValue, field: string): GivenImage {
  if (typeof value === 'string')
    throw refuse(`Invalid type for '${field}': expected a file, got text.`, field)
  if (value.bytes.length > LARGEST_IMAGE_BYTES)
    throw refuse(`Invalid image file '${field}': it is larger than 50 MB.`, field)
  return { field, bytes: value.bytes }
}

function refuse(message: string, field: string): SandboxError {
  return new SandboxError('bad-request', message, { field })
}
