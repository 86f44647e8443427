import { GatewayError } from '../errors/gateway-error.ts'

/** USDT in units of 10⁻⁹. Always an integer: no amount in this program is ever a float. */
export type NanoUsdt = bigint

const NANO_DIGITS = 9
const NANO_PER_USDT = 10n ** BigInt(NANO_DIGITS)
// The maximum of a signed 64-bit column; more than nine billion USDT.
const LARGEST_NANO = 2n ** 63n - 1n

/** Reads a decimal string such as "1.25". Refuses numbers, exponents and more than nine decimals. */
export function parseUsdt(text: string, param: string): NanoUsdt {
  const match = /^(-?)(\d{1,10})(?:\.(\d{1,9}))?$/.exec(text)
  if (!match) {
    throw new GatewayError(
      'invalid_request',
      `${param} must be a decimal amount such as "12.5", with at most 9 decimals.`,
      {
        param,
      },
    )
  }
  const [, sign, whole, fraction = ''] = match
  const nano = BigInt(whole ?? '0') * NANO_PER_USDT + BigInt(fraction.padEnd(NANO_DIGITS, '0'))
  if (nano > LARGEST_NANO) throw new GatewayError('invalid_request', `${param} is too large.`, { param })
  return sign === '-' ? -nano : nano
}

/** Writes an amount as the shortest exact decimal string. */
export function formatUsdt(nano: NanoUsdt): string {
  return formatDecimal(nano, NANO_DIGITS)
}

/** What one token costs at a rate per million, exactly: USDT in units of 10⁻¹⁵. */
export type FemtoUsdt = bigint

const FEMTO_DIGITS = 15
export const FEMTO_PER_NANO = 10n ** BigInt(FEMTO_DIGITS - NANO_DIGITS)

export function formatFemto(femto: FemtoUsdt): string {
  return formatDecimal(femto, FEMTO_DIGITS)
}

function formatDecimal(units: bigint, digits: number): string {
  const sign = units < 0n ? '-' : ''
  const figures = (units < 0n ? -units : units).toString().padStart(digits + 1, '0')
  const fraction = figures.slice(-digits).replace(/0+$/, '')
  const whole = figures.slice(0, -digits)
  return fraction === '' ? `${sign}${whole}` : `${sign}${whole}.${fraction}`
}
