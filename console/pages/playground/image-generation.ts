import type { Answer } from '../../parts/wire/ask.ts'
import { parse } from '../../parts/wire/read-answer.ts'
import { type Call, type Caller, useCall } from './tasks/use-call.ts'

export interface ImageRequest {
  readonly model: string
  readonly prompt: string
  readonly n: number
  /** Empty for the model's default. */
  readonly size: string
  readonly quality: string
  /** The image to edit; null to generate new ones. */
  readonly edit: { readonly image: Blob; readonly mask: Blob | null } | null
}

export interface GeneratedImage {
  /** A URL the browser can show. */
  readonly source: string
  readonly revisedPrompt: string | null
}

/** Requests images, one request at a time. */
export function useImageGeneration(account: string): Caller<ImageRequest> {
  return useCall(account, writeImageCall)
}

/** The text fields of the request. Asks for Base64, because image URLs expire. */
export function imageFields({ model, prompt, n, size, quality }: ImageRequest) {
  return {
    model,
    prompt,
    ...(n > 1 && { n }),
    ...(size !== '' && { size }),
    ...(quality !== '' && { quality }),
    response_format: 'b64_json',
  }
}

function writeImageCall(question: ImageRequest): Call {
  const fields = imageFields(question)
  if (question.edit === null) return { path: '/v1/images/generations', fields, files: [] }
  const { image, mask } = question.edit
  const files = [{ field: 'image', name: 'image.png', content: image }]
  if (mask !== null) files.push({ field: 'mask', name: 'mask.png', content: mask })
  return { path: '/v1/images/edits', fields, files }
}

interface ImageReply {
  readonly data?: readonly { b64_json?: string; url?: string; revised_prompt?: string }[]
}

export function imagesOf(answer: Answer): GeneratedImage[] {
  if (answer.phase !== 'done' || answer.body === null) return []
  const { data = [] } = (parse(answer.body) ?? {}) as ImageReply
  return data.flatMap(({ b64_json, url, revised_prompt }) => {
    const source = b64_json === undefined ? url : `data:${typeOf(b64_json)};base64,${b64_json}`
    return source === undefined ? [] : [{ source, revisedPrompt: revised_prompt ?? null }]
  })
}

/** Detects the type from the first bytes, in Base64. */
function typeOf(base64: string): string {
  if (base64.startsWith('/9j/')) return 'image/jpeg'
  if (base64.startsWith('UklGR')) return 'image/webp'
  return 'image/png'
}
