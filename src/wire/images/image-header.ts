export type ImageType = 'image/png' | 'image/jpeg' | 'image/webp'

/** The header of an image. */
export interface ImageHeader {
  readonly mediaType: ImageType
  readonly width: number
  readonly height: number
  /** Whether the image can have transparent areas. */
  readonly hasAlpha: boolean
}

/**
 * What a reader of one image type needs next. `take` is answered with bytes, the other steps with none. No step buffers
 * more than a few bytes, whatever lengths a file claims.
 */
export type ScanStep =
  | { readonly type: 'take'; readonly bytes: number }
  | { readonly type: 'skip'; readonly bytes: number }
  /** Continues at the next byte with this value. */
  | { readonly type: 'seek'; readonly value: number }
  | { readonly type: 'header'; readonly header: ImageHeader }

/** Returns at the end of the image. Throws BrokenImage when the bytes do not fit its type. */
export type ImageReader = Generator<ScanStep, void, DataView>

/** The bytes are not a readable image. */
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
