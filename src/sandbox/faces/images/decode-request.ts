import type { PictureAsk, PictureQuality } from '../../pictures/picture-ask.ts'
import type { PictureRequest } from './schema.ts'
import { readSize } from './size.ts'

export function decodeRequest(
  request: PictureRequest,
  { sources, mask }: Pick<PictureAsk, 'sources' | 'mask'>,
): PictureAsk {
  return {
    model: request.model,
    prompt: request.prompt,
    count: request.n ?? 1,
    size: readSize(request.size ?? 'auto'),
    quality: decodeQuality(request.quality ?? null),
    mood: request.style === 'natural' ? 'natural' : 'vivid',
    isTransparent: request.background === 'transparent',
    sources,
    mask,
  }
}

export function decodeQuality(quality: string | null): PictureQuality {
  if (quality === 'low') return 'low'
  return quality === 'high' || quality === 'hd' ? 'high' : 'medium'
}
