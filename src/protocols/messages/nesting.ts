/** Far more than any schema or tool input has; far less than the stack holds. */
const DEEPEST = 1000

/** Whether writing a parsed value out again could exhaust the stack. It walks instead of recursing, for the same reason. */
export function isTooDeep(value: unknown): boolean {
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEEPEST) return true
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []))
  }
  return false
}
