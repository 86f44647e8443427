import { GatewayError } from '../../errors/gateway-error.ts'
import { effectiveRpm, guardLimit, type RefusalGuard } from '../../rules/limits/window.ts'
import type { Account } from '../../vocabulary/account.ts'
import type { ApiKey } from '../../vocabulary/api-key.ts'
import type { Admissions, Metric, WindowDemand, WindowReading } from '../ports/admissions.ts'
import type { Caller } from './prepared-request.ts'

/** What a request takes from its caller's own windows; tokens null when it carries no estimate. */
export interface OwnSpend {
  readonly requests: number
  readonly tokens: number | null
}

/** The account's windows, and the key's own when it has limits of its own: both are spent from. */
export function ownWindows({ account, key, limits }: Caller, { requests, tokens }: OwnSpend): WindowDemand[] {
  const windows: WindowDemand[] = []
  addRequests(windows, key.rpm, { kind: 'key', owner: key, amount: requests })
  addRequests(windows, limits.rpm, { kind: 'account', owner: account, amount: requests })
  if (tokens === null) return windows
  addTokens(windows, key.tpm, { kind: 'key', owner: key, amount: tokens })
  addTokens(windows, limits.tpm, { kind: 'account', owner: account, amount: tokens })
  return windows
}

interface WindowIds {
  readonly requests: string
  readonly tokens: string
}

// The ids of a caller are looked up several times in every request; a string made once is also hashed only once.
const knownIds = new WeakMap<Account | ApiKey, WindowIds>()

function windowIds({ kind, owner }: Share): WindowIds {
  const known = knownIds.get(owner)
  if (known !== undefined) return known
  const ids = { requests: `${kind}:${owner.id}:requests`, tokens: `${kind}:${owner.id}:tokens` }
  knownIds.set(owner, ids)
  return ids
}

interface Share {
  readonly kind: 'key' | 'account'
  readonly owner: Account | ApiKey
  readonly amount: number
}

/** Without a limit there is no such window. */
function addRequests(windows: WindowDemand[], limit: number | null, share: Share): void {
  if (limit === null) return
  windows.push({ id: windowIds(share).requests, metric: 'requests', limit, amount: share.amount })
}

function addTokens(windows: WindowDemand[], limit: number | null, share: Share): void {
  if (limit === null) return
  windows.push({ id: windowIds(share).tokens, metric: 'tokens', limit, amount: share.amount })
}

export function limitHeaders(
  admissions: Admissions,
  windows: readonly WindowDemand[],
): Record<string, string> {
  const headers: Record<string, string> = {}
  writeLimitHeaders(headers, admissions.read(windows))
  return headers
}

/** The headers of spec 8.4: the tightest limit of each metric and where it stands. */
export function writeLimitHeaders(headers: Record<string, string>, readings: readonly WindowReading[]): void {
  writeReading(headers, 'requests', readings)
  writeReading(headers, 'tokens', readings)
}

const LIMIT_HEADERS = {
  requests: {
    limit: 'x-ratelimit-limit-requests',
    remaining: 'x-ratelimit-remaining-requests',
    reset: 'x-ratelimit-reset-requests',
  },
  tokens: {
    limit: 'x-ratelimit-limit-tokens',
    remaining: 'x-ratelimit-remaining-tokens',
    reset: 'x-ratelimit-reset-tokens',
  },
} as const satisfies Record<Metric, unknown>

function writeReading(
  headers: Record<string, string>,
  metric: Metric,
  readings: readonly WindowReading[],
): void {
  let tightest: WindowReading | null = null
  let limit = Number.POSITIVE_INFINITY
  for (const reading of readings) {
    if (reading.metric !== metric) continue
    limit = Math.min(limit, reading.limit)
    if (tightest === null || reading.remaining < tightest.remaining) tightest = reading
  }
  if (tightest === null) return
  const names = LIMIT_HEADERS[metric]
  headers[names.limit] = String(limit)
  headers[names.remaining] = String(tightest.remaining)
  headers[names.reset] = String(tightest.resetSeconds)
}

/** Takes one look-up from the caller's guard window. */
export async function guardLookUp(caller: Caller, admissions: Admissions): Promise<void> {
  const limit = guardLimit(effectiveRpm(caller))
  if (limit === null) return
  const { key, account } = caller
  const owner = key.rpm === null ? `account:${account.id}` : `key:${key.id}`
  const window: WindowDemand = { id: `${owner}:look-ups`, metric: 'requests', limit, amount: 1 }
  const refusal = await admissions.takeCapacity([window], account.id)
  if (refusal?.reason === 'window') throw rateLimitError(window, refusal.retryAfterSeconds)
  if (refusal?.reason === 'unavailable') throw new GatewayError('temporarily_unavailable', refusal.message)
}

/** Refuses a caller to whom too much was refused in the last minute. Call it before any work is done for a request. */
export function refuseFlood(caller: Caller, { refusals, admissions }: RefusalParts): void {
  const excess = refusals.excessOf(caller)
  if (excess === null) return
  const { limit, unit, owner, retryAfterSeconds } = excess
  const whose = owner === 'key' ? 'this API key' : 'this account'
  const error = new GatewayError(
    'rate_limit_exceeded',
    `Too many requests of ${whose} were refused: ${limit} ${unit} per minute may be. Fix what the other errors say before you send more.`,
    { headers: { 'retry-after': String(retryAfterSeconds) } },
  )
  throw error.withHeaders(limitHeaders(admissions, ownWindows(caller, { requests: 1, tokens: null })))
}

interface RefusalParts {
  readonly refusals: RefusalGuard
  readonly admissions: Admissions
}

export function rateLimitError(window: WindowDemand, retryAfterSeconds: number): GatewayError {
  const owner = window.id.startsWith('key:') ? 'this API key' : 'this account'
  const asked =
    window.amount > window.limit ? ` This request alone needs ${window.amount}; ask for less.` : ''
  return new GatewayError(
    'rate_limit_exceeded',
    `The limit of ${window.limit} ${window.metric} per minute of ${owner} is reached.${asked}`,
    { headers: { 'retry-after': String(retryAfterSeconds) } },
  )
}
