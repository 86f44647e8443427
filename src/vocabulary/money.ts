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
  const sign = nano < 0n ? '-' : ''
  const size = nano < 0n ? -nano : nano
  const fraction = (size % NANO_PER_USDT).toString().padStart(NANO_DIGITS, '0').replace(/0+$/, '')
  const whole = size / NANO_PER_USDT
  return fraction === '' ? `${sign}${whole}` : `${sign}${whole}.${fraction}`
}
