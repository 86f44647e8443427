import type { Exchange } from '../ports/exchange.ts'

/** Under which address this client reaches the gateway, without a slash at its end. */
export function ownAddressOf({ headers }: Pick<Exchange, 'headers'>, publicUrl: string | null): string {
  if (publicUrl !== null) return publicUrl.replace(/\/+$/, '')
  const scheme = headers.get('x-forwarded-proto')?.trim().toLowerCase() === 'https' ? 'https' : 'http'
  const host = headers.get('host') ?? ''
  // A name that is none must not become part of an address; without one the path alone still leads here.
  return /^[\w.-]+(?::\d{1,5})?$|^\[[\da-f:.]+\](?::\d{1,5})?$/i.test(host) ? `${scheme}://${host}` : ''
}
