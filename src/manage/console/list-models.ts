import { accountLimits } from '../../rules/accounts/tiers.ts'
import type { EligibleRoute } from '../../rules/routing/eligible-routes.ts'
import { availableModels } from '../../serve/admission/find-model.ts'
import { limitOf, protocolsOf, sourceOf } from '../../serve/admission/model-facts.ts'
import type { Caller, Target } from '../../serve/admission/prepared-request.ts'
import type { Account } from '../../vocabulary/account.ts'
import { type ApiKey, KeyCreate } from '../../vocabulary/api-key.ts'
import type { AccountModel } from '../../vocabulary/overview.ts'
import type { Price } from '../../vocabulary/supply.ts'
import type { ConsoleParts } from './parts.ts'

/** Every model that a key of the account could use, or that this one can, with what keeps it from more. */
export function listModels(parts: ConsoleParts, account: Account, key: ApiKey | null): AccountModel[] {
  const snapshot = parts.snapshot()
  const limits = accountLimits(account, parts.clock.nowMs())
  const caller = { account, key: key ?? anyKeyOf(account), limits, snapshot }
  return availableModels(caller).map((target) => viewModel(caller, target))
}

/** A key that may use whatever the account may. */
function anyKeyOf({ id, createdAtMs }: Account): ApiKey {
  const nobody = { id: '', state: 'active', secrets: [] } as const
  return { ...KeyCreate.read({ name: '' }), ...nobody, accountId: id, createdAtMs, sharedFallback: true }
}

function viewModel(caller: Caller, target: Target): AccountModel {
  const { model, routes } = target
  return {
    ...model,
    formats: protocolsOf(target),
    suppliers: [...new Set(routes.map((route) => route.supplier.id))],
    source: sourceOf(routes),
    isRouteable: routes.some((route) => route.credentials.length > 0),
    price: cheapest(routes),
    limits: limitOf(caller, target),
  }
}

function cheapest(routes: readonly EligibleRoute[]): Price {
  return routes.map(({ price }) => price).reduce((one, other) => (weight(other) < weight(one) ? other : one))
}

/** Prices cannot be compared without knowing the request; input and output together tell most of it. */
function weight(price: Price): bigint {
  return price.inputNanoPerMillion + price.outputNanoPerMillion + price.imageNano
}
