/** Exact sums of the API's decimal strings. */

const DIGITS = 9

/** The exact sum of amounts as a short decimal; `"0"` for none. */
export function sumAmounts(amounts: readonly string[]): string {
  return writeUnits(amounts.reduce((sum, amount) => sum + readUnits(amount), 0n))
}

/** The share of `part` in `whole`; 1 if `whole` is 0. Exact enough for charts only. */
export function shareOf(part: string, whole: string): number {
  const all = Number(whole)
  return all > 0 ? Math.max(Number(part) / all, 0) : 1
}

function readUnits(amount: string): bigint {
  const isNegative = amount.startsWith('-')
  const [whole = '0', fraction = ''] = amount.replace(/^[-+]/, '').split('.')
  const units = BigInt(whole + fraction.padEnd(DIGITS, '0').slice(0, DIGITS))
  return isNegative ? -units : units
}

function writeUnits(units: bigint): string {
  const text = (units < 0n ? -units : units).toString().padStart(DIGITS + 1, '0')
  const fraction = text.slice(-DIGITS).replace(/0+$/, '')
  return `${units < 0n ? '-' : ''}${text.slice(0, -DIGITS)}${fraction === '' ? '' : `.${fraction}`}`
}
