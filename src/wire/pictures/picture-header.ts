export const PICTURE_TYPES = ['image/png', 'image/jpeg', 'image/webp'] as const

export type PictureType = (typeof PICTURE_TYPES)[number]

/** What a picture says of itself before its pixels begin. */
export interface PictureHeader {
  readonly mediaType: PictureType
  readonly width: number
  readonly height: number
  /** Whether it can have transparent areas at all. */
  readonly hasAlpha: boolean
}

/**
 * What a reader of one picture type asks for next. Steps are answered with the bytes of a `take`, and with nothing
 * otherwise. No step makes anybody keep more than a few bytes, whatever a file claims of itself.
 */
export type ScanStep =
  | { readonly type: 'take'; readonly bytes: number }
  | { readonly type: 'skip'; readonly bytes: number }
  /** Goes on at the next byte of this value. */
  | { readonly type: 'seek'; readonly value: number }
  | { readonly type: 'header'; readonly header: PictureHeader }

/** Returns at the end of the picture; throws a BrokenPicture when the bytes are none of this type. */
export type PictureReader = Generator<ScanStep, void, DataView>

/** The bytes are no picture that can be read. */
export class BrokenPicture extends Error {}

export function* take(bytes: number): Generator<ScanStep, DataView, DataView> {
  return yield { type: 'take', bytes }
}

export function* skip(bytes: number): PictureReader {
  yield { type: 'skip', bytes }
}

export function* announce(header: PictureHeader): PictureReader {
  if (header.width === 0 || header.height === 0) throw new BrokenPicture('no pixels')
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
