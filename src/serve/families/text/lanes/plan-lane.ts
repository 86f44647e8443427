import type { SupplierFailure } from '../../../../errors/supplier-failure.ts'
import type { ClientRequest, Protocol } from '../../../../protocols/protocol.ts'
import { saysProofRefused } from '../../../../protocols/supplier-error.ts'
import type { Candidate } from '../../../../rules/routing/candidate.ts'
import { quirksOf } from '../../../../suppliers/index.ts'
import { fitTraits, type Traits } from '../../../../vocabulary/runtime/traits.ts'
import type { Admission } from '../../../admission/admission.ts'
import type { PreparedText } from '../../../admission/prepared-request.ts'
import type { PlanFor } from '../../../delivery/candidate-queue.ts'
import type { Gateway } from '../../../gateway.ts'
import { planTranslation, type ReplySides, retell, type TranslationParts, unfoldReply } from '../translate/translate.ts'
import { chooseLane } from './choose-lane.ts'
import { changedPlan, type LaneParts, type LanePlan, type WholeReply } from './lane-plan.ts'
import { planMending, type RelayLane, RelayPlan } from './relay.ts'
import { isStrict, leaveOutRefused, planWithoutRefused } from './strip-parameters.ts'

/** How requests between text formats are planned, and mended when a supplier says how. */
export function planText(admission: Admission<PreparedText>, gateway: Gateway): PlanFor {
  return (candidate) => {
    const lane = new TextLane(admission, candidate, gateway)
    const plan = planLane(lane)
    return plan instanceof Promise ? plan.then((planned) => mendable(planned, lane)) : mendable(plan, lane)
  }
}

/** The way to one candidate. */
class TextLane implements LaneParts, RelayLane {
  readonly admission: Admission<PreparedText>
  readonly candidate: Candidate
  readonly gateway: Gateway

  constructor(admission: Admission<PreparedText>, candidate: Candidate, gateway: Gateway) {
    this.admission = admission
    this.candidate = candidate
    this.gateway = gateway
  }

  get protocol(): Protocol {
    return this.admission.prepared.protocol
  }

  get request(): ClientRequest {
    return this.admission.prepared.request
  }

  get upstreamModel(): string {
    return this.candidate.route.route.upstreamModel
  }

  unfoldReply(text: string): WholeReply | null {
    return unfoldReply(text, sidesFor(this.protocol, this))
  }

  /**
   * A supplier may not know the signatures of another one (a conversation may move between suppliers of one format), or
   * may not take a parameter.
   */
  async mend(failure: SupplierFailure, refused: LanePlan): Promise<LanePlan | null> {
    if (saysProofRefused(failure.message)) return planWithoutProofs(refused, this)
    return planWithoutRefused(failure, refused, this)
  }
}

function mendable(plan: LanePlan, lane: TextLane): LanePlan {
  if (plan instanceof RelayPlan) return plan
  return changedPlan(plan, { mend: (failure) => lane.mend(failure, plan) })
}

/** What to send to this candidate. Throws a GatewayError when what the client wants cannot be said to it. */
function planLane(parts: TextLane): LanePlan | Promise<LanePlan> {
  const lane = chooseLane(parts.protocol, parts.request, parts.candidate.route)
  if (lane === null) throw new Error('a candidate without a lane')
  switch (lane.type) {
    case 'relay':
      return leaveOutRefused(new RelayPlan(parts), parts)
    case 'mend':
      return leaveOutRefused(mendingPlan(parts), parts)
    case 'translate':
      return planTranslation(translationParts(lane.protocol, parts)).then((plan) =>
        leaveOutRefused(plan, parts),
      )
  }
}

/**
 * What to send to a candidate that has refused the signatures in the history: the same without them. It is translated
 * even where it could be relayed, since the client's bytes hold what was refused.
 */
export async function planWithoutProofs(refused: LanePlan, parts: LaneParts): Promise<LanePlan> {
  const plan = await planTranslation({
    ...translationParts(refused.supplierProtocol, parts),
    isProofless: true,
  })
  return leaveOutRefused(plan, parts)
}

function mendingPlan(parts: LaneParts): LanePlan {
  const { protocol, request, caller } = parts.admission.prepared
  const sides = sidesFor(protocol, parts)
  const { upstreamModel, traits } = sides.supply
  const kept = traits.needsReasoningContent ? 'every' : 'signed'
  const retelling = retell({
    ...sides,
    isStreamed: request.facts.stream,
    streamedChoices: request.facts.choices,
    openSteps: () => [parts.gateway.thinking.watch(caller.account.id, kept)],
  })
  return planMending({ protocol, request, upstreamModel, ...retelling })
}

function translationParts(protocol: Protocol, parts: LaneParts): TranslationParts {
  const { exchange, caller, bodyCharacters } = parts.admission.prepared
  return {
    ...sidesFor(protocol, parts),
    bodyCharacters,
    supplierProtocol: protocol,
    accountId: caller.account.id,
    memory: parts.gateway.thinking,
    fetchImage: (url) =>
      parts.gateway.fetchImage(url, {
        onLeave: (listener) => exchange.onLeave(listener),
        remainingMs: () => parts.admission.remainingMs(),
      }),
    isStrict: isStrict(exchange),
    isProofless: false,
  }
}

/** Both sides of a translation and what each needs to know. */
function sidesFor(protocol: Protocol, { admission, candidate, gateway }: LaneParts): ReplySides {
  const { exchange, target, request } = admission.prepared
  return {
    client: request.client,
    supplier: protocol.supplier,
    supply: {
      upstreamModel: candidate.route.route.upstreamModel,
      route: candidate.route.supplier.id,
      traits: traitsOf(protocol, { admission, candidate, gateway }),
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

/** What its supplier lacks, no model has there. */
function traitsOf({ name, supplier }: Protocol, { admission, candidate }: LaneParts): Traits {
  const ofModel = fitTraits(supplier.traits, admission.prepared.target.model.capabilities)
  const quirks = quirksOf(candidate.route.supplier, name)
  return quirks === null ? ofModel : { ...ofModel, ...quirks.traits }
}
