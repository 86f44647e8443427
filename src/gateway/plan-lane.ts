import type { ClientRequest, Protocol } from '../protocols/protocol.ts'
import type { ReplyContext, SupplierSide, SupplyContext } from '../protocols/translation.ts'
import type { Candidate } from '../rules/routing/order-candidates.ts'
import { fitTraits } from '../vocabulary/traits.ts'
import type { Admission } from './admission.ts'
import { chooseLane } from './choose-lane.ts'
import type { Gateway } from './gateway.ts'
import type { LanePlan, WholeReply } from './lane-plan.ts'
import { planRelay } from './relay.ts'
import { planTranslation, unfoldReply } from './translate/translate.ts'

/** What to send to this candidate. Throws a GatewayError when what the client wants cannot be said to it. */
export async function planLane(
  admission: Admission,
  candidate: Candidate,
  gateway: Gateway,
): Promise<LanePlan> {
  const { protocol, request, exchange, caller } = admission.asking
  const lane = chooseLane(protocol, request, candidate.route)
  if (lane === null) throw new Error('a candidate without a lane')
  const contexts = (supplier: SupplierSide) => contextsFor(supplier, { admission, candidate, gateway })
  if (lane.type === 'relay') {
    return planRelay({
      protocol,
      request,
      upstreamModel: candidate.route.route.upstreamModel,
      unfoldReply: (text) => unfoldRelayed(text, { protocol, request, contexts }),
    })
  }
  return await planTranslation({
    ...contexts(lane.supplier),
    client: lane.client,
    supplierProtocol: lane.protocol,
    supplier: lane.supplier,
    accountId: caller.account.id,
    memory: gateway.thinking,
    fetchImage: (url) => gateway.fetchImage(url, exchange),
    isStrict: exchange.headers.get('x-gateway-strict') === 'true',
  })
}

interface Contexts {
  readonly supply: SupplyContext
  readonly reply: ReplyContext
}

interface LaneParts {
  readonly admission: Admission
  readonly candidate: Candidate
  readonly gateway: Gateway
}

function contextsFor(supplier: SupplierSide, { admission, candidate, gateway }: LaneParts): Contexts {
  const { exchange, target } = admission.asking
  return {
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

interface RelayedReply {
  readonly protocol: Protocol
  readonly request: ClientRequest
  readonly contexts: (supplier: SupplierSide) => Contexts
}

function unfoldRelayed(text: string, { protocol, request, contexts }: RelayedReply): WholeReply | null {
  if (request.client === undefined || protocol.supplier === undefined) return null
  const { client } = request
  const { supplier } = protocol
  return unfoldReply(text, { client, supplier, ...contexts(supplier) })
}
