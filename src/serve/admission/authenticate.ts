import { GatewayError } from '../../errors/gateway-error.ts'
import { findCaller, type KeyHolder } from '../../rules/access/api-keys.ts'
import { accountLimits } from '../../rules/accounts/tiers.ts'
import type { Snapshot } from '../../vocabulary/runtime/snapshot.ts'
import type { Gateway } from '../gateway.ts'
import type { Exchange } from '../ports/exchange.ts'
import { limitHeaders, ownWindows, refuseFlood } from './own-limits.ts'
import type { Caller } from './prepared-request.ts'

/** Who is prepared. Refuses a missing, unknown, expired or switched-off key, and one that has spent its limit. */
export function authenticateNow(exchange: Exchange, gateway: Gateway): Caller {
  const caller = identify(exchange, gateway)
  refuseSpent(caller, gateway)
  return caller
}

/**
 * The same for requests that no admission follows, by which it would come to light that another node knows better: that
 * is asked first.
 */
export async function authenticateVisitor(exchange: Exchange, gateway: Gateway): Promise<Caller> {
  await readChanges(gateway)
  const caller = identify(exchange, gateway)
  const { account, key } = caller
  const windows = ownWindows(caller, { requests: 1, tokens: 0 })
  await gateway.admissions.catchUp({ accountId: account.id, keyId: key.id }, windows)
  refuseSpent(caller, gateway)
  return caller
}

/** What is known to have been changed must be read before anybody is judged; while it cannot be, nobody is. */
export async function readChanges(gateway: Gateway): Promise<void> {
  try {
    await gateway.catchUp()
  } catch (cause) {
    throw unreadable(cause)
  }
}

export function unreadable(cause?: unknown): GatewayError {
  return new GatewayError(
    'temporarily_unavailable',
    'The configuration was changed and cannot be read right now; try again shortly.',
    { cause },
  )
}

function identify(exchange: Exchange, gateway: Gateway): Caller {
  const snapshot = gateway.snapshot()
  const nowMs = gateway.clock.nowMs()
  const { key, account } = findHolder(exchange, gateway, { snapshot, nowMs })
  return { key, account, snapshot, limits: accountLimits(account, nowMs) }
}

function refuseSpent(caller: Caller, gateway: Gateway): void {
  const { key } = caller
  if (key.usageLimit === null || !gateway.admissions.hasReachedLimit(key.id, key.usageLimit)) return
  refuseFlood(caller, gateway)
  gateway.refusals.note(caller, 0)
  // A limit may have been set below what was spent, and then nothing was settled by which it was seen.
  gateway.alerts.noteKeyRefused(key.id)
  const refusal = new GatewayError('spending_limit_exceeded', 'This API key has reached its spending limit.')
  const windows = ownWindows(caller, { requests: 1, tokens: null })
  throw refusal.withHeaders(limitHeaders(gateway.admissions, windows))
}

interface Moment {
  readonly snapshot: Snapshot
  readonly nowMs: number
}

/** Several carriers may be present with different values: each is tried, `Authorization` first. */
function findHolder(exchange: Exchange, gateway: Gateway, { snapshot, nowMs }: Moment): KeyHolder {
  let refusal: GatewayError | null = null
  for (const carrier of CARRIERS) {
    const secret = carrier(exchange)?.trim() ?? ''
    if (secret === '') continue
    const found = findCaller(gateway.secrets.fingerprint(secret), snapshot, nowMs)
    if (!(found instanceof GatewayError)) return found
    refusal ??= found
  }
  if (refusal !== null) throw refusal
  throw new GatewayError(
    'auth_required',
    'An API key is required: send it as "Authorization: Bearer <API key>".',
  )
}

type Carrier = (exchange: Exchange) => string | null | undefined

const QUERY_KEY_PATHS = '/v1beta/'

// Header spellings of the official clients and of the published API, in order of preference.
const CARRIERS: readonly Carrier[] = [
  ({ headers }) => withoutScheme(headers.get('authorization')),
  ({ headers }) => headers.get('x-api-key'),
  ({ headers }) => headers.get('x-goog-api-key'),
  ({ headers }) => headers.get('x-vendor-api-key'),
  (exchange) => (exchange.path.startsWith(QUERY_KEY_PATHS) ? exchange.query.get('key') : null),
]

const BEARER = /^bearer\s+/i

/** In the usual spelling without searching, since every request says it. */
function withoutScheme(value: string | null): string | null {
  if (value === null) return null
  return value.startsWith('Bearer ') ? value.slice('Bearer '.length) : value.replace(BEARER, '')
}
