const LONGEST_LOOKED_AT = 4_096

/** Whether a text is really bytes, such as audio: it has characters that no text has. */
export function isBinary(text: string): boolean {
  for (const letter of text.slice(0, LONGEST_LOOKED_AT)) {
    const code = letter.charCodeAt(0)
    const isControl = code < 32 && code !== 9 && code !== 10 && code !== 13
    if (isControl || letter === '\uFFFD') return true
  }
  return false
}
