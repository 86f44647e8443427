import type { ModelTraits } from '../../actors/actor.ts'
import type { ImageSize } from '../../images/raster.ts'
import type { ImageWish } from '../../performance/ask.ts'
import { type GenerateRequest, refuse } from './schema.ts'

type GenerationConfig = GenerateRequest['generationConfig']

/** The sizes the service makes, all of about the same area. */
const SIZES: Readonly<Record<string, ImageSize>> = {
  '1:1': { width: 1024, height: 1024 },
  '2:3': { width: 832, height: 1248 },
  '3:2': { width: 1248, height: 832 },
  '3:4': { width: 864, height: 1184 },
  '4:3': { width: 1184, height: 864 },
  '4:5': { width: 896, height: 1152 },
  '5:4': { width: 1152, height: 896 },
  '9:16': { width: 768, height: 1344 },
  '16:9': { width: 1344, height: 768 },
  '21:9': { width: 1536, height: 672 },
}

/** The image the answer is to hold; null when only words are wanted. */
export function decodeModalities(config: GenerationConfig, { paints }: ModelTraits): ImageWish | null {
  const wanted = (config?.responseModalities ?? []).filter((modality) => modality !== 'MODALITY_UNSPECIFIED')
  const possible = paints === undefined ? ['TEXT'] : ['TEXT', 'IMAGE']
  if (!wanted.every((modality) => possible.includes(modality))) {
    const list = wanted.map((modality) => modality.toLowerCase()).join(',')
    const message = `The model does not support the requested response modalities: ${list}`
    throw refuse(message, 'generation_config.response_modalities')
  }
  if (!wanted.includes('IMAGE')) return null
  return { withWords: wanted.includes('TEXT'), size: decodeRatio(config?.imageConfig?.aspectRatio) }
}

function decodeRatio(ratio: string | undefined): ImageSize | null {
  if (ratio === undefined) return null
  const size = SIZES[ratio]
  if (size !== undefined) return size
  const message = `aspect_ratio must be one of ${Object.keys(SIZES).join(', ')}.`
  throw refuse(message, 'generation_config.image_config.aspect_ratio')
}
