const SECRET_SHAPES: readonly RegExp[] = [
  /\b(?:sk|op)-[A-Za-z0-9_-]{4,}/g,
  /\b(?:Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{4,}/gi,
  /([?&](?:key|api_key|token|secret)=)[^&\s"]+/gi,
  /(\w+:\/\/[^:/\s]+:)[^@/\s]+(?=@)/g,
]

/** Blanks everything in a text that looks like a key, a token or a password in an address. */
export function scrub(text: string): string {
  let clean = text
  for (const shape of SECRET_SHAPES) {
    clean = clean.replace(
      shape,
      (_match, lead: unknown) => `${typeof lead === 'string' ? lead : ''}[redacted]`,
    )
  }
  return clean
}
