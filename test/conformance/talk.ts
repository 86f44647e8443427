import type { TextFormat } from '../../src/vocabulary/supply.ts'

export { TEXT_FORMATS } from '../../src/vocabulary/words.ts'
export type { TextFormat }

export const MODES = ['whole', 'streamed'] as const
export type Mode = (typeof MODES)[number]

export type InputImage =
  | { readonly type: 'bytes'; readonly mediaType: 'image/png'; readonly data: string }
  | { readonly type: 'link'; readonly url: string }

export interface ToolOffer {
  readonly name: string
  readonly description: string
  readonly schema: { readonly type: 'object'; readonly [keyword: string]: unknown }
}

/** What a conversation begins with, in no wire format. */
export interface Opening {
  readonly model: string
  readonly text: string
  readonly images?: readonly InputImage[]
  readonly tools?: readonly ToolOffer[]
  /** Asks the model to think and to show its thoughts. */
  readonly thinks?: boolean
  /** The JSON Schema the answer must fit. */
  readonly schema?: Readonly<Record<string, unknown>>
  readonly stop?: readonly string[]
  readonly maxTokens?: number
}

export interface ToolResult {
  readonly id: string
  readonly name: string
  readonly text: string
  readonly image?: InputImage
}

/** How one turn is asked for. */
export interface Asking {
  /** Decides the supplier: every key of these tests is bound to one. */
  readonly key: string
  readonly mode: Mode
  readonly signal?: AbortSignal
  /** Called whenever a streamed answer shows more text. */
  readonly onText?: () => void
}

/** What an SDK tells its user of an answer. */
export interface SdkReply {
  readonly text: string
  readonly thoughts: string
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input: unknown }[]
  /** `declined`: the answer says of itself that the model or its supplier refused. */
  readonly finish: 'stop' | 'length' | 'tool-call' | 'declined' | 'unknown'
  /** The words of a refusal, in formats that have a place for them. */
  readonly refusal: string | null
  readonly usage: SdkUsage
}

export interface SdkUsage {
  /** All prompt tokens, cached ones included. */
  readonly prompt: number
  readonly cached: number
  /** All generated tokens, thinking included. */
  readonly output: number
  readonly reasoning: number
}

/** A conversation held with one SDK, its history kept as programs that use this SDK keep it. */
export interface Talk {
  /** Sends what was said so far and takes the answer into the history. */
  ask(asking: Asking): Promise<SdkReply>
  say(text: string): void
  answer(results: readonly ToolResult[]): void
}

/** One SDK as the judge of one client format. */
export interface Driver {
  /** Such as `openai 7`. */
  readonly sdk: string
  /** The package as it is installed, so that the report can name its version. */
  readonly packageName: string
  readonly format: TextFormat
  open(opening: Opening, gatewayUrl: string): Talk
  /** The error code a program can branch on when a call fails; null when this SDK shows none. */
  codeOf(error: unknown): string | null
}

export const NO_USAGE: SdkUsage = { prompt: 0, cached: 0, output: 0, reasoning: 0 }

export function dataUrl(image: InputImage): string {
  return image.type === 'link' ? image.url : `data:${image.mediaType};base64,${image.data}`
}
