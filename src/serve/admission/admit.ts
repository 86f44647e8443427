import { GatewayError } from '../../errors/gateway-error.ts'
import { holdFor } from '../../rules/ledger/charge.ts'
import { estimatePromptTokens, estimateTokens } from '../../rules/limits/window.ts'
import type { HeaderFields } from '../../wire/http-answer.ts'
import type { Gateway } from '../gateway.ts'
import type { Decision, Refusal } from '../ports/admissions.ts'
import { Admission, type AdmissionParts, unwritableError } from './admission.ts'
import { limitHeaders, ownWindows, rateLimitError } from './own-limits.ts'
import type { PreparedRequest } from './prepared-request.ts'
import { ConfigurationChanged } from './retry-on-config-change.ts'

/** Takes request window, token window and spending hold in one step, or refuses and takes nothing. */
export function admit<Kind extends PreparedRequest>(
  prepared: Kind,
  gateway: Gateway,
): Admission<Kind> | Promise<Admission<Kind>> {
  const { caller, target } = prepared
  const { facts } = prepared.request
  // What cannot be written into the books must not be spent.
  const unwritable = gateway.journal.refusal()
  if (unwritable !== null) throw unwritableError(unwritable)
  const promptTokens = estimatePromptTokens(facts)
  // Spec 8.4: a request for pictures carries no token estimate.
  const tokens = facts.images === undefined ? estimateTokens(facts) : null
  const windows = ownWindows(caller, { requests: 1, tokens })
  const holdNano = holdFor(
    {
      promptTokens,
      maxOutputTokens: facts.maxOutputTokens,
      modelOutputLimit: target.model.outputTokenLimit,
      choices: facts.choices,
      images: facts.images ?? 0,
    },
    target.routes,
  )
  const conversation = conversationOf(prepared)
  const decision = gateway.admissions.admit({
    requestId: prepared.exchange.requestId,
    accountId: caller.account.id,
    keyId: caller.key.id,
    configurationVersion: caller.snapshot.version,
    conversation,
    windows,
    hold: {
      amountNano: holdNano,
      creditLineNano: caller.account.creditLineNano,
      usageLimit: caller.key.usageLimit,
    },
  })
  const parts = { prepared, gateway, windows, conversation, promptTokens, tokens: tokens ?? 0, holdNano }
  return decision instanceof Promise ? decision.then((made) => letIn(made, parts)) : letIn(decision, parts)
}

function letIn<Kind extends PreparedRequest>(
  decision: Decision,
  parts: AdmissionParts<Kind>,
): Admission<Kind> {
  if (decision === null) return new Admission(parts)
  const { prepared, gateway, windows } = parts
  if (decision.reason === 'key-spending-limit') gateway.alerts.noteKeyRefused(prepared.caller.key.id)
  if (decision.reason === 'configuration-changed') throw new ConfigurationChanged()
  throw refusalError(decision).withHeaders(limitHeaders(gateway.admissions, windows))
}

function refusalError(refusal: Exclude<Refusal, { reason: 'configuration-changed' }>): GatewayError {
  switch (refusal.reason) {
    case 'window':
      return rateLimitError(refusal.window, refusal.retryAfterSeconds)
    case 'key-spending-limit':
      return new GatewayError(
        'spending_limit_exceeded',
        'What this request may cost does not fit in what is left of the spending limit of this API key.',
      )
    case 'balance':
      return new GatewayError(
        'spending_limit_exceeded',
        'What this request may cost does not fit in the balance of this account.',
      )
    case 'unavailable':
      return new GatewayError('temporarily_unavailable', refusal.message)
  }
}

/** Headers in which agents name the session they are in. */
const SESSION_HEADERS = ['x-session-id', 'session_id', 'session-id', 'x-claude-code-session-id'] as const

/**
 * What the turns of a conversation have in common, so that they can stay together: an id that says nothing about it, and
 * that no other key shares. Null when nothing is known, or when there is nothing to choose from.
 */
function conversationOf(prepared: PreparedRequest): string | null {
  if (!hasChoice(prepared)) return null
  const { exchange, request, caller } = prepared
  const name = sessionOf(exchange.headers) ?? request.conversationHint()
  if (name === null) return null
  return `${caller.key.id}:${Bun.hash(name).toString(36)}`
}

function sessionOf(headers: HeaderFields): string | null {
  for (const name of SESSION_HEADERS) {
    const value = headers.get(name)
    if (value !== null && value !== '') return value
  }
  return null
}

function hasChoice({ target }: PreparedRequest): boolean {
  const { routes } = target
  return routes.length > 1 || (routes[0]?.credentials.length ?? 0) > 1
}
