import { announce, BrokenImage, type ImageReader, skip, tagAt, take } from './image-header.ts'

const CHECKSUM_BYTES = 4
const HEADER_BYTES = 13
// PNG lengths have 31 bits.
const MAX_CHUNK_BYTES = 2 ** 31 - 1
const GREY_WITH_ALPHA = 4
const COLOUR_WITH_ALPHA = 6

/** Follows the chunks of a PNG whose first two bytes have been taken. */
export function* readPng(): ImageReader {
  const rest = yield* take(6)
  if (rest.getUint32(0) !== 0x4e470d0a || rest.getUint16(4) !== 0x1a0a) throw new BrokenImage('signature')
  const { width, height, colourType } = yield* readHeaderChunk()
  let hasAlpha = colourType === GREY_WITH_ALPHA || colourType === COLOUR_WITH_ALPHA
  let isAnnounced = false
  for (;;) {
    const { tag, bytes } = yield* readChunkHead()
    // This chunk declares colours transparent, and precedes the pixels.
    if (tag === 'tRNS') hasAlpha = true
    if (tag === 'IDAT' && !isAnnounced) {
      yield* announce({ mediaType: 'image/png', width, height, hasAlpha })
      isAnnounced = true
    }
    yield* skip(bytes + CHECKSUM_BYTES)
    if (tag === 'IEND') return
  }
}

function* readChunkHead() {
  const head = yield* take(8)
  const bytes = head.getUint32(0)
  if (bytes > MAX_CHUNK_BYTES) throw new BrokenImage('chunk length')
  return { tag: tagAt(head, 4), bytes }
}

function* readHeaderChunk() {
  const { tag, bytes } = yield* readChunkHead()
  if (tag !== 'IHDR' || bytes !== HEADER_BYTES) throw new BrokenImage('no header')
  const view = yield* take(HEADER_BYTES)
  yield* skip(CHECKSUM_BYTES)
  return { width: view.getUint32(0), height: view.getUint32(4), colourType: view.getUint8(9) }
}
