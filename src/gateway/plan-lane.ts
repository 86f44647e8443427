import type { Protocol } from '../protocols/protocol.ts'
import type { Candidate } from '../rules/routing/order-candidates.ts'
import { fitTraits } from '../vocabulary/traits.ts'
import type { Admission } from './admission.ts'
import { chooseLane } from './choose-lane.ts'
import type { Gateway } from './gateway.ts'
import type { LanePlan } from './lane-plan.ts'
import { planRelay } from './relay.ts'
import {
  planTranslation,
  type ReplySides,
  type TranslationParts,
  unfoldReply,
} from './translate/translate.ts'

/** What to send to this candidate. Throws a GatewayError when what the client wants cannot be said to it. */
export async function planLane(
  admission: Admission,
  candidate: Candidate,
  gateway: Gateway,
): Promise<LanePlan> {
  const { protocol, request } = admission.asking
  const lane = chooseLane(protocol, request, candidate.route)
  if (lane === null) throw new Error('a candidate without a lane')
  const parts = { admission, candidate, gateway }
  if (lane.type === 'relay') {
    return planRelay({
      protocol,
      request,
      upstreamModel: candidate.route.route.upstreamModel,
      unfoldReply: (text) => unfoldReply(text, sidesFor(protocol, parts)),
    })
  }
  return await planTranslation(translationParts(lane.protocol, parts))
}

/**
 * What to send to a candidate that has refused the signatures in the history: the same without them. It is translated
 * even where it could be relayed, since the client's bytes hold what was refused.
 */
export function planWithoutProofs(refused: LanePlan, parts: LaneParts): Promise<LanePlan> {
  return planTranslation({ ...translationParts(refused.supplierProtocol, parts), isProofless: true })
}

function translationParts(protocol: Protocol, parts: LaneParts): TranslationParts {
  const { exchange, caller } = parts.admission.asking
  return {
    ...sidesFor(protocol, parts),
    supplierProtocol: protocol,
    accountId: caller.account.id,
    memory: parts.gateway.thinking,
    fetchImage: (url) => parts.gateway.fetchImage(url, exchange),
    isStrict: exchange.headers.get('x-gateway-strict') === 'true',
    isProofless: false,
  }
}

export interface LaneParts {
  readonly admission: Admission
  readonly candidate: Candidate
  readonly gateway: Gateway
}

/** Both sides of a translation and what each needs to know. */
function sidesFor({ supplier }: Protocol, { admission, candidate, gateway }: LaneParts): ReplySides {
  const { exchange, target, request } = admission.asking
  return {
    client: request.client,
    supplier,
    supply: {
      upstreamModel: candidate.route.route.upstreamModel,
      route: candidate.route.supplier.id,
      traits: fitTraits(supplier.traits, target.model.capabilities),
      outputTokenLimit: target.model.outputTokenLimit,
    },
    reply: {
      requestId: exchange.requestId,
      model: target.model.id,
      createdAtMs: gateway.clock.nowMs(),
      promptTokens: admission.promptTokens,
      newId: gateway.newId,
    },
  }
}
