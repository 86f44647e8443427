/**
 * Longer bodies are processed in steps, and other requests get their turn between the steps. Reading, checking and
 * translating a megabyte of small items takes more than a tenth of a second in all; a body below this limit takes a few
 * milliseconds, which no other client notices, so that it does not pay for a wait.
 */
export const LARGE_BODY_CHARACTERS = 128 * 1_024

/** Await this between two steps on a large body. A promise that is already resolved would not let others run. */
export function yieldLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
