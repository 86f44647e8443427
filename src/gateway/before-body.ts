import { GatewayError } from '../errors/gateway-error.ts'
import { canServeUnpaid } from '../rules/routing/eligible-routes.ts'
import { authenticate, type Caller, readChanges } from './authenticate.ts'
import type { Court } from './judge.ts'
import { limitHeaders, ownWindows, rateLimitError, refuseFlood } from './own-limits.ts'

// Smaller bodies have usually come with the head; judging them twice would cost more than reading them.
const LARGE_BODY_BYTES = 64 * 1024

/**
 * Refuses, before its body is read, a request that would be refused whatever the body says: too much was refused to its
 * caller already, its account cannot pay for anything, or its body is large and its request window is full. Gives a
 * promise only when the request is about to be refused, to look first whether another node knows better.
 */
export function checkBeforeBody(caller: Caller, court: Court): Caller | Promise<Caller> {
  const { exchange, gateway } = court
  refuseFlood(caller, gateway)
  exchange.bodyOwner = caller.account.id
  return earlyRefusal(caller, court) === null ? caller : checkAgain(caller, court)
}

async function checkAgain(first: Caller, court: Court): Promise<Caller> {
  const { exchange, gateway } = court
  await readChanges(gateway)
  const caller = gateway.snapshot() === first.snapshot ? first : authenticate(exchange, gateway)
  const { account, key } = caller
  const windows = ownWindows(caller, { requests: 1, tokens: null })
  await gateway.admissions.catchUp({ accountId: account.id, keyId: key.id }, windows)
  if (isBroke(caller, court) && !(await isBalanceRead(caller, court))) return caller
  const refusal = earlyRefusal(caller, court)
  if (refusal === null) return caller
  gateway.refusals.note(caller, 0)
  throw refusal.withHeaders(limitHeaders(gateway.admissions, windows))
}

/** Whether the balance is known for sure; the admission finds out when it is not. */
async function isBalanceRead({ account }: Caller, { gateway }: Court): Promise<boolean> {
  try {
    await gateway.admissions.refresh({ accountIds: [account.id] })
    return true
  } catch {
    return false
  }
}

function earlyRefusal(caller: Caller, court: Court): GatewayError | null {
  if (isBroke(caller, court) && !canServeUnpaid(caller.snapshot.supply, caller.key)) {
    return new GatewayError(
      'spending_limit_exceeded',
      'The balance of this account and its credit line are used up. Pay in, or raise the credit line.',
    )
  }
  return court.exchange.bodyLength > LARGE_BODY_BYTES ? fullWindowRefusal(caller, court) : null
}

function isBroke({ account }: Caller, { gateway }: Court): boolean {
  const { id, creditLineNano } = account
  if (creditLineNano === null) return false
  const { admissions } = gateway
  return admissions.balanceNano(id) + creditLineNano <= 0n && admissions.knowsBalance?.(id) !== false
}

function fullWindowRefusal(caller: Caller, { gateway }: Court): GatewayError | null {
  const windows = ownWindows(caller, { requests: 1, tokens: null })
  const readings = gateway.admissions.read(windows)
  const full = readings.findIndex(({ remaining }) => remaining < 1)
  const window = windows[full]
  if (window === undefined) return null
  return rateLimitError(window, Math.max(1, readings[full]?.resetSeconds ?? 1))
}
