import { Refusal } from '../refusal.ts'
import { editPicture } from './edit-picture.ts'
import { paintPicture } from './paint/paint-picture.ts'
import type { GivenPicture, PictureAsk, PictureQuality } from './picture-ask.ts'
import { type DecodedPng, decodePng, measurePng } from './png/decode-png.ts'
import { encodePng } from './png/encode-png.ts'
import { PngError } from './png/png-error.ts'
import { MOST_PIXELS, type PictureSize, type Raster } from './raster.ts'
import { sniffType } from './sniff-type.ts'

/** Where the pictures of one request are made, one at a time. */
export interface Studio {
  readonly size: PictureSize
  /** A PNG file; several pictures of one request differ by their number, counted from 0. */
  make(variant: number): Uint8Array<ArrayBuffer>
}

export const USUAL_SIZE: PictureSize = { width: 1024, height: 1024 }

const MOST_PIXELS_TOGETHER = 2 * MOST_PIXELS

const DETAILS = { low: 0.7, medium: 1, high: 1.4 } as const satisfies Record<PictureQuality, number>

/** Reads the pictures that came with the request; throws a Refusal that names the one that cannot be used. */
export function openStudio(ask: PictureAsk): Studio {
  const [first, ...others] = readPictures(ask.sources)
  const mask = ask.mask === null ? null : readMask(ask.mask, first)
  const size = ask.size ?? first ?? USUAL_SIZE
  const { prompt, mood, isTransparent } = ask
  return {
    size: { width: size.width, height: size.height },
    make(variant) {
      const { width, height } = size
      const wish = { prompt, variant, mood, isTransparent, width, height, detail: DETAILS[ask.quality] }
      const picture =
        first === undefined ? paintPicture(wish) : editPicture({ sources: [first, ...others], mask }, wish)
      return encodePng(picture)
    },
  }
}

/** Small files can hold large pictures, so all are measured before the first one is unpacked. */
function readPictures(given: readonly GivenPicture[]): readonly DecodedPng[] {
  let pixels = 0
  for (const picture of given) {
    const { width, height } = readPng(picture, measurePng)
    pixels += width * height
    if (pixels > MOST_PIXELS_TOGETHER)
      throw refusePicture(picture.field, `all images together have more than ${MOST_PIXELS_TOGETHER} pixels`)
  }
  return given.map((picture) => readPng(picture, decodePng))
}

function readPng<T>({ field, bytes }: GivenPicture, read: (bytes: Uint8Array) => T): T {
  const type = sniffType(bytes)
  if (type !== null && type !== 'image/png') {
    const message = `Unsupported image: '${field}' is ${type}, and the sandbox edits only image/png.`
    throw new Refusal('bad-request', message, { field, code: 'unsupported_image' })
  }
  try {
    return read(bytes)
  } catch (error) {
    if (!(error instanceof PngError)) throw error
    throw refusePicture(field, error.message)
  }
}

function readMask(given: GivenPicture, source: Raster | undefined): DecodedPng {
  const mask = readPng(given, decodePng)
  if (!mask.hasAlpha) throw refusePicture(given.field, 'a mask must have an alpha channel')
  if (mask.width === source?.width && mask.height === source.height) return mask
  throw refusePicture(given.field, 'a mask must have the size of the (first) image')
}

function refusePicture(field: string, problem: string): Refusal {
  const message = `Invalid image file '${field}': ${problem}.`
  return new Refusal('bad-request', message, { field, code: 'invalid_image_file' })
}
