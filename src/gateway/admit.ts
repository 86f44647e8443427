import { GatewayError } from '../errors/gateway-error.ts'
import type { ClientRequest, Protocol } from '../protocols/protocol.ts'
import { holdFor } from '../rules/ledger/price.ts'
import { estimatePromptTokens, estimateTokens } from '../rules/limits/estimate.ts'
import { Admission } from './admission.ts'
import type { Caller } from './authenticate.ts'
import type { Target } from './find-model.ts'
import type { Gateway } from './gateway.ts'
import { limitHeaders, ownWindows, rateLimitError } from './own-limits.ts'
import type { Refusal } from './ports/admissions.ts'
import type { Exchange } from './ports/exchange.ts'

export interface Asking {
  readonly exchange: Exchange
  readonly protocol: Protocol
  readonly caller: Caller
  readonly request: ClientRequest
  readonly target: Target
  /** For formats whose replies are kept: called with the whole reply before its last byte leaves. Never fails. */
  readonly keepReply?: (reply: unknown) => Promise<void>
}

/** Takes request window, token window and spending hold in one step, or refuses and takes nothing. */
export async function admit(asking: Asking, gateway: Gateway): Promise<Admission> {
  const { caller, target, request } = asking
  const promptTokens = estimatePromptTokens(request.facts)
  const tokens = estimateTokens(request.facts)
  const windows = ownWindows(caller, { requests: 1, tokens })
  const holdNano = holdFor(
    {
      promptTokens,
      maxOutputTokens: request.facts.maxOutputTokens,
      modelOutputLimit: target.model.outputTokenLimit,
      choices: request.facts.choices,
    },
    target.routes.map((route) => route.price),
  )
  const refusal = await gateway.admissions.admit({
    requestId: asking.exchange.requestId,
    accountId: caller.account.id,
    keyId: caller.key.id,
    windows,
    hold: {
      amountNano: holdNano,
      creditLineNano: caller.account.creditLineNano,
      usageLimit: caller.key.usageLimit,
    },
  })
  if (refusal !== null) throw refusalError(refusal).withHeaders(limitHeaders(gateway.admissions, windows))
  return new Admission({ asking, gateway, windows, promptTokens, tokens, holdNano })
}

function refusalError(refusal: Refusal): GatewayError {
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
  }
}
