/**
 * A text in pieces. Whoever writes it to a socket writes one after the other: a joined text is copied when its characters
 * are read, and a prompt may have a megabyte of them. No piece ends within a character.
 */
export type TextPieces = readonly string[]

/** Costs nothing until the characters are read. */
export function joinPieces(pieces: TextPieces): string {
  let text = ''
  for (const piece of pieces) text += piece
  return text
}
