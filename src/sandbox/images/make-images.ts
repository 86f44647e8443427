import { countTokens, TOKENS_PER_IMAGE } from '../performance/tokens.ts'
import { SandboxError } from '../sandbox-error.ts'
import { editImage, type PaintingWish, paint } from './painting.ts'
import { type DecodedPng, decodePng, encodePng, measurePng, PngError } from './png.ts'
import { type ImageSize, MAX_PIXELS, type Raster } from './raster.ts'

/** What a caller asks of a simulated model that makes images, whatever wire format it came in. */
export interface ImageAsk extends Pick<PaintingWish, 'prompt' | 'quality' | 'mood' | 'isTransparent'> {
  readonly model: string
  /** How many images are wanted. */
  readonly count: number
  /** null leaves it to the model. */
  readonly size: ImageSize | null
  /** Images to change; where there are none, a new one is painted. */
  readonly sources: readonly GivenImage[]
  readonly mask: GivenImage | null
}

export interface GivenImage {
  /** Where in the request it stands, as the face spells it. */
  readonly field: string
  readonly bytes: Uint8Array
}

/** Where the images of one request are made, one at a time. */
interface Studio {
  readonly size: ImageSize
  /** A PNG file; several images of one request differ by their number, counted from 0. */
  make(variant: number): Uint8Array<ArrayBuffer>
}

const USUAL_SIZE: ImageSize = { width: 1024, height: 1024 }
const MAX_PIXELS_TOGETHER = 2 * MAX_PIXELS

/** Reads the images that came with the request; throws a SandboxError that names the one that cannot be used. */
export function openStudio(ask: ImageAsk): Studio {
  const [first, ...others] = readImages(ask.sources)
  const mask = ask.mask === null ? null : readMask(ask.mask, first)
  const { width, height } = ask.size ?? first ?? USUAL_SIZE
  return {
    size: { width, height },
    make(variant) {
      const wish = { ...ask, variant, width, height }
      return encodePng(
        first === undefined ? paint(wish) : editImage({ sources: [first, ...others], mask }, wish),
      )
    },
  }
}

/** Small files can hold large images, so all are measured before the first one is unpacked. */
function readImages(given: readonly GivenImage[]): readonly DecodedPng[] {
  let pixels = 0
  for (const image of given) {
    const { width, height } = readPng(image, measurePng)
    pixels += width * height
    if (pixels > MAX_PIXELS_TOGETHER)
      throw refuseImage(image.field, `all images together have more than ${MAX_PIXELS_TOGETHER} pixels`)
  }
  return given.map((image) => readPng(image, decodePng))
}

function readPng<T>({ field, bytes }: GivenImage, read: (bytes: Uint8Array) => T): T {
  const type = sniffOtherType(bytes)
  if (type !== null) {
    const message = `Unsupported image: '${field}' is ${type}, and the sandbox edits only image/png.`
    throw new SandboxError('bad-request', message, { field, code: 'unsupported_image' })
  }
  try {
    return read(bytes)
  } catch (error) {
    if (!(error instanceof PngError)) throw error
    throw refuseImage(field, error.message)
  }
}

/** What kind of image the bytes are, whatever they were called; null when they may be a PNG file. */
function sniffOtherType(bytes: Uint8Array): string | null {
  const head = Buffer.from(bytes.subarray(0, 12)).toString('latin1')
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  if (head.startsWith('GIF8')) return 'image/gif'
  return head.startsWith('RIFF') && head.endsWith('WEBP') ? 'image/webp' : null
}

function readMask(given: GivenImage, source: Raster | undefined): DecodedPng {
  const mask = readPng(given, decodePng)
  if (!mask.hasAlpha) throw refuseImage(given.field, 'a mask must have an alpha channel')
  if (mask.width === source?.width && mask.height === source.height) return mask
  throw refuseImage(given.field, 'a mask must have the size of the (first) image')
}

function refuseImage(field: string, problem: string): SandboxError {
  const message = `Invalid image file '${field}': ${problem}.`
  return new SandboxError('bad-request', message, { field, code: 'invalid_image_file' })
}

/** Tokens, as models count them that are paid by token for images. */
export interface ImageUsage {
  readonly textInput: number
  readonly imageInput: number
  readonly output: number
}

/** For an image of 1024 by 1024; others cost by their area. */
const OUTPUT_TOKENS = { low: 272, medium: 1056, high: 4160 } as const

export function countImageUsage(ask: ImageAsk, { width, height }: ImageSize): ImageUsage {
  const share = (width * height) / (USUAL_SIZE.width * USUAL_SIZE.height)
  return {
    textInput: countTokens(ask.prompt.length),
    imageInput: TOKENS_PER_IMAGE * ask.sources.length,
    output: Math.ceil(OUTPUT_TOKENS[ask.quality] * share) * ask.count,
  }
}
