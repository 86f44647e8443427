import { GatewayError } from '../../errors/gateway-error.ts'
import type { Account } from '../../vocabulary/account.ts'
import type { ApiKey } from '../../vocabulary/api-key.ts'
import { formatUsdt, type NanoUsdt } from '../../vocabulary/money.ts'
import type { Snapshot } from '../../vocabulary/runtime/snapshot.ts'
import type { Credential, Model, Supplier } from '../../vocabulary/supply.ts'

export function refuse(param: string, message: string): never {
  throw new GatewayError('invalid_request', message, { param })
}

/** What was looked up, or a `not_found` that names what is missing. */
export function requireFound<T>(found: T | null | undefined, thing: string, id: string): T {
  if (found === null || found === undefined)
    throw new GatewayError('not_found', `There is no ${thing} "${id}".`)
  return found
}

export function requireAccount(snapshot: Snapshot, id: string): Account {
  return requireFound(snapshot.accounts.get(id), 'account', id)
}

export function requireKey(snapshot: Snapshot, id: string): ApiKey {
  return requireFound(snapshot.keys.get(id), 'key', id)
}

export function requireSupplier(snapshot: Snapshot, id: string): Supplier {
  return requireFound(snapshot.supply.suppliers.get(id), 'supplier', id)
}

export function requireModel(snapshot: Snapshot, id: string): Model {
  return requireFound(snapshot.supply.models.get(id), 'model', id)
}

export function requireCredential(snapshot: Snapshot, id: string): Credential {
  const credentials = [...snapshot.supply.credentialsBySupplier.values()].flat()
  return requireFound(
    credentials.find((credential) => credential.id === id),
    'credential',
    id,
  )
}

export function requireTier({ tiers }: Snapshot, name: string): void {
  if (tiers[name] === undefined) refuse('tier', `tier must be one of ${Object.keys(tiers).join(', ')}.`)
}

// More names would not fit in a sentence.
const MAX_NAMED = 3

/** `"a", "b", "c" and 4 more`. */
export function nameSome(names: readonly string[]): string {
  const named = names.slice(0, MAX_NAMED).map((name) => `"${name}"`)
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : ''
  return `${named.join(', ')}${more}`
}

export function requirePositive(amountNano: NanoUsdt, param: string): void {
  if (amountNano <= 0n) refuse(param, `${param} must be greater than zero.`)
}

// A thousand million USDT. Sums of such amounts and what any request can cost stay far within 64 bits.
const LARGEST_AMOUNT_NANO = 10n ** 18n
// A million USDT for a million tokens, or for a picture.
const LARGEST_PRICE_NANO = 10n ** 15n

export function requireSane(amountNano: NanoUsdt, param: string): void {
  const size = amountNano < 0n ? -amountNano : amountNano
  if (size > LARGEST_AMOUNT_NANO)
    refuse(param, `${param} must be at most ${formatUsdt(LARGEST_AMOUNT_NANO)}.`)
}

export function requirePrice(priceNano: NanoUsdt, param: string): void {
  requireNotNegative(priceNano, param)
  if (priceNano > LARGEST_PRICE_NANO)
    refuse(param, `${param} must be at most ${formatUsdt(LARGEST_PRICE_NANO)}.`)
}

export function requireNotNegative(amountNano: NanoUsdt, param: string): void {
  if (amountNano < 0n) refuse(param, `${param} must not be negative.`)
}

export function requireText(text: string, param: string): void {
  if (text.trim() === '') refuse(param, `${param} must not be blank.`)
}

export function requireFuture(timeMs: number | null, nowMs: number): void {
  if (timeMs !== null && timeMs <= nowMs) refuse('expires_at', 'expires_at must lie in the future.')
}
