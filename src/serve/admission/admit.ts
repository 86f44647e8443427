import { GatewayError } from '../../errors/gateway-error.ts'
import { markupFor } from '../../rules/accounts/mark-ups.ts'
import {
  affordableOutput,
  type HoldBasis,
  holdFor,
  largestPrompt,
  mostOutputTokens,
} from '../../rules/ledger/hold.ts'
import { estimatePromptTokens, estimateTokens } from '../../rules/limits/window.ts'
import type { NanoUsdt } from '../../vocabulary/money.ts'
import { isPending, type MaybePromise } from '../../vocabulary/runtime/maybe-promise.ts'
import { isStrict } from '../delivery/call-plan.ts'
import type { Gateway } from '../gateway.ts'
import type { AdmissionRefusal, HoldDecision } from '../ports/admissions.ts'
import { Admission, type AdmissionParts, type Ration, unwritableError } from './admission.ts'
import { authenticateNow, readChanges, unreadable } from './authenticate.ts'
import { GrowingHold } from './growing-hold.ts'
import { limitHeaders, ownWindows, rateLimitError } from './own-limits.ts'
import {
  type Caller,
  type IncomingRequest,
  isBounded,
  type PreparedRequest,
  priceableTokens,
  type Target,
} from './prepared-request.ts'
import { mostServerCalls } from './server-tools.ts'
import { readSessionIds } from './session-ids.ts'

/** Takes request window, token window and spending hold in one step, or refuses and takes nothing. */
export function admit<Prepared extends PreparedRequest>(
  prepared: Prepared,
  gateway: Gateway,
): MaybePromise<Admission<Prepared>> {
  const { caller, target } = prepared
  const { facts } = prepared.request
  prepared.exchange.modelId = target.model.id
  requireJournal(gateway)
  const mayRunOut = isBounded(caller)
  const tokensByCharacters = estimatePromptTokens(facts)
  const promptTokens = mayRunOut ? priceableTokens(prepared) : tokensByCharacters
  // Spec 8.4: a request for images carries no token estimate.
  const tokens = facts.images === undefined ? (facts.windowTokens ?? estimateTokens(facts)) : null
  const windows = ownWindows(caller, { requests: 1, tokens })
  const startedAtMs = gateway.clock.nowMs()
  const markupBasisPoints = markupOf(prepared, target, startedAtMs)
  const basis: HoldBasis = {
    promptTokens,
    maxPromptTokens: largestPrompt(promptTokens, tokensByCharacters),
    maxOutputTokens: facts.maxOutputTokens,
    modelOutputLimit: target.model.outputTokenLimit,
    choices: facts.choices,
    images: facts.images ?? facts.inlineImages ?? 0,
    toolCalls: mayRunOut ? mostServerCalls(prepared) : 0,
    imageSize: facts.imageSize,
    imageQuality: facts.imageQuality,
    units: facts.units,
    startedAtMs,
    markupBasisPoints,
  }
  const holdNano = mostOver(prepared, basis)
  const sessionIds = readSessionIds(prepared.exchange.headers)
  const conversation = isChoice(target) ? conversationOf(prepared, sessionIds.session) : null
  const decision = gateway.admissions.admit({
    requestId: prepared.exchange.requestId,
    accountId: caller.account.id,
    keyId: caller.key.id,
    configurationVersion: caller.snapshot.version,
    conversation,
    windows,
    hold: {
      amountNano: holdNano,
      ...(mayRunOut && leastHold(prepared, basis)),
      creditLineNano: caller.account.creditLineNano,
      usageLimit: caller.key.usageLimit,
    },
  })
  const parts = {
    prepared,
    gateway,
    windows,
    sessionIds,
    conversation,
    promptTokens,
    maxPromptTokens: basis.maxPromptTokens,
    tokens: tokens ?? 0,
    holdNano,
    markupBasisPoints,
  }
  if (decision === null) return new Admission(parts)
  if (!isPending(decision)) return conclude(decision, parts, basis)
  return decision.then((decided) => conclude(decided, parts, basis))
}

function markupOf({ caller }: PreparedRequest, { model }: Target, atMs: number): number | null {
  return caller.snapshot.markUps === null ? null : markupFor(caller, model.id, atMs)
}

/** The same for a later model of an alias. */
function basisOver(step: Target, prepared: PreparedRequest, basis: HoldBasis): HoldBasis {
  const markupBasisPoints = markupOf(prepared, step, basis.startedAtMs)
  return { ...basis, modelOutputLimit: step.model.outputTokenLimit, markupBasisPoints }
}

/** The most that a request can cost, whichever model of an alias answers. */
function mostOver(prepared: PreparedRequest, basis: HoldBasis): NanoUsdt {
  const { routes, next } = prepared.target
  let most = holdFor(basis, routes)
  for (let step = next; step !== undefined; step = step.next) {
    const amountNano = holdFor(basisOver(step, prepared, basis), step.routes)
    if (amountNano > most) most = amountNano
  }
  return most
}

/** How many output tokens an amount pays for, whichever model of an alias answers. */
function affordableOver(amountNano: NanoUsdt, prepared: PreparedRequest, basis: HoldBasis): number {
  const { routes, next } = prepared.target
  let least = affordableOutput(amountNano, basis, routes)
  for (let step = next; step !== undefined; step = step.next) {
    least = Math.min(least, affordableOutput(amountNano, basisOver(step, prepared, basis), step.routes))
  }
  return least
}

/** What a request costs must be written down before it is answered. */
function requireJournal({ journal }: Gateway): void {
  const unwritable = journal.refusal()
  if (unwritable !== null) throw unwritableError(unwritable)
}

// A stream goes on as soon as more can be held. A shorter whole reply than this is of no use.
const LEAST_STREAMED_TOKENS = 16
const LEAST_REPLY_TOKENS = 256

/** What must at least be held for the request to be served; nothing when all of it must be. */
function leastHold(prepared: PreparedRequest, basis: HoldBasis) {
  const { exchange, request } = prepared
  const { images, stream, choices, isHeldWhole } = request.facts
  if (images !== undefined || isHeldWhole || isStrict(exchange)) return {}
  const least = stream && choices === 1 ? LEAST_STREAMED_TOKENS : LEAST_REPLY_TOKENS
  const shortest = { ...basis, maxOutputTokens: Math.min(least, mostOutputTokens(basis)) }
  return { leastNano: mostOver(prepared, shortest) }
}

function conclude<Prepared extends PreparedRequest>(
  decision: HoldDecision,
  parts: AdmissionParts<Prepared>,
  basis: HoldBasis,
): Admission<Prepared> {
  if (decision === null) return new Admission(parts)
  if (decision.reason !== 'partial-hold') return refuse(decision, parts)
  const { heldNano } = decision
  return new Admission({ ...parts, holdNano: heldNano, ration: rationOf(heldNano, parts, basis) })
}

function rationOf(heldNano: NanoUsdt, { prepared, gateway }: AdmissionParts, basis: HoldBasis): Ration {
  const { exchange, caller, request } = prepared
  const { stream, choices } = request.facts
  // Suppliers that give one answer per call give whole ones.
  if (!stream || choices > 1) {
    return { hold: null, maxOutputTokens: affordableOver(heldNano, prepared, basis) }
  }
  const owner = {
    requestId: exchange.requestId,
    accountId: caller.account.id,
    keyId: caller.key.id,
    creditLineNano: caller.account.creditLineNano,
    usageLimit: caller.key.usageLimit,
  }
  return { hold: new GrowingHold(heldNano, owner, gateway.admissions), maxOutputTokens: null }
}

function refuse(refusal: AdmissionRefusal, { prepared, gateway, windows }: AdmissionParts): never {
  if (refusal.reason === 'key-spending-limit') gateway.alerts.noteKeyRefused(prepared.caller.key.id)
  if (refusal.reason === 'configuration-changed') throw new ConfigurationChanged()
  throw refusalError(refusal).withHeaders(limitHeaders(gateway.admissions, windows))
}

function refusalError(refusal: Exclude<AdmissionRefusal, { reason: 'configuration-changed' }>): GatewayError {
  switch (refusal.reason) {
    case 'window':
      return rateLimitError(refusal.window, refusal.retryAfterSeconds)
    case 'key-spending-limit':
      return new GatewayError(
        'spending_limit_exceeded',
        'What this request may cost does not fit in what is left of the spending limit of this API key.',
        { limit: 'key_spending' },
      )
    case 'balance':
      return new GatewayError(
        'spending_limit_exceeded',
        'What this request may cost does not fit in the balance of this account.',
        { limit: 'balance' },
      )
    case 'unavailable':
      return new GatewayError('temporarily_unavailable', refusal.message)
  }
}

/** Whether more than one candidate can serve the request. */
function isChoice({ routes }: Target): boolean {
  return routes.length > 1 || (routes[0]?.credentials.length ?? 0) > 1
}

/**
 * An id that all turns of a conversation share, so that they can stay with one credential. It says nothing about the
 * conversation, and no other key has the same one. Null when nothing is known.
 */
function conversationOf({ request, caller }: PreparedRequest, session: string | null): string | null {
  const name = session ?? request.conversationHint()
  return name === null ? null : `${caller.key.id}:${Bun.hash(name).toString(36)}`
}

/** Another node has changed the configuration since this request was judged; nothing was taken for it. */
export class ConfigurationChanged extends Error {}

// Each turn sees a newer configuration than the one before; changes do not come faster than this.
const MAX_TURNS = 20
// All turns together take half a second.
const TURN_INTERVAL_MS = 25

type Decide<Result> = (caller: Caller) => MaybePromise<Result>

/**
 * Judges a request by the newest configuration, whichever node made it. A body may take a minute to arrive; changes
 * that an operator makes meanwhile, such as revoking the key, apply. Changes of other nodes are noticed by the admission
 * or read before a refusal: reading them first would cost every request a round trip.
 */
export function retryOnConfigChange<Result>(
  first: Caller,
  incoming: IncomingRequest,
  decide: Decide<Result>,
): MaybePromise<Result> {
  const caller = newest(first, incoming)
  try {
    const result = decide(caller)
    if (!isPending(result)) return result
    return result.catch((problem: unknown) => retry({ caller, problem }, incoming, decide))
  } catch (problem) {
    return retry({ caller, problem }, incoming, decide)
  }
}

/** The result of judging by a configuration that may not be the newest. */
interface FailedDecision {
  readonly caller: Caller
  readonly problem: unknown
}

async function retry<Result>(
  failed: FailedDecision,
  incoming: IncomingRequest,
  decide: Decide<Result>,
): Promise<Result> {
  let { caller, problem } = failed
  for (let turn = 1; turn <= MAX_TURNS; turn += 1) {
    if (!mayDependOnConfiguration(problem)) throw problem
    await readChanges(incoming.gateway)
    if (incoming.gateway.snapshot() === caller.snapshot) {
      if (!(problem instanceof ConfigurationChanged)) throw problem
      // There is a newer configuration, but it cannot be read yet. Nothing was taken, so the request may wait.
      await new Promise((resolve) => setTimeout(resolve, TURN_INTERVAL_MS))
    }
    if (turn === MAX_TURNS) break
    caller = newest(caller, incoming)
    try {
      return await decide(caller)
    } catch (thrown) {
      problem = thrown
    }
  }
  throw unreadable()
}

function newest(before: Caller, { exchange, gateway }: IncomingRequest): Caller {
  return gateway.snapshot() === before.snapshot ? before : authenticateNow(exchange, gateway)
}

/** Refusals that follow from what was counted, whatever the configuration says. */
const COUNTED: readonly string[] = [
  'rate_limit_exceeded',
  'spending_limit_exceeded',
  'temporarily_unavailable',
]

function mayDependOnConfiguration(problem: unknown): boolean {
  if (problem instanceof ConfigurationChanged) return true
  return problem instanceof GatewayError && !COUNTED.includes(problem.code)
}
