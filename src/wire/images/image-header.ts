export type ImageType = 'image/png' | 'image/jpeg' | 'image/webp'

/** What an image says of itself before its pixels begin. */
export interface ImageHeader {
  readonly mediaType: ImageType
  readonly width: number
  readonly height: number
  /** Whether it can have transparent areas at all. */
  readonly hasAlpha: boolean
}

/**
 * What a reader of one image type asks for next. Steps are answered with the bytes of a `take`, and with nothing
 * otherwise. No step makes anybody keep more than a few bytes, whatever a file claims of itself.
 */
export type ScanStep =
  | { readonly type: 'take'; readonly bytes: number }
  | { readonly type: 'skip'; readonly bytes: number }
  /** Goes on at the next byte of this value. */
  | { readonly type: 'seek'; readonly value: number }
  | { readonly type: 'header'; readonly header: ImageHeader }

/** Returns at the end of the image; throws a BrokenImage when the bytes are none of this type. */
export type ImageReader = Generator<ScanStep, void, DataView>

/** The bytes are no image that can be read. */
export class BrokenImage extends Error {}

export function* take(bytes: number): Generator<ScanStep, DataView, DataView> {
  return yield { type: 'take', bytes }
}

export function* skip(bytes: number): ImageReader {
  yield { type: 'skip', bytes }
}

export function* announce(header: ImageHeader): ImageReader {
  if (header.width === 0 || header.height === 0) throw new BrokenImage('no pixels')
  yield { type: 'header', header }
}

/** Four ASCII characters, as chunks are named in PNG and WebP. */
export function tagAt(view: DataView, offset: number): string {
  return String.fromCharCode(
    view.getUint8(offset),
    view.getUint8(offset + 1),
    view.getUint8(offset + 2),
    view.getUint8(offset + 3),
  )
}
