import {
  announce,
  BrokenImage,
  type ImageHeader,
  type ImageReader,
  skip,
  tagAt,
  take,
} from './image-header.ts'

const ALPHA_FLAG = 0x10
const LOSSLESS_SIGNATURE = 0x2f
const KEY_FRAME_CODE = [0x9d, 0x01, 0x2a] as const
const CHUNK_HEAD_BYTES = 8

/** Reads a WebP whose first two bytes have been taken. Its first chunk holds the size. */
export function* readWebp(): ImageReader {
  const rest = yield* take(10)
  const isRiff = rest.getUint8(0) === 0x46 && rest.getUint8(1) === 0x46
  if (!isRiff || tagAt(rest, 6) !== 'WEBP') throw new BrokenImage('signature')
  const formBytes = rest.getUint32(2, true)
  const head = yield* take(CHUNK_HEAD_BYTES)
  const { header, bytes } = yield* readFirstChunk(tagAt(head, 0))
  // The length includes the form's name and the part of the first chunk that have been read.
  const left = formBytes - 4 - CHUNK_HEAD_BYTES - bytes
  if (left < 0) throw new BrokenImage('form length')
  yield* announce({ mediaType: 'image/webp', ...header })
  yield* skip(left)
}

interface FirstChunk {
  readonly header: Omit<ImageHeader, 'mediaType'>
  /** How many of its bytes have been read. */
  readonly bytes: number
}

function* readFirstChunk(tag: string) {
  switch (tag) {
    case 'VP8 ':
      return readLossy(yield* take(10))
    case 'VP8L':
      return readLossless(yield* take(5))
    case 'VP8X':
      return readExtended(yield* take(10))
    default:
      throw new BrokenImage('first chunk')
  }
}

function readLossy(view: DataView): FirstChunk {
  if (KEY_FRAME_CODE.some((byte, index) => view.getUint8(3 + index) !== byte))
    throw new BrokenImage('key frame')
  // The two highest bits of each are a scaling hint, which is ignored.
  const width = view.getUint16(6, true) & 0x3fff
  const height = view.getUint16(8, true) & 0x3fff
  return { header: { width, height, hasAlpha: false }, bytes: 10 }
}

function readLossless(view: DataView): FirstChunk {
  if (view.getUint8(0) !== LOSSLESS_SIGNATURE) throw new BrokenImage('lossless signature')
  const bits = view.getUint32(1, true)
  const width = (bits & 0x3fff) + 1
  const height = ((bits >>> 14) & 0x3fff) + 1
  return { header: { width, height, hasAlpha: ((bits >>> 28) & 1) === 1 }, bytes: 5 }
}

function readExtended(view: DataView): FirstChunk {
  const hasAlpha = (view.getUint8(0) & ALPHA_FLAG) !== 0
  const width = (view.getUint32(4, true) & 0xffffff) + 1
  const height = (view.getUint32(6, true) >>> 8) + 1
  return { header: { width, height, hasAlpha }, bytes: 10 }
}
