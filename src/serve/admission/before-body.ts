import { GatewayError } from '../../errors/gateway-error.ts'
import { canServeUnpaid } from '../../rules/routing/eligible-routes.ts'
import { authenticateNow, readChanges } from './authenticate.ts'
import { limitHeaders, ownWindows, rateLimitError, refuseFlood } from './own-limits.ts'
import type { Caller } from './prepared-request.ts'
import type { IncomingRequest } from './retry-on-config-change.ts'

// Smaller bodies have usually come with the head; judging them twice would cost more than reading them.
const LARGE_BODY_BYTES = 64 * 1024

/**
 * Refuses, before its body is read, a request that would be refused whatever the body says: too much was refused to its
 * caller already, its account cannot pay for anything, or its body is large and its request window is full. Gives a
 * promise only when the request is about to be refused, to look first whether another node knows better.
 */
export function checkBeforeBody(caller: Caller, incoming: IncomingRequest): Caller | Promise<Caller> {
  const { exchange, gateway } = incoming
  refuseFlood(caller, gateway)
  exchange.bodyOwner = caller.account.id
  return earlyRefusal(caller, incoming) === null ? caller : checkAgain(caller, incoming)
}

async function checkAgain(first: Caller, incoming: IncomingRequest): Promise<Caller> {
  const { exchange, gateway } = incoming
  await readChanges(gateway)
  const caller = gateway.snapshot() === first.snapshot ? first : authenticateNow(exchange, gateway)
  const { account, key } = caller
  const windows = ownWindows(caller, { requests: 1, tokens: null })
  await gateway.admissions.catchUp({ accountId: account.id, keyId: key.id }, windows)
  if (isBroke(caller, incoming) && !(await isBalanceRead(caller, incoming))) return caller
  const refusal = earlyRefusal(caller, incoming)
  if (refusal === null) return caller
  gateway.refusals.note(caller, 0)
  throw refusal.withHeaders(limitHeaders(gateway.admissions, windows))
}

/** Whether the balance is known for sure; the admission finds out when it is not. */
async function isBalanceRead({ account }: Caller, { gateway }: IncomingRequest): Promise<boolean> {
  try {
    await gateway.admissions.refresh({ accountIds: [account.id] })
    return true
  } catch {
    return false
  }
}

function earlyRefusal(caller: Caller, incoming: IncomingRequest): GatewayError | null {
  if (isBroke(caller, incoming) && !canServeUnpaid(caller.snapshot.supply, caller.key)) {
    return new GatewayError(
      'spending_limit_exceeded',
      'The balance of this account and its credit line are used up. Pay in, or raise the credit line.',
    )
  }
  return incoming.exchange.bodyLength > LARGE_BODY_BYTES ? fullWindowRefusal(caller, incoming) : null
}

function isBroke({ account }: Caller, { gateway }: IncomingRequest): boolean {
  const { id, creditLineNano } = account
  if (creditLineNano === null) return false
  const { admissions } = gateway
  return admissions.balanceNano(id) + creditLineNano <= 0n && admissions.knowsBalance?.(id) !== false
}

function fullWindowRefusal(caller: Caller, { gateway }: IncomingRequest): GatewayError | null {
  const windows = ownWindows(caller, { requests: 1, tokens: null })
  const readings = gateway.admissions.read(windows)
  const full = readings.findIndex(({ remaining }) => remaining < 1)
  const window = windows[full]
  if (window === undefined) return null
  return rateLimitError(window, Math.max(1, readings[full]?.resetSeconds ?? 1))
}
