import type { ImageAsk } from '../../images/make-images.ts'
import type { ImageRequest } from './schema.ts'
import { readSize } from './size.ts'

export function decodeRequest(
  request: ImageRequest,
  { sources, mask }: Pick<ImageAsk, 'sources' | 'mask'>,
): ImageAsk {
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

export function decodeQuality(quality: string | null): ImageAsk['quality'] {
  if (quality === 'low') return 'low'
  return quality === 'high' || quality === 'hd' ? 'high' : 'medium'
}
