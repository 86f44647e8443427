import type {
  EncodedImageRequest,
  GeneratedImage,
  ImageAnswer,
  ImageFile,
  ImageRequest,
} from '../../conversation/families/images.ts'
import { GatewayError } from '../../errors/gateway-error.ts'
import { asArray, asObject, asText, type JsonObject } from '../../wire/json-values.ts'
import { type BodyPiece, PiecedBody } from '../../wire/pieced-body.ts'
import type { ImageSide } from '../family-sides.ts'
import { decodeError } from './reply/decode-error.ts'
import { decodeUsage } from './reply/usage.ts'

/** Models of this format return images as parts of an answer, one answer per call. */
export const generationImages: ImageSide = {
  name: 'content-generation',
  decodeError,
  encodeRequest,
  decodeReply,
  strippable: new Set(['generationConfig.imageConfig']),
}

function encodeRequest(request: ImageRequest): EncodedImageRequest<string | PiecedBody> {
  const { size, edit, prompt } = request
  if (edit !== null && edit.mask !== null) throw noMask()
  const aspectRatio = size === null || size === 'auto' ? null : aspectRatioOf(size)
  const generationConfig = {
    responseModalities: ['TEXT', 'IMAGE'],
    ...(aspectRatio !== null && { imageConfig: { aspectRatio } }),
  }
  return {
    body: encodeBody({ prompt, pictures: edit?.pictures ?? [], generationConfig }),
    copies: request.count ?? 1,
    isStreamed: false,
    look: null,
    dropped: droppedOf(request, aspectRatio),
  }
}

interface BodyParts {
  readonly prompt: string
  readonly pictures: readonly ImageFile[]
  readonly generationConfig: JsonObject
}

function encodeBody({ prompt, pictures, generationConfig }: BodyParts): string | PiecedBody {
  const text = { text: prompt }
  if (pictures.length === 0) {
    return JSON.stringify({ contents: [{ role: 'user', parts: [text] }], generationConfig })
  }
  // Assembled from pieces, so that the images need not be in memory.
  return new PiecedBody('application/json', [
    `{"contents":[{"role":"user","parts":[${JSON.stringify(text)}`,
    ...pictures.flatMap(inlineData),
    `]}],"generationConfig":${JSON.stringify(generationConfig)}}`,
  ])
}

function inlineData({ mediaType, content }: ImageFile): BodyPiece[] {
  const head = `,{"inlineData":{"mimeType":${JSON.stringify(mediaType)},"data":"`
  return [head, { base64Of: content }, '"}}']
}

function droppedOf(request: ImageRequest, ratio: string | null): string[] {
  const { size, quality, style, user, stream, partialImages, others } = request
  const wishes: readonly (readonly [string, unknown])[] = [
    ['size', ratio === null ? size : null],
    ['quality', quality],
    ['style', style],
    ['user', user],
    ['partial_images', stream ? partialImages || null : null],
    ...others,
  ]
  return [...new Set(wishes.filter(([, value]) => value !== null && value !== 'auto').map(([name]) => name))]
}

function noMask(): GatewayError {
  const message = 'This model does not accept a mask. Describe in the prompt which area to change.'
  return new GatewayError('unsupported_parameter', message, { param: 'mask' })
}

function decodeReply(body: unknown): ImageAnswer | null {
  const reply = asObject(body)
  if (reply === null || (!Array.isArray(reply.candidates) && asObject(reply.promptFeedback) === null))
    return null
  const candidates = asArray(reply.candidates).map((candidate) => asObject(candidate) ?? {})
  const pictures = candidates.flatMap(decodeCandidate)
  const refusal = pictures.length > 0 ? null : refusalIn(reply, candidates)
  return { pictures, usage: decodeUsage(reply.usageMetadata), look: null, remarks: {}, refusal }
}

function decodeCandidate({ content }: JsonObject): GeneratedImage[] {
  return asArray(asObject(content)?.parts).flatMap((part) => {
    const { inlineData: media, thought } = asObject(part) ?? {}
    const data = asText(asObject(media)?.data)
    // Images in thoughts are drafts.
    if (data === null || thought === true) return []
    return { source: { type: 'base64', data }, revisedPrompt: null }
  })
}

function refusalIn({ promptFeedback }: JsonObject, candidates: readonly JsonObject[]): string {
  const [first = {}] = candidates
  const reason =
    asText(asObject(promptFeedback)?.blockReason) ?? asText(first.finishReason) ?? 'no reason given'
  return `The model returned no image (${reason.slice(0, 60)}).`
}

const RATIOS = ['1:1', '2:3', '3:2', '3:4', '4:3', '4:5', '5:4', '9:16', '16:9', '21:9'] as const

// Models of this format choose the number of pixels themselves, and miss the ratio by up to this much.
const TOLERANCE = 0.03

/** The supported ratio closest to a size such as `1024x1536`; null when none is close. */
export function aspectRatioOf(size: string): string | null {
  const [width = 0, height = 0] = size.split('x').map(Number)
  const wanted = width / height
  const isNear = (ratio: string) => Math.abs(quotientOf(ratio) / wanted - 1) <= TOLERANCE
  return RATIOS.find(isNear) ?? null
}

function quotientOf(ratio: string): number {
  const [width = 0, height = 0] = ratio.split(':').map(Number)
  return width / height
}
