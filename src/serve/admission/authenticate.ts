import { GatewayError } from '../../errors/gateway-error.ts'
import { findCaller, findHolder, takesKeyInQuery } from '../../rules/access/api-keys.ts'
import { accountLimits } from '../../rules/accounts/tiers.ts'
import { canServeUnpaid } from '../../rules/routing/eligible-routes.ts'
import type { MaybePromise } from '../../vocabulary/runtime/maybe-promise.ts'
import type { Gateway } from '../gateway.ts'
import type { Exchange } from '../ports/exchange.ts'
import { limitHeaders, ownWindows, rateLimitError, refuseFlood } from './own-limits.ts'
import type { Caller, IncomingRequest } from './prepared-request.ts'

/** Finds the caller of a request. Before a key is refused, the node reads what other nodes have changed. */
export function authenticate({ exchange, gateway }: IncomingRequest): MaybePromise<Caller> {
  try {
    return authenticateNow(exchange, gateway)
  } catch (refusal) {
    return authenticateAgain(refusal, { exchange, gateway })
  }
}

async function authenticateAgain(refusal: unknown, { exchange, gateway }: IncomingRequest): Promise<Caller> {
  // A caller with too many refusals must not cost a look at the configuration each time.
  if (refusal instanceof GatewayError && refusal.code === 'rate_limit_exceeded') throw refusal
  const before = gateway.snapshot()
  await readChanges(gateway)
  if (gateway.snapshot() === before) throw refusal
  return authenticateNow(exchange, gateway)
}

/** Refuses a missing, unknown, expired or disabled key, and one that has reached its spending limit. */
export function authenticateNow(exchange: Exchange, gateway: Gateway): Caller {
  const caller = identify(exchange, gateway)
  exchange.bodyOwner = caller.account.id
  if (caller.key.usageLimit !== null) refuseSpent(caller, gateway)
  return caller
}

/** For requests without an admission, which would show that another node has changed something: that is read first. */
export async function authenticateVisitor(exchange: Exchange, gateway: Gateway): Promise<Caller> {
  await readChanges(gateway)
  const caller = identify(exchange, gateway)
  const { account, key } = caller
  exchange.bodyOwner = account.id
  const windows = ownWindows(caller, { requests: 1, tokens: 0 })
  await gateway.admissions.catchUp({ accountId: account.id, keyId: key.id }, windows)
  refuseSpent(caller, gateway)
  return caller
}

/** Known changes must be read before a request is judged; while they cannot be read, all requests are refused. */
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

function refuseSpent(caller: Caller, gateway: Gateway): void {
  const { key } = caller
  if (key.usageLimit === null || !gateway.admissions.hasReachedLimit(key.id, key.usageLimit)) return
  refuseFlood(caller, gateway)
  gateway.refusals.note(caller, 0)
  // The limit may have been set below what was spent already, so that no settlement has reported it.
  gateway.alerts.noteKeyRefused(key.id)
  const refusal = new GatewayError(
    'spending_limit_exceeded',
    'This API key has reached its spending limit.',
    { limit: 'key_spending' },
  )
  const windows = ownWindows(caller, { requests: 1, tokens: null })
  throw refusal.withHeaders(limitHeaders(gateway.admissions, windows))
}

// Header spellings of the official clients and of the published API, in order of preference.
const KEY_HEADERS = ['authorization', 'x-api-key', 'x-goog-api-key', 'x-vendor-api-key'] as const

/** A request may carry several keys: each is tried, `Authorization` first. */
function identify(exchange: Exchange, gateway: Gateway): Caller {
  const { headers } = exchange
  const snapshot = gateway.snapshot()
  const nowMs = gateway.clock.nowMs()
  let refusal: GatewayError | null = null
  for (let place = 0; place <= KEY_HEADERS.length; place += 1) {
    const header = KEY_HEADERS[place]
    let value = header === undefined ? null : headers.get(header)
    if (header === undefined && takesKeyInQuery(exchange)) value = exchange.query.get('key')
    if (value === null) continue
    const secret = header === 'authorization' ? withoutScheme(value) : value.trim()
    if (secret === '') continue
    const fingerprint = gateway.secrets.fingerprint(secret)
    const found = findCaller(fingerprint, snapshot, nowMs)
    if (!(found instanceof GatewayError)) {
      exchange.keyHolder = found
      const { key, account } = found
      return {
        key,
        account,
        snapshot,
        limits: accountLimits(account, nowMs, snapshot.tiers),
        catalog: gateway.catalog,
      }
    }
    refusal ??= found
    exchange.keyHolder ??= findHolder(fingerprint, snapshot)
  }
  if (refusal !== null) throw refusal
  throw new GatewayError(
    'auth_required',
    'An API key is required: send it as "Authorization: Bearer <API key>".',
  )
}

const BEARER = /^bearer\s+/i

/** The usual spelling needs no regular expression. */
function withoutScheme(value: string): string {
  const secret = value.startsWith('Bearer ') ? value.slice('Bearer '.length) : value.replace(BEARER, '')
  return secret.trim()
}

// A smaller body has usually arrived with the head; an extra check would cost more than reading it.
const LARGE_BODY_BYTES = 64 * 1024

/**
 * Refuses a request that no body can save: too many requests of its caller were refused, its account cannot pay for
 * anything, or its body is large and its request window is full. Waits only before such a refusal, to read what other
 * nodes have changed.
 */
export function checkBeforeBody(caller: Caller, incoming: IncomingRequest): MaybePromise<Caller> {
  const { exchange, gateway } = incoming
  refuseFlood(caller, gateway)
  if (exchange.bodyLength <= LARGE_BODY_BYTES && !isBroke(caller, gateway)) return caller
  return earlyRefusal(caller, incoming) === null ? caller : checkAgain(caller, incoming)
}

async function checkAgain(first: Caller, incoming: IncomingRequest): Promise<Caller> {
  const { exchange, gateway } = incoming
  await readChanges(gateway)
  const caller = gateway.snapshot() === first.snapshot ? first : authenticateNow(exchange, gateway)
  const { account, key } = caller
  const windows = ownWindows(caller, { requests: 1, tokens: null })
  await gateway.admissions.catchUp({ accountId: account.id, keyId: key.id }, windows)
  if (isBroke(caller, gateway) && !(await isBalanceRead(caller, gateway))) return caller
  const refusal = earlyRefusal(caller, incoming)
  if (refusal === null) return caller
  gateway.refusals.note(caller, 0)
  throw refusal.withHeaders(limitHeaders(gateway.admissions, windows))
}

/** Whether the newest balance could be read. If not, the admission decides. */
async function isBalanceRead({ account }: Caller, gateway: Gateway): Promise<boolean> {
  try {
    await gateway.admissions.refresh({ accountIds: [account.id] })
    return true
  } catch {
    return false
  }
}

function earlyRefusal(caller: Caller, { exchange, gateway }: IncomingRequest): GatewayError | null {
  if (isBroke(caller, gateway) && !canServeUnpaid(caller.snapshot, caller.key)) {
    return new GatewayError(
      'spending_limit_exceeded',
      'The balance of this account and its credit line are used up. Pay in, or raise the credit line.',
      { limit: 'balance' },
    )
  }
  return exchange.bodyLength > LARGE_BODY_BYTES ? fullWindowRefusal(caller, gateway) : null
}

function isBroke({ account }: Caller, { admissions }: Gateway): boolean {
  const { id, creditLineNano } = account
  if (creditLineNano === null) return false
  return admissions.balanceNano(id) + creditLineNano <= 0n && admissions.knowsBalance?.(id) !== false
}

function fullWindowRefusal(caller: Caller, { admissions }: Gateway): GatewayError | null {
  const windows = ownWindows(caller, { requests: 1, tokens: null })
  const readings = admissions.read(windows)
  const full = readings.findIndex(({ remaining }) => remaining < 1)
  const window = windows[full]
  if (window === undefined) return null
  return rateLimitError(window, Math.max(1, readings[full]?.resetSeconds ?? 1))
}
