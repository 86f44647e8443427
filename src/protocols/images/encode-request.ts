import type { EncodedImageRequest, ImageFile, ImageRequest } from '../../conversation/families/images.ts'
import { type BodyPiece, PiecedBody } from '../../wire/pieced-body.ts'
import type { ImageSupply } from '../family-sides.ts'
import { encodeQuality } from './quality.ts'
import { readLook } from './usage.ts'

type Field = readonly [name: string, value: unknown]

/** A request for suppliers of this format: JSON for new images, a form for edits. */
export function encodeRequest(
  request: ImageRequest,
  supply: ImageSupply,
): EncodedImageRequest<string | PiecedBody> {
  const said = fieldsOf(request, supply)
  const fields = said.filter(([name, value]) => value !== null && !supply.refused.includes(name))
  const kept = new Set(fields.map(([name]) => name))
  const dropped = wishesOf(request).filter((name) => !kept.has(name))
  const copies = supply.traits.oneByOne ? (request.count ?? 1) : 1
  const { edit } = request
  const body = edit === null ? JSON.stringify(Object.fromEntries(fields)) : encodeForm(fields, edit)
  const { size, quality } = Object.fromEntries(fields)
  return { body, copies, isStreamed: kept.has('stream'), look: readLook(size, quality), dropped }
}

function fieldsOf(request: ImageRequest, { upstreamModel, traits, refused }: ImageSupply): readonly Field[] {
  const { quality, style } = request
  const isStreamed = request.stream && !traits.oneByOne && !refused.includes('stream')
  return [
    ['model', upstreamModel],
    ['prompt', request.prompt],
    ['n', traits.oneByOne ? null : request.count],
    ['size', knownOrNull(request.size, traits.sizes)],
    ['quality', quality === null ? null : encodeQuality(quality, traits.qualities)],
    ['style', knownOrNull(style, traits.styles)],
    ['response_format', formFor(request, traits)],
    ['user', request.user],
    ['stream', isStreamed || null],
    ['partial_images', isStreamed ? request.partialImages : null],
    ...request.others,
  ]
}

/**
 * Asks for bytes, whatever the client wants: a supplier's URL may expire early and reveals the supplier. A client that
 * did not choose gets what the model returns on its own, so the supplier is not asked for anything.
 */
function formFor({ wants }: ImageRequest, { responseFormat }: ImageSupply['traits']): string | null {
  return wants === null || responseFormat === 'none' ? null : responseFormat
}

function knownOrNull(value: string | null, taken: 'any' | readonly string[]): string | null {
  return value !== null && (taken === 'any' || taken.includes(value)) ? value : null
}

/** The parameters the client chose; `auto` is the same as none. */
function wishesOf({ size, quality, style, user, stream, partialImages, others }: ImageRequest): string[] {
  const wishes: readonly Field[] = [
    ['size', size],
    ['quality', quality],
    ['style', style],
    ['user', user],
    ['partial_images', stream ? partialImages || null : null],
    ...others,
  ]
  return [...new Set(wishes.filter(([, value]) => value !== null && value !== 'auto').map(([name]) => name))]
}

function encodeForm(fields: readonly Field[], edit: NonNullable<ImageRequest['edit']>): PiecedBody {
  const boundary = `turnpike-${crypto.randomUUID()}`
  const pieces: BodyPiece[] = fields.map(
    ([name, value]) => `${partHead(boundary, name)}\r\n\r\n${String(value)}\r\n`,
  )
  // Official clients use these two names, and suppliers accept nothing else.
  const field = edit.pictures.length === 1 ? 'image' : 'image[]'
  for (const [index, picture] of edit.pictures.entries()) {
    pieces.push(...filePieces(partHead(boundary, field), `image-${index + 1}`, picture))
  }
  if (edit.mask !== null) pieces.push(...filePieces(partHead(boundary, 'mask'), 'mask', edit.mask))
  pieces.push(`--${boundary}--\r\n`)
  return new PiecedBody(`multipart/form-data; boundary=${boundary}`, pieces)
}

function partHead(boundary: string, name: string): string {
  return `--${boundary}\r\ncontent-disposition: form-data; name="${escapeName(name)}"`
}

/** The client's file name is not passed on. */
function filePieces(head: string, name: string, { mediaType, content }: ImageFile): BodyPiece[] {
  const extension = mediaType.replace(/^image\//, '')
  return [`${head}; filename="${name}.${extension}"\r\ncontent-type: ${mediaType}\r\n\r\n`, content, '\r\n']
}

/** Escapes names as browsers do. */
function escapeName(name: string): string {
  return name.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22')
}
