import { effectiveTier } from '../rules/accounts/tiers.ts'
import type { RateLimits } from '../vocabulary/account.ts'
import type { Caller } from './authenticate.ts'
import { availableModel, availableModels, type Target } from './find-model.ts'
import type { Gateway } from './gateway.ts'
import { lookUp } from './look-up.ts'
import { limitOf, sourceOf } from './model-facts.ts'
import { ownWindows } from './own-limits.ts'
import type { Admissions, Metric, WindowDemand } from './ports/admissions.ts'
import type { Exchange, Reply } from './ports/exchange.ts'

/** "Why is my limit this?": the caller's own limits and windows, and for each model the limit that binds. */
export function showLimits(exchange: Exchange, gateway: Gateway): Promise<Reply> {
  const wanted = exchange.query.get('model')
  return lookUp(exchange, gateway, (caller) => {
    const targets = wanted === null ? availableModels(caller) : [availableModel(caller, wanted)]
    const tier = effectiveTier(caller.account, gateway.clock.nowMs())
    const windows = ownWindows(caller, { requests: 1, tokens: 0 })
    const stateOf = (owner: 'account' | 'key', limits: RateLimits) =>
      describeOwn(
        gateway.admissions,
        windows.filter(({ id }) => id.startsWith(`${owner}:`)),
        limits,
      )
    return {
      object: 'limits',
      account: { tier, ...stateOf('account', caller.limits) },
      key: stateOf('key', caller.key),
      models: targets.map((target) => describeModel(caller, target)),
    }
  })
}

function describeOwn(admissions: Admissions, windows: readonly WindowDemand[], { rpm, tpm }: RateLimits) {
  const readings = admissions.read(windows)
  const stateOf = (metric: Metric) => {
    const reading = readings.find((each) => each.metric === metric)
    return reading === undefined
      ? null
      : { remaining: reading.remaining, reset_seconds: reading.resetSeconds }
  }
  return { rpm, tpm, requests: stateOf('requests'), tokens: stateOf('tokens') }
}

/** Null in place of a limit: nothing limits it. */
function describeModel(caller: Caller, target: Target) {
  const { rpm, tpm } = limitOf(caller, target)
  return { id: target.model.id, source: sourceOf(target.routes), rpm, tpm }
}
