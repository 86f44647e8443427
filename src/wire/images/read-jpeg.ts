import { announce, BrokenImage, type ImageReader, skip, take } from './image-header.ts'

const MARKER = 0xff
const END_OF_IMAGE = 0xd9
const START_OF_SCAN = 0xda
/** Inside pixel data: an escaped byte 0xff, and restart markers. */
const isPartOfScan = (marker: number) => marker === 0x00 || (marker >= 0xd0 && marker <= 0xd7)
const standsAlone = (marker: number) => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)
/** Start of frame, which contains the size; three values in this range mean something else. */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

/** Follows the segments of a JPEG whose first two bytes have been taken. */
export function* readJpeg(): ImageReader {
  let marker = yield* takeMarker()
  while (marker !== END_OF_IMAGE) {
    if (!standsAlone(marker)) yield* readSegment(marker)
    marker = marker === START_OF_SCAN ? yield* passScan() : yield* takeMarker()
  }
}

function* takeMarker() {
  const head = yield* take(2)
  if (head.getUint8(0) !== MARKER) throw new BrokenImage('marker')
  let marker = head.getUint8(1)
  // A marker may be preceded by any number of fill bytes.
  while (marker === MARKER) marker = (yield* take(1)).getUint8(0)
  return marker
}

function* readSegment(marker: number): ImageReader {
  const bytes = (yield* take(2)).getUint16(0) - 2
  if (bytes < 0) throw new BrokenImage('segment length')
  if (!isFrame(marker)) return yield* skip(bytes)
  if (bytes < 5) throw new BrokenImage('frame length')
  const frame = yield* take(5)
  const height = frame.getUint16(1)
  const width = frame.getUint16(3)
  yield* announce({ mediaType: 'image/jpeg', width, height, hasAlpha: false })
  yield* skip(bytes - 5)
}

/** Skips pixel data and returns the marker that ends it. */
function* passScan() {
  for (;;) {
    yield { type: 'seek', value: MARKER } as const
    const marker = yield* takeMarker()
    if (!isPartOfScan(marker)) return marker
  }
}
