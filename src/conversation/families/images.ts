import type { Usage, UsageDetails } from '../usage.ts'

/** An image to edit, or its mask. The content is read only when it is used. */
export interface ImageFile {
  readonly mediaType: string
  readonly bytes: number
  readonly width: number
  readonly height: number
  /** Whether it can have transparent areas at all. */
  readonly hasAlpha: boolean
  readonly content: Blob
}

/** How an image is handed over. */
export type ImageForm = 'url' | 'base64'

/** A request to generate or edit images, independent of the wire format. */
export interface ImageRequest {
  readonly model: string
  readonly prompt: string
  /** null when the client did not say how many. */
  readonly count: number | null
  /** `WIDTHxHEIGHT` or `auto`. */
  readonly size: string | null
  readonly quality: string | null
  readonly style: string | null
  readonly user: string | null
  /** What the client asked for; null: whatever the model itself returns. */
  readonly wants: ImageForm | null
  /** Whether the client wants a stream of events. */
  readonly stream: boolean
  /** How many images it wants to see before the final one; null when it did not say. */
  readonly partialImages: number | null
  /** What to edit; null to generate images from the prompt alone. */
  readonly edit: { readonly pictures: readonly ImageFile[]; readonly mask: ImageFile | null } | null
  /** Parameters that this gateway does not know. */
  readonly others: readonly (readonly [name: string, value: unknown])[]
}

export interface GeneratedImage {
  readonly source:
    | { readonly type: 'base64'; readonly data: string }
    | { readonly type: 'url'; readonly url: string }
  /** The prompt as the model understood it, where it says so. */
  readonly revisedPrompt: string | null
}

/** What the price of an image may depend on. */
export type ImageLook = Pick<UsageDetails, 'imageSize' | 'imageQuality'>

/** The images that were generated. */
export interface ImageAnswer {
  readonly pictures: readonly GeneratedImage[]
  /** null when the supplier reported none. */
  readonly usage: Usage | null
  /** The size and quality that the supplier names; null when it names none. */
  readonly look: ImageLook | null
  /** Facts about all images together, as the client's format has them. */
  readonly remarks: Readonly<Record<string, unknown>>
  /** Why the model declined to make an image. */
  readonly refusal: string | null
}

/** A request in a supplier's format. */
export interface EncodedImageRequest<Body> {
  readonly body: Body
  /** How many times to send it, for suppliers that make one image per call. */
  readonly copies: number
  /** Whether it asks for a stream. */
  readonly isStreamed: boolean
  /** The size and quality that it asks for; null when it asks for none. */
  readonly look: ImageLook | null
  /** Parameters that this format or model does not support. */
  readonly dropped: readonly string[]
}
