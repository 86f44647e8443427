import type { Usage } from './usage.ts'

/** A picture to be changed, or the mask that says where. It is read from where it lies only when it is used. */
export interface PictureFile {
  readonly mediaType: string
  readonly bytes: number
  readonly width: number
  readonly height: number
  /** Whether it can have transparent areas at all. */
  readonly hasAlpha: boolean
  readonly content: Blob
}

/** What is asked for when pictures are, whatever format says it. */
export interface PictureRequest {
  readonly model: string
  readonly prompt: string
  /** null when the client did not say how many. */
  readonly count: number | null
  /** `WIDTHxHEIGHT` or `auto`. */
  readonly size: string | null
  readonly quality: string | null
  readonly style: string | null
  readonly user: string | null
  /** Whether the client wants addresses or the pictures themselves. */
  readonly wants: 'url' | 'base64'
  /** What is to be changed; null when pictures are to be made from words alone. */
  readonly edit: { readonly pictures: readonly PictureFile[]; readonly mask: PictureFile | null } | null
  /** What else the client said, in words this gateway does not know. */
  readonly others: readonly (readonly [name: string, value: unknown])[]
}

export interface MadePicture {
  readonly source:
    | { readonly type: 'base64'; readonly data: string }
    | { readonly type: 'url'; readonly url: string }
  /** The prompt as the model understood it, where it says so. */
  readonly revisedPrompt: string | null
}

/** What came back. */
export interface PictureAnswer {
  readonly pictures: readonly MadePicture[]
  /** null when the supplier reported none. */
  readonly usage: Usage | null
  /** What it says about all pictures together, as the client's format has it. */
  readonly remarks: Readonly<Record<string, unknown>>
  /** Why there is no picture, when the model would not make one. */
  readonly refusal: string | null
}

/** A request in a supplier's format. */
export interface EncodedPictureRequest<Body> {
  readonly body: Body
  /** How often to send it, where one call makes one picture. */
  readonly copies: number
  /** What the client said that this format or model has no place for. */
  readonly dropped: readonly string[]
}
