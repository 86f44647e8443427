const RANDOM_BYTES = 8

/** A unique reference. Not `randomUUID`, which browsers offer only over HTTPS. */
export function makeReference(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(RANDOM_BYTES))
  return `console-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
