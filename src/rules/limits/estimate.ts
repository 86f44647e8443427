const CHARACTERS_PER_TOKEN = 4
// Spec 8.3: a media part counts the same whatever its Base64 length.
const TOKENS_PER_MEDIA_PART = 1_600
const OUTPUT_TOKENS_WHEN_UNSET = 512

export interface PromptSize {
  readonly promptCharacters: number
  readonly mediaParts: number
}

export function estimatePromptTokens(prompt: PromptSize): number {
  return tokensOfCharacters(prompt.promptCharacters) + prompt.mediaParts * TOKENS_PER_MEDIA_PART
}

/** What a request counts against the token windows at arrival; billing uses actual usage. */
export function estimateTokens(request: PromptSize & { readonly maxOutputTokens: number | null }): number {
  return estimatePromptTokens(request) + (request.maxOutputTokens ?? OUTPUT_TOKENS_WHEN_UNSET)
}

/** Also how generated text is counted when a supplier reports no usage. */
export function tokensOfCharacters(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN)
}
