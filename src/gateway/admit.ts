import { GatewayError } from '../errors/gateway-error.ts'
import type { ClientRequest, Protocol } from '../protocols/protocol.ts'
import { holdFor } from '../rules/ledger/price.ts'
import { estimatePromptTokens, estimateTokens } from '../rules/limits/estimate.ts'
import { Admission } from './admission.ts'
import type { Caller } from './authenticate.ts'
import { conversationOf } from './conversation-name.ts'
import type { Target } from './find-model.ts'
import type { Gateway } from './gateway.ts'
import { ConfigurationChanged } from './judge.ts'
import { limitHeaders, ownWindows, rateLimitError } from './own-limits.ts'
import type { Refusal } from './ports/admissions.ts'
import type { BodyRecorder } from './ports/console.ts'
import type { Exchange } from './ports/exchange.ts'

/** What is asked of a model, as far as it is the same for words and for pictures. */
export interface Asking {
  readonly exchange: Exchange
  readonly protocol: Pick<Protocol, 'name' | 'heartbeat' | 'breaksOffAfterError'>
  readonly caller: Caller
  readonly request: Pick<ClientRequest, 'facts' | 'conversationHint' | 'streamContentType'>
  readonly target: Target
  /** For formats whose replies are kept: called with the whole reply before its last byte leaves. Never fails. */
  readonly keepReply?: (reply: unknown) => Promise<void>
  /** For accounts that want to read later what was said. */
  readonly bodies?: BodyRecorder | null
}

export interface TextAsking extends Asking {
  readonly protocol: Protocol
  readonly request: ClientRequest
}

/** Takes request window, token window and spending hold in one step, or refuses and takes nothing. */
export async function admit<Kind extends Asking>(asking: Kind, gateway: Gateway): Promise<Admission<Kind>> {
  const { caller, target, request } = asking
  // What cannot be written into the books must not be spent.
  const overfull = gateway.journal.refusal()
  if (overfull !== null) throw new GatewayError('temporarily_unavailable', overfull)
  const promptTokens = estimatePromptTokens(request.facts)
  // Spec 8.4: a request for pictures carries no token estimate.
  const tokens = request.facts.images === undefined ? estimateTokens(request.facts) : null
  const windows = ownWindows(caller, { requests: 1, tokens })
  const holdNano = holdFor(
    {
      promptTokens,
      maxOutputTokens: request.facts.maxOutputTokens,
      modelOutputLimit: target.model.outputTokenLimit,
      choices: request.facts.choices,
      images: request.facts.images ?? 0,
    },
    target.routes.map((route) => route.price),
  )
  const conversation = conversationOf(asking)
  const refusal = await gateway.admissions.admit({
    requestId: asking.exchange.requestId,
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
  if (refusal?.reason === 'key-spending-limit') gateway.alerts.noteKeyRefused(caller.key.id)
  if (refusal?.reason === 'configuration-changed') throw new ConfigurationChanged()
  if (refusal !== null) throw refusalError(refusal).withHeaders(limitHeaders(gateway.admissions, windows))
  return new Admission({
    asking,
    gateway,
    windows,
    conversation,
    promptTokens,
    tokens: tokens ?? 0,
    holdNano,
  })
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
