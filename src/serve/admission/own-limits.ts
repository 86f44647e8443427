import { GatewayError, type LimitName } from '../../errors/gateway-error.ts'
import { asGatewayError } from '../../errors/render-error.ts'
import { effectiveRpm, guardLimit, type RefusalGuard } from '../../rules/limits/window.ts'
import type { Account } from '../../vocabulary/account.ts'
import type { ApiKey } from '../../vocabulary/api-key.ts'
import type { Gateway } from '../gateway.ts'
import type { Admissions, Metric, WindowDemand, WindowReading } from '../ports/admissions.ts'
import type { Exchange, Reply } from '../ports/exchange.ts'
import type { Caller } from './prepared-request.ts'

/** What a request takes from its caller's own windows; `tokens` is null when it carries no estimate. */
export interface OwnSpend {
  readonly requests: number
  readonly tokens: number | null
}

/** The windows of the account, and of the key when it has limits. A request takes from both; no limit, no window. */
export function ownWindows({ account, key, limits }: Caller, { requests, tokens }: OwnSpend): WindowDemand[] {
  const windows: WindowDemand[] = []
  if (key.rpm !== null)
    windows.push({ id: windowIds('key', key).requests, metric: 'requests', limit: key.rpm, amount: requests })
  if (limits.rpm !== null)
    windows.push({
      id: windowIds('account', account).requests,
      metric: 'requests',
      limit: limits.rpm,
      amount: requests,
    })
  if (tokens === null) return windows
  if (key.tpm !== null)
    windows.push({ id: windowIds('key', key).tokens, metric: 'tokens', limit: key.tpm, amount: tokens })
  if (limits.tpm !== null)
    windows.push({
      id: windowIds('account', account).tokens,
      metric: 'tokens',
      limit: limits.tpm,
      amount: tokens,
    })
  return windows
}

interface WindowIds {
  readonly requests: string
  readonly tokens: string
}

// Every request looks up the ids of its caller several times; a string that is made once is also hashed only once.
const knownIds = new WeakMap<Account | ApiKey, WindowIds>()

function windowIds(kind: 'key' | 'account', owner: Account | ApiKey): WindowIds {
  const known = knownIds.get(owner)
  if (known !== undefined) return known
  const ids = { requests: `${kind}:${owner.id}:requests`, tokens: `${kind}:${owner.id}:tokens` }
  knownIds.set(owner, ids)
  return ids
}

/** Adds the state of these windows to a reply. */
export function addLimitHeaders(
  reply: Reply,
  windows: readonly WindowDemand[],
  { admissions }: Pick<Gateway, 'admissions'>,
): Reply {
  writeLimitHeaders(reply.headers, admissions.read(windows))
  return reply
}

/** A request on whose reply or error the caller's limits are reported. */
export interface LimitedRequest {
  readonly caller: Caller
  readonly gateway: Gateway
  /** Of a request whose refusal counts; null for look-ups, which have a guard of their own. */
  readonly exchange: Pick<Exchange, 'bodyBytes'> | null
}

/** What was thrown, as an error that reports the caller's limits. `windows` is null for a request that was not admitted. */
export async function withLimits(
  thrown: unknown,
  {
    caller,
    gateway,
    exchange,
    windows,
  }: LimitedRequest & { readonly windows: readonly WindowDemand[] | null },
): Promise<GatewayError> {
  const error = asGatewayError(thrown)
  // An admitted request has taken its share of the windows, and a failure of the gateway is not the caller's fault.
  if (exchange !== null && windows === null && error.status < 500) {
    gateway.refusals.note(caller, exchange.bodyBytes)
  }
  // Refused because of its limits, which the error reports as they were found. Reading them again would cost a round trip.
  if (reportsLimits(error)) return error
  const { admissions } = gateway
  if (windows !== null) return error.withHeaders(limitHeaders(admissions, windows))
  const { account, key } = caller
  const own = ownWindows(caller, { requests: 1, tokens: null })
  // Without an admission, this node may not know what other nodes have admitted.
  await admissions.catchUp({ accountId: account.id, keyId: key.id }, own)
  return error.withHeaders(limitHeaders(admissions, own))
}

function reportsLimits({ headers }: GatewayError): boolean {
  return Object.keys(headers).some((name) => name.startsWith('x-ratelimit-'))
}

/** Serves a look-up. Its reply or error reports the caller's limits. */
export async function serveLimited(request: LimitedRequest, story: () => Promise<Reply>): Promise<Reply> {
  try {
    const windows = ownWindows(request.caller, { requests: 1, tokens: null })
    return addLimitHeaders(await story(), windows, request.gateway)
  } catch (thrown) {
    throw await withLimits(thrown, { ...request, windows: null })
  }
}

export function limitHeaders(
  admissions: Admissions,
  windows: readonly WindowDemand[],
): Record<string, string> {
  const headers: Record<string, string> = {}
  writeLimitHeaders(headers, admissions.read(windows))
  return headers
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

const METRICS = ['requests', 'tokens'] as const

/** The headers of spec 8.4: the tightest limit of each metric and its state. */
function writeLimitHeaders(headers: Record<string, string>, readings: readonly WindowReading[]): void {
  for (const metric of METRICS) {
    let tightest: WindowReading | null = null
    let limit = Number.POSITIVE_INFINITY
    for (const reading of readings) {
      if (reading.metric !== metric) continue
      limit = Math.min(limit, reading.limit)
      if (tightest === null || reading.remaining < tightest.remaining) tightest = reading
    }
    if (tightest === null) continue
    const names = LIMIT_HEADERS[metric]
    headers[names.limit] = String(limit)
    headers[names.remaining] = String(tightest.remaining)
    headers[names.reset] = String(tightest.resetSeconds)
  }
}

const LOOK_UPS = ':look-ups'

/** Takes one look-up from the caller's guard window. */
export async function guardLookUp(caller: Caller, admissions: Admissions): Promise<void> {
  const limit = guardLimit(effectiveRpm(caller))
  if (limit === null) return
  const { key, account } = caller
  const owner = key.rpm === null ? `account:${account.id}` : `key:${key.id}`
  const window: WindowDemand = { id: owner + LOOK_UPS, metric: 'requests', limit, amount: 1 }
  const refusal = await admissions.takeCapacity([window], account.id)
  if (refusal?.reason === 'window') throw rateLimitError(window, refusal.retryAfterSeconds)
  if (refusal?.reason === 'unavailable') throw new GatewayError('temporarily_unavailable', refusal.message)
}

/** Refuses a caller with too many refused requests in the last minute. Call it before any work on a request. */
export function refuseFlood(caller: Caller, { refusals, admissions }: RefusalParts): void {
  const excess = refusals.excessOf(caller)
  if (excess === null) return
  const { limit, unit, owner, retryAfterSeconds } = excess
  const whose = owner === 'key' ? 'this API key' : 'this account'
  const error = new GatewayError(
    'rate_limit_exceeded',
    `Too many requests of ${whose} were refused: ${limit} ${unit} per minute may be. Fix what the other errors say before you send more.`,
    { headers: { 'retry-after': String(retryAfterSeconds) }, limit: 'refused_requests' },
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
    { headers: { 'retry-after': String(retryAfterSeconds) }, limit: limitName(window) },
  )
}

function limitName({ id, metric }: WindowDemand): LimitName {
  if (id.endsWith(LOOK_UPS)) return 'look_ups'
  return `${id.startsWith('key:') ? 'key' : 'account'}_${metric}`
}
