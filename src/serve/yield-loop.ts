/**
 * From this length on, a body is worked on in steps between which other requests get their turn. Reading, checking and
 * translating a megabyte of small items takes more than a tenth of a second in all; below this bound it is a few
 * milliseconds, which no other client notices.
 */
const LARGE_BODY_CHARACTERS = 128 * 1_024

/** A usual body is not: it is not to pay for a wait it does not need. */
export function isLargeBody(characters: number): boolean {
  return characters > LARGE_BODY_CHARACTERS
}

/** To be awaited between two steps on a large body. Not a promise that is resolved already: that would hold the loop. */
export function yieldLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
