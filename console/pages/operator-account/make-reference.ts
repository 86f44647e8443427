const RANDOM_BYTES = 8

/** A reference nobody has used. Not `randomUUID`: browsers have that only for pages that came over HTTPS. */
export function makeReference(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(RANDOM_BYTES))
  return `console-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
