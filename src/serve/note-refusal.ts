import type { GatewayError } from '../errors/gateway-error.ts'
import { accountLimits } from '../rules/accounts/tiers.ts'
import type { Gateway } from './gateway.ts'
import type { Exchange } from './ports/exchange.ts'

/**
 * Takes note of a refused request, so that its customer can find out why. Requests with a settlement are recorded there.
 * A caller with too many refusals is only counted.
 */
export function noteRefusal(
  exchange: Exchange,
  error: GatewayError,
  {
    refusedRequests,
    refusals,
    clock,
    snapshot,
  }: Pick<Gateway, 'refusedRequests' | 'refusals' | 'clock' | 'snapshot'>,
): void {
  if (exchange.hasSettlement === true) return
  const { requestId, method, path, keyHolder, refusedModel = null } = exchange
  const common = { requestId, method, path, error, model: refusedModel }
  if (keyHolder === undefined) {
    refusedRequests.note({ ...common, holder: null, isFlood: false })
    return
  }
  const { account, key } = keyHolder
  const limits = accountLimits(account, clock.nowMs(), snapshot().tiers)
  refusedRequests.note({
    ...common,
    holder: { accountId: account.id, keyId: key.id },
    isFlood: refusals.excessOf({ account, key, limits }) !== null,
  })
}
