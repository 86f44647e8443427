import { textDensity } from '../../../../conversation/token-estimate.ts'
import { GatewayError } from '../../../../errors/gateway-error.ts'
import type { SupplierFailure } from '../../../../errors/supplier-failure.ts'
import { protocolOf } from '../../../../protocols/index.ts'
import type { ClientRequest, Protocol, StreamTap } from '../../../../protocols/protocol.ts'
import { saysProofRefused } from '../../../../protocols/supplier-error.ts'
import type { OtherSuppliers } from '../../../../protocols/translation.ts'
import { pricedPromptTokens } from '../../../../rules/limits/window.ts'
import type { Candidate } from '../../../../rules/routing/candidate.ts'
import type { EligibleRoute } from '../../../../rules/routing/eligible-routes.ts'
import { quirksOf } from '../../../../suppliers/index.ts'
import type { MaybePromise } from '../../../../vocabulary/runtime/maybe-promise.ts'
import { fitTraits, type Traits } from '../../../../vocabulary/runtime/traits.ts'
import { tryParseJson } from '../../../../wire/json-values.ts'
import { joinPieces, LEAST_PIECED, type TextPieces } from '../../../../wire/pieced-body.ts'
import type { Admission } from '../../../admission/admission.ts'
import { modelOver, nameOf } from '../../../admission/prepared-request.ts'
import { isStrict } from '../../../delivery/call-plan.ts'
import type { Gateway } from '../../../gateway.ts'
import type { PreparedText } from '../prepared-text.ts'
import { planPrompts } from '../translate/several-prompts.ts'
import {
  planTranslation,
  type ReplySides,
  retell,
  type TranslationParts,
  unfoldReply,
} from '../translate/translate.ts'
import { fitBetas, planWithoutBetas, withBetas } from './fit-betas.ts'
import { changedPlan, type LaneParts, type LanePlan, type WholeReply } from './lane-plan.ts'
import { planWithoutRefused, withoutRefused } from './strip-parameters.ts'

/**
 * How bytes travel between client and supplier.
 * - `relay`: the supplier's bytes reach the client untouched; a tap reads usage from a copy.
 * - `mend`: the client's bytes go out as in `relay`; the answer is rewritten, since its clients could not read it.
 * - `translate`: both directions pass through the neutral conversation.
 */
export type Lane =
  | { readonly type: 'relay' }
  | { readonly type: 'mend' }
  /** `protocol` is the format for the supplier. */
  | { readonly type: 'translate'; readonly protocol: Protocol }

const RELAY: Lane = { type: 'relay' }
const MEND: Lane = { type: 'mend' }

/** null when there is no lane between the client's format and those of the supplier. */
export function chooseLane(protocol: Protocol, request: ClientRequest, route: EligibleRoute): Lane | null {
  const speaksSame = route.formats.includes(protocol.name)
  if (speaksSame && request.isRelayable !== false) {
    const quirks = quirksOf(route.supplier, protocol.name)
    if (quirks === null) return RELAY
    if (request.fits?.(quirks) !== false) return quirks.isRetold ? MEND : RELAY
  }
  if (!speaksSame && request.elsewhere instanceof GatewayError) return null
  // The supplier's formats are in its operator's order of preference.
  const formats = speaksSame ? [protocol.name] : route.formats
  for (const format of formats) {
    const other = format === protocol.name ? protocol : protocolOf(format)
    if (other !== undefined) return { type: 'translate', protocol: other }
  }
  return null
}

/** Plans the call to one candidate. Throws a GatewayError when the candidate's format cannot express the request. */
export function planLane(
  admission: Admission<PreparedText>,
  candidate: Candidate,
  gateway: Gateway,
): MaybePromise<LanePlan> {
  const parts = { admission, candidate, gateway }
  const { protocol, request } = admission.prepared
  const chosen = chooseLane(protocol, request, candidate.route)
  const lane = admission.ration === null ? chosen : rationedLane(chosen, protocol)
  switch (lane?.type) {
    case 'relay':
      return mendable(new RelayPlan(parts), parts)
    case 'mend':
      return mendable(withBetas(mendingPlan(parts), parts), parts)
    case 'translate':
      refuseOwnCompaction(lane.protocol, parts)
      return planTranslated(lane.protocol, parts)
    default:
      throw new Error('the candidate has no lane')
  }
}

function planTranslated(protocol: Protocol, parts: LaneParts): Promise<LanePlan> {
  const translation = translationParts(protocol, parts)
  const prompts = otherSuppliers(protocol, parts)?.prompts ?? NO_PROMPTS
  if (prompts.length < 2) return planOne(translation, parts)
  return planPrompts(prompts, translation, (each) => planOne(each, parts))
}

const NO_PROMPTS: OtherSuppliers['prompts'] = []

function planOne(translation: TranslationParts, parts: LaneParts): Promise<LanePlan> {
  return planTranslation(translation).then((plan) => mendable(withBetas(plan, parts), parts))
}

/** Set when the request says differently what suppliers of other formats are asked. */
function otherSuppliers({ name }: Protocol, { admission }: LaneParts): OtherSuppliers | null {
  const { protocol, request } = admission.prepared
  if (name === protocol.name) return null
  const { elsewhere = null } = request
  if (elsewhere instanceof GatewayError) throw elsewhere
  return elsewhere
}

/** Suppliers of other formats compact nothing in passing, and a client that counts on it must know. */
function refuseOwnCompaction({ name }: Protocol, { admission }: LaneParts): void {
  const { protocol, request } = admission.prepared
  const wish = request.ownCompaction ?? null
  if (wish === null || name === protocol.name || admission.promptTokens < wish.fromTokens) return
  const { param } = wish
  const message = `${param} asks the supplier to compact this conversation, and the supplier of this model cannot do that. Leave it out, and summarize the conversation yourself.`
  throw new GatewayError('unsupported_parameter', message, { param })
}

/** Where the gateway writes request and answer itself, it can lower the limit of the one and end the other early. */
function rationedLane(chosen: Lane | null, protocol: Protocol): Lane | null {
  return chosen === null || chosen.type === 'translate' ? chosen : { type: 'translate', protocol }
}

/** The plan without what the supplier rejects, and with the way to repair it when it is rejected all the same. */
function mendable(plan: LanePlan, parts: LaneParts): LanePlan {
  const fitted = leaveOutRefused(plan, parts)
  if (fitted instanceof RelayPlan) return fitted
  return changedPlan(fitted, { mend: (failure) => mend(failure, fitted, parts) })
}

/** The plan without parameters that the supplier is known to reject, from its quirks or from earlier errors. */
function leaveOutRefused(plan: LanePlan, parts: LaneParts): LanePlan {
  const { supplier, route } = parts.candidate.route
  const quirks = quirksOf(supplier, plan.supplierProtocol.name)
  const learned = parts.gateway.learned.of(supplier.id, route.upstreamModel)
  if (quirks === null && learned.length === 0) return plan
  return withoutRefused(plan, { quirks, learned, isStrict: isStrict(parts.admission.prepared.exchange) })
}

/**
 * The lane for a supplier that speaks the client's format: the client's bytes go out with only the model name
 * replaced, the supplier's bytes come back as they are, and a tap reads usage from them on the way.
 */
export class RelayPlan implements LanePlan {
  readonly supplierProtocol: Protocol
  readonly body: string
  readonly pieces: TextPieces | undefined
  readonly isStreamed: boolean
  readonly copies = 1
  readonly betas: readonly string[]
  readonly dropped: readonly string[]
  readonly #parts: LaneParts

  constructor(parts: LaneParts) {
    const { protocol, request, exchange } = parts.admission.prepared
    const { route, supplier } = parts.candidate.route
    const sender = { headers: exchange.headers, protocol, supplier }
    const pieces = request.relayBody(route.upstreamModel)
    const text = joinPieces(pieces)
    const { body, betas, dropped } = fitBetas(text, sender)
    this.supplierProtocol = protocol
    this.body = body
    this.pieces = body === text && text.length >= LEAST_PIECED ? pieces : undefined
    this.betas = betas
    this.dropped = dropped
    this.isStreamed = request.facts.stream
    this.#parts = parts
  }

  openTap(): StreamTap {
    const { request, exchange } = this.#parts.admission.prepared
    return request.openTap(exchange.requestId)
  }

  readWhole([text = '']: readonly string[]): WholeReply | null {
    const { protocol, request } = this.#parts.admission.prepared
    if (this.isStreamed) return unfoldReply(text, sidesFor(protocol, this.#parts))
    const reply = tryParseJson(text)
    const facts = protocol.readReply(reply)
    if (facts === null) return null
    const body = protocol.patchReply?.(text, reply, request.shownState) ?? text
    // The stored reply is the one that the client gets.
    return { body, facts, reply: body === text ? reply : tryParseJson(body) }
  }

  mend(failure: SupplierFailure): Promise<LanePlan | null> {
    return mend(failure, this, this.#parts)
  }
}

const NOTHING: readonly string[] = []

/**
 * A supplier may reject a parameter, or the signatures of another supplier: a conversation may move between suppliers of
 * one format.
 */
async function mend(failure: SupplierFailure, refused: LanePlan, parts: LaneParts): Promise<LanePlan | null> {
  const { request } = parts.admission.prepared
  // Requests with several prompts have no signatures.
  if (saysProofRefused(failure.message) && request.elsewhere === undefined)
    return planWithoutProofs(refused, parts)
  if (isStrict(parts.admission.prepared.exchange)) return null
  return planWithoutBetas(failure, refused) ?? planWithoutRefused(failure, refused, parts)
}

/**
 * Plans the same request without the signatures that the candidate has rejected. It is translated even where it could be
 * relayed, since the client's bytes contain the signatures.
 */
async function planWithoutProofs(refused: LanePlan, parts: LaneParts): Promise<LanePlan> {
  const sides = translationParts(refused.supplierProtocol, parts)
  return leaveOutRefused(withBetas(await planTranslation({ ...sides, isProofless: true }), parts), parts)
}

function mendingPlan(parts: LaneParts): LanePlan {
  const { protocol, request, caller } = parts.admission.prepared
  const sides = sidesFor(protocol, parts)
  const { upstreamModel, traits } = sides.supply
  const kept = traits.needsReasoningContent ? 'every' : 'signed'
  return {
    supplierProtocol: protocol,
    body: joinPieces(request.relayBody(upstreamModel)),
    isStreamed: request.facts.stream,
    copies: 1,
    ...retell({
      ...sides,
      isStreamed: request.facts.stream,
      streamedChoices: request.facts.choices,
      openSteps: () => [parts.gateway.thinking.watch(caller.account.id, kept)],
    }),
    dropped: NOTHING,
  }
}

function translationParts(protocol: Protocol, parts: LaneParts): TranslationParts {
  const { exchange, caller, bodyText, body, request, tokensPerCharacter } = parts.admission.prepared
  const { client } = otherSuppliers(protocol, parts) ?? request
  return {
    ...sidesFor(protocol, parts),
    client,
    source: { text: bodyText, value: body, longStrings: request.longStrings },
    supplierProtocol: protocol,
    accountId: caller.account.id,
    memory: parts.gateway.thinking,
    promptTokensOf: (conversation) =>
      pricedPromptTokens(request.facts, tokensPerCharacter ?? textDensity(conversation.turns)),
    fetchImage: (url) =>
      parts.gateway.fetchImage(url, {
        onLeave: (listener) => exchange.onLeave(listener),
        remainingMs: () => parts.admission.remainingMs(),
      }),
    isStrict: isStrict(exchange),
    isProofless: false,
    ...rationParts(parts),
  }
}

function rationParts({
  admission,
  candidate,
}: LaneParts): Pick<TranslationParts, 'maxOutputTokens' | 'allowedTokens'> {
  const { ration } = admission
  if (ration === null) return {}
  const { hold, maxOutputTokens } = ration
  if (hold === null) return { maxOutputTokens }
  const costOf = (tokens: number) => admission.costUpTo(tokens, candidate.route, null)
  return { allowedTokens: () => hold.tokensCovered(costOf) }
}

/** Both sides of a translation, with what each needs to know. */
export function sidesFor(protocol: Protocol, { admission, candidate, gateway }: LaneParts): ReplySides {
  const { exchange, target, request } = admission.prepared
  return {
    client: request.client,
    supplier: protocol.supplier,
    supply: {
      upstreamModel: candidate.route.route.upstreamModel,
      route: candidate.route.supplier.id,
      traits: traitsOf(protocol, { admission, candidate, gateway }),
      outputTokenLimit: modelOver(target, candidate.route).outputTokenLimit,
    },
    reply: {
      requestId: exchange.requestId,
      model: nameOf(target),
      createdAtMs: gateway.clock.nowMs(),
      nowMs: () => gateway.clock.nowMs(),
      promptTokens: admission.promptTokens,
      newId: gateway.newId,
    },
  }
}

/** A model has no trait that its supplier lacks. */
function traitsOf({ name, supplier }: Protocol, { admission, candidate }: LaneParts): Traits {
  const ofModel = fitTraits(
    supplier.traits,
    modelOver(admission.prepared.target, candidate.route).capabilities,
  )
  const quirks = quirksOf(candidate.route.supplier, name)
  return quirks === null ? ofModel : { ...ofModel, ...quirks.traits }
}
