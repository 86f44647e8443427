// Suppliers' counts are charged, so only safe non-negative integers pass.
function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

/** A token count from a supplier; 0 for anything else. */
export function readCount(value: unknown): number {
  return isCount(value) ? value : 0
}

/** The count, or `fallback` when the supplier omits it. */
export function countOr(value: unknown, fallback: number): number {
  return value === undefined || value === null ? Math.max(0, fallback) : readCount(value)
}

/**
 * Whether one of the two main counts is present but invalid. Such a report cannot be charged, so it is ignored and the
 * delivered output is counted instead.
 */
export function isUnreadable(input: unknown, output: unknown): boolean {
  return isNoCount(input) || isNoCount(output)
}

function isNoCount(value: unknown): boolean {
  return value !== undefined && value !== null && !isCount(value)
}
