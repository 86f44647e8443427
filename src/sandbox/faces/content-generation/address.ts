const CALL = /^\/v1beta\/(?:models|tunedModels)\/(.+):(generateContent|streamGenerateContent|countTokens)$/

export type Method = 'generateContent' | 'streamGenerateContent' | 'countTokens'

/** Model and method stand in the path; the model may itself hold colons and slashes. */
export function readAddress(path: string): { readonly model: string; readonly method: Method } | null {
  const match = CALL.exec(path)
  if (match?.[1] === undefined) return null
  return { model: decode(match[1]), method: match[2] as Method }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
