// What an encrypted copy has besides the text. OpenAI's own client, Codex, counts with the same figure.
const ENVELOPE_BYTES = 650

/**
 * About how many characters a supplier has generated in a thought beyond those it shows, from the encrypted copy (in
 * Base64) that it sends to be returned. Only to count an answer for which the supplier reports no usage.
 */
export function hiddenCharacters(encrypted: unknown, shownCharacters: number): number {
  if (typeof encrypted !== 'string') return 0
  const bytes = Math.floor((encrypted.length * 3) / 4)
  return Math.max(0, bytes - ENVELOPE_BYTES - shownCharacters)
}
