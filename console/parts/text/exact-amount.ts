/** Exact arithmetic with the API's decimal strings. */

const NANO_DIGITS = 9

/** `"1.25"` in units of 10⁻⁹; null if the text is not a decimal with at most nine decimals. */
export function readNano(text: string): bigint | null {
  const match = /^(-?)(\d{1,10})(?:\.(\d{1,9}))?$/.exec(text.trim())
  if (match === null) return null
  const [, sign, whole = '0', fraction = ''] = match
  const nano = BigInt(whole + fraction.padEnd(NANO_DIGITS, '0'))
  return sign === '-' ? -nano : nano
}

/** The shortest exact decimal of a number of units of 10⁻⁹. */
export function writeNano(nano: bigint): string {
  const sign = nano < 0n ? '-' : ''
  const text = (nano < 0n ? -nano : nano).toString().padStart(NANO_DIGITS + 1, '0')
  const fraction = text.slice(-NANO_DIGITS).replace(/0+$/, '')
  return `${sign}${text.slice(0, -NANO_DIGITS)}${fraction === '' ? '' : `.${fraction}`}`
}

/** `"0.3"` less `"0.1"` is `"0.2"`. */
export function subtractAmounts(one: string, other: string): string {
  return writeNano((readNano(one) ?? 0n) - (readNano(other) ?? 0n))
}

/** How much larger `after` is than `before`, as a share: 0.1 is ten percent more. Null if there is nothing to compare. */
export function shareOfChange(before: string, after: string): number | null {
  const from = readNano(before)
  const to = readNano(after)
  if (from === null || to === null || from === 0n) return null
  return Number(((to - from) * 1_000_000n) / from) / 1_000_000
}

/** `0.1` → `+10%`, `-0.125` → `−12.5%`. */
export function describeChange(share: number): string {
  const percent = Math.abs(share * 100)
  const digits = percent >= 100 || Number.isInteger(Number(percent.toFixed(2))) ? 0 : 1
  return `${share < 0 ? '−' : '+'}${percent.toFixed(digits)}%`
}
