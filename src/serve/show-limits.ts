import Type, { type Static, type TSchema } from 'typebox'
import { effectiveTier } from '../rules/accounts/tiers.ts'
import { CONSTRAINTS, type RateLimits } from '../vocabulary/account.ts'
import type { Contract } from '../vocabulary/runtime/contract.ts'
import { availableModel, availableModels } from './admission/find-model.ts'
import { limitOf, MODEL_SOURCES, sourceOf } from './admission/model-facts.ts'
import { ownWindows } from './admission/own-limits.ts'
import { type Caller, nameOf, type Target } from './admission/prepared-request.ts'
import type { Gateway } from './gateway.ts'
import { lookUp } from './look-up.ts'
import type { Admissions, Metric, WindowDemand } from './ports/admissions.ts'
import type { Exchange, Reply } from './ports/exchange.ts'

const OrNull = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])

const WindowState = OrNull(
  Type.Object({
    remaining: Type.Integer({ description: 'Left in the present minute.' }),
    reset_seconds: Type.Integer({ description: 'Until all of it is free again; 0 when nothing is spent.' }),
  }),
)

const ownLimits = {
  rpm: OrNull(Type.Integer({ description: 'Requests per minute.' })),
  tpm: OrNull(Type.Integer({ description: 'Tokens per minute.' })),
  requests: WindowState,
  tokens: WindowState,
}
const OwnLimits = Type.Object(ownLimits)

const BindingLimit = OrNull(
  Type.Object({
    value: Type.Integer({ minimum: 0 }),
    constraint: Type.Enum([...CONSTRAINTS], { description: 'Whose limit it is.' }),
  }),
)

const ModelLimits = Type.Object({
  id: Type.String(),
  source: Type.Enum([...MODEL_SOURCES]),
  rpm: BindingLimit,
  tpm: BindingLimit,
})

/** A caller's own limits, and what limits it at each model. Null: nothing does. */
const Limits = Type.Object({
  object: Type.Literal('limits'),
  account: Type.Object({ tier: Type.String(), ...ownLimits }),
  key: OwnLimits,
  models: Type.Array(ModelLimits),
})

const EXAMPLE: Static<typeof Limits> = {
  object: 'limits',
  account: {
    tier: 'Starter',
    rpm: 60,
    tpm: null,
    requests: { remaining: 59, reset_seconds: 60 },
    tokens: null,
  },
  key: { rpm: null, tpm: null, requests: null, tokens: null },
  models: [{ id: 'sandbox-chat', source: 'shared', rpm: { value: 60, constraint: 'account' }, tpm: null }],
}

export const showLimitsContract: Contract = {
  id: 'showLimits',
  tag: 'Models',
  summary: 'Show the limits of this key and what sets them',
  access: 'key',
  parameters: [{ name: 'model', in: 'query', description: 'Only this model.' }],
  answer: {
    description: 'The limits of account and key now, and what limits each model.',
    name: 'Limits',
    schema: Limits,
    example: EXAMPLE,
  },
}

/** "Why is my limit this?": the caller's own limits and windows, and for each model the limit that binds. */
export function showLimits(exchange: Exchange, gateway: Gateway): Promise<Reply> {
  const wanted = exchange.query.get('model')
  return lookUp(exchange, gateway, (caller) => {
    const targets = wanted === null ? availableModels(caller) : [availableModel(caller, wanted)]
    const tier = effectiveTier(caller.account, gateway.clock.nowMs(), caller.snapshot.tiers)
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

function describeOwn(
  admissions: Admissions,
  windows: readonly WindowDemand[],
  { rpm, tpm }: RateLimits,
): Static<typeof OwnLimits> {
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
function describeModel(caller: Caller, target: Target): Static<typeof ModelLimits> {
  const { rpm, tpm } = limitOf(caller, target)
  return { id: nameOf(target), source: sourceOf(target.routes), rpm, tpm }
}
