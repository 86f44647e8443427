/** What a NumberInput holds, as the API takes a limit: null for an empty field. */
export function countOrNull(value: number | string): number | null {
  const text = String(value).trim()
  return text === '' ? null : Number(text)
}

/** A limit as people read it. */
export function describeLimit(value: number | null): string {
  return value === null ? 'No limit' : new Intl.NumberFormat('en').format(value)
}
