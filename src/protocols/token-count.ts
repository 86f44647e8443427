// A supplier's figure ends up in money: nothing but a whole, safe, non-negative number may pass.
function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

/** A token count from a supplier; 0 for anything that is none. */
export function readCount(value: unknown): number {
  return isCount(value) ? value : 0
}

/** The count, or what follows from the others when this one was not told. */
export function countOr(value: unknown, fallback: number): number {
  return value === undefined || value === null ? Math.max(0, fallback) : readCount(value)
}

/**
 * Whether one of the two main counts was told but cannot be read. Such a report says nothing that can be charged by: it is
 * treated as if there were none, and what was delivered is counted instead.
 */
export function isUnreadable(input: unknown, output: unknown): boolean {
  return isNoCount(input) || isNoCount(output)
}

function isNoCount(value: unknown): boolean {
  return value !== undefined && value !== null && !isCount(value)
}
