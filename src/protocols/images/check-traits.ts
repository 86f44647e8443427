import type { ImageFile, ImageRequest } from '../../conversation/families/images.ts'
import { GatewayError } from '../../errors/gateway-error.ts'
import { DEFAULT_IMAGE_TRAITS, type ImageTraits } from '../../vocabulary/runtime/traits.ts'
import { qualityWordsOf } from './quality.ts'

/** Throws when the model does not support a parameter; the message lists what it supports. */
export function checkTraits(request: ImageRequest, traits: ImageTraits): void {
  checkCount(request, traits)
  checkPrompt(request, traits)
  // `auto` leaves the choice to the model, so every model accepts it.
  checkWord('size', withoutAuto(request.size), traits.sizes)
  checkWord('quality', withoutAuto(request.quality), qualityWordsOf(traits.qualities))
  checkWord('style', request.style, traits.styles.length === 0 ? DEFAULT_IMAGE_TRAITS.styles : traits.styles)
  checkEdit(request, traits)
}

function checkCount({ count, edit }: ImageRequest, traits: ImageTraits): void {
  const most = edit === null ? traits.n : traits.editN
  if (count === null || count <= most) return
  const range = most === 1 ? 'must be 1' : `must be an integer from 1 to ${most}`
  throw refuse('n', `n ${range} for this model.`)
}

function checkPrompt({ prompt }: ImageRequest, { promptCharacters }: ImageTraits): void {
  if (prompt.length <= promptCharacters) return
  throw refuse('prompt', `prompt may have at most ${promptCharacters} characters for this model.`)
}

/** A model without this parameter passes; the value is dropped later. */
function checkWord(name: string, value: string | null, taken: 'any' | readonly string[]): void {
  if (value === null || taken === 'any' || taken.length === 0 || taken.includes(value)) return
  throw refuse(name, `${name} must be one of ${taken.map((word) => `"${word}"`).join(', ')} for this model.`)
}

function withoutAuto(value: string | null): string | null {
  return value === 'auto' ? null : value
}

function checkEdit({ edit }: ImageRequest, traits: ImageTraits): void {
  if (edit === null) return
  const { pictures, mask } = edit
  if (pictures.length > traits.maxPictures) {
    const most = traits.maxPictures === 1 ? 'one image' : `at most ${traits.maxPictures} images`
    throw refuse('image', `image may be ${most} for this model.`)
  }
  const [first] = pictures
  if (mask !== null && first !== undefined) checkMask(mask, first, traits)
}

function checkMask(mask: ImageFile, picture: ImageFile, traits: ImageTraits): void {
  if (!traits.mask) throw refuse('mask', 'This model does not accept a mask.')
  if (mask.mediaType !== 'image/png' || !mask.hasAlpha) {
    throw refuse('mask', 'mask must be a PNG with transparency. Its transparent areas are edited.')
  }
  if (mask.width === picture.width && mask.height === picture.height) return
  const sizes = `the mask has ${sizeOf(mask)} pixels and the image ${sizeOf(picture)}`
  throw refuse('mask', `mask must have the size of the first image: ${sizes}.`)
}

function sizeOf({ width, height }: ImageFile): string {
  return `${width}x${height}`
}

function refuse(param: string, message: string): GatewayError {
  return new GatewayError('invalid_request', message, { param })
}
