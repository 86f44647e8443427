import { textDensity } from '../../conversation/token-estimate.ts'
import type { Usage } from '../../conversation/usage.ts'
import type { BodyRecorder } from '../../manage/ports/console.ts'
import type { ClientRequest, Protocol } from '../../protocols/protocol.ts'
import type { KeyHolder } from '../../rules/access/api-keys.ts'
import type { ModelCatalog } from '../../rules/catalog/names.ts'
import { pricedPromptTokens } from '../../rules/limits/window.ts'
import type { EligibleRoute } from '../../rules/routing/eligible-routes.ts'
import type { RateLimits } from '../../vocabulary/account.ts'
import type { Snapshot } from '../../vocabulary/runtime/snapshot.ts'
import type { AdmissionRecord } from '../../vocabulary/settlement.ts'
import type { Model } from '../../vocabulary/supply.ts'
import { tryParseJson } from '../../wire/json-values.ts'
import type { Gateway } from '../gateway.ts'
import type { Exchange, Reply } from '../ports/exchange.ts'

/** A request that has arrived, and the gateway that serves it. */
export interface IncomingRequest {
  readonly exchange: Exchange
  readonly gateway: Gateway
}

/** An authenticated client, and the configuration that applies to its request. */
export interface Caller extends KeyHolder {
  readonly limits: RateLimits
  readonly snapshot: Snapshot
  /** What is known of models that have no record. */
  readonly catalog?: ModelCatalog | undefined
}

/** The model a request names, and the routes that can serve the request. */
export interface Target {
  readonly model: Model
  readonly routes: readonly EligibleRoute[]
  /** What the client asked for, when that is an alias. */
  readonly alias?: string
  /** For an alias of several models: the one to try when this one has not answered. */
  readonly next?: Target
}

/** The model as the client knows it. */
export function nameOf({ alias, model }: Target): string {
  return alias ?? model.id
}

/** The model that is reached over this route; an alias may lead to several. */
export function modelOver(target: Target, { route }: EligibleRoute): Model {
  for (let step: Target | undefined = target; step !== undefined; step = step.next) {
    if (step.model.id === route.modelId) return step.model
  }
  return target.model
}

/** Every model that may be tried, in order. */
export function stepsOf(target: Target): readonly Target[] {
  if (target.next === undefined) return [target]
  return [target, ...stepsOf(target.next)]
}

/** The routes to every model that may be tried. */
export function routesOf(target: Target): readonly EligibleRoute[] {
  return target.next === undefined ? target.routes : stepsOf(target).flatMap(({ routes }) => routes)
}

/**
 * Prepares each model of a target for a request. A model of an alias that cannot serve it is left out; the target is
 * refused when none is left.
 */
export function fitTarget(target: Target, fit: (step: Target) => Target): Target {
  const { alias } = target
  if (alias === undefined) return fit(target)
  const fitting: Target[] = []
  let refusal: unknown = null
  for (const { model, routes } of stepsOf(target)) {
    try {
      fitting.push(fit({ model, routes, alias }))
    } catch (problem) {
      refusal ??= problem
    }
  }
  if (fitting.length === 0) throw refusal
  return chain(fitting)
}

/** The first of these models, and after each the next one to try. */
export function chain(steps: readonly Target[]): Target {
  const [first, ...others] = steps
  if (first === undefined) throw new Error('a target needs a model')
  return others.length === 0 ? first : { ...first, next: chain(others) }
}

/** Stores a whole reply for later requests, before its last byte leaves. Fails only where its loss would go unnoticed. */
export type KeepReply = (reply: unknown) => Promise<void>

/** Makes the reply of an admitted request in the background. */
export interface BackgroundStart {
  /** The client may leave; this goes on. */
  readonly exchange: Exchange
  /** Answers at once. Throws when nothing was begun; else `deliver` is called, which settles the request. */
  start(admission: AdmissionRecord, deliver: () => Promise<Reply>): Promise<Reply>
}

/** A request that is ready for admission. */
export interface PreparedRequest {
  readonly exchange: Exchange
  readonly protocol: Pick<Protocol, 'name' | 'heartbeat' | 'breaksOffAfterError' | 'generatedText'> &
    Partial<Pick<Protocol, 'outputLimitName'>>
  readonly caller: Caller
  readonly request: Pick<ClientRequest, 'facts' | 'conversationHint' | 'streamContentType'> &
    Partial<Pick<ClientRequest, 'client'>>
  readonly target: Target
  /** The whole body, including the conversation that it continues; absent when it is not JSON. */
  readonly bodyText?: string
  /** Of the prompt, by the estimate for money; null where nothing bounds it, so that it may never be needed. */
  readonly tokensPerCharacter: number | null
  /** For formats whose replies are stored. */
  readonly keepReply?: KeepReply | undefined
  readonly background?: BackgroundStart | undefined
  /** True for a request that compacts a conversation, which its settlement notes. */
  readonly isCompaction?: boolean
  /** What is owed for a request that the supplier has received and the client gave up; estimated when absent. */
  readonly owedIfAbandoned?: Usage
  /** For accounts that store request and response bodies. */
  readonly bodies?: BodyRecorder | null
}

/** Whether a balance or a spending limit bounds what the caller spends. */
export function isBounded({ account, key }: Caller): boolean {
  return account.creditLineNano !== null || key.usageLimit !== null
}

/** The tokens of the prompt, by the estimate for money. */
export function priceableTokens({ request, bodyText = '', tokensPerCharacter }: PreparedRequest): number {
  return pricedPromptTokens(request.facts, tokensPerCharacter ?? textDensity(tryParseJson(bodyText)))
}
