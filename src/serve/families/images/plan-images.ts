import type { ImageAnswer } from '../../../conversation/images.ts'
import { addUsage, type Usage } from '../../../conversation/usage.ts'
import { GatewayError } from '../../../errors/gateway-error.ts'
import type { SupplierFailure } from '../../../errors/supplier-failure.ts'
import type { ImageSide } from '../../../protocols/image-side.ts'
import type { Candidate } from '../../../rules/routing/candidate.ts'
import { imageTraitsOf } from '../../../vocabulary/runtime/traits.ts'
import type { Admission } from '../../admission/admission.ts'
import type { PlanFor } from '../../delivery/candidate-queue.ts'
import type { Gateway } from '../../gateway.ts'
import { type CallPlan, tryParse, type WholeReading } from '../text/lanes/lane-plan.ts'
import { isStrict } from '../text/lanes/strip-parameters.ts'
import { collectImages, handOut } from './deliver-images.ts'
import { imageSideOf } from './find-image-model.ts'
import type { PreparedImageRequest } from './read-image-request.ts'

interface PlanParts {
  readonly admission: Admission<PreparedImageRequest>
  readonly candidate: Candidate
  readonly gateway: Gateway
  readonly side: ImageSide
}

/** Plans image requests, and plans them again without a parameter that the supplier refused. */
export function planImages(admission: Admission<PreparedImageRequest>, gateway: Gateway): PlanFor {
  return async (candidate) => {
    const side = imageSideOf(candidate.route)
    if (side === null) throw new Error('the candidate does not serve images')
    const parts = { admission, candidate, gateway, side }
    return planImageCall(parts, refusedBefore(parts))
  }
}

function planImageCall(parts: PlanParts, refused: readonly string[]): CallPlan {
  const { prepared } = parts.admission
  const { imageRequest, target } = prepared
  const { body, copies, dropped } = parts.side.encodeRequest(imageRequest, {
    upstreamModel: parts.candidate.route.route.upstreamModel,
    traits: imageTraitsOf(target.model.capabilities),
    refused,
  })
  if (dropped.length > 0 && isStrict(prepared.exchange)) throw cannotTake(dropped)
  return {
    supplierProtocol: parts.side,
    body,
    copies,
    dropped,
    operation: imageRequest.edit === null ? 'generate-image' : 'edit-image',
    isStreamed: false,
    openTap: () => {
      throw new Error('images are not streamed')
    },
    readWhole: (replies, { signal }) => readImages(replies, signal, parts),
    mend: (failure) => Promise.resolve(mendedPlan(failure, refused, parts)),
  }
}

/** What only says how the bytes are to come is not the client's word, so leaving it out loses nothing. */
const OWN_PARAMETERS: readonly string[] = ['response_format']

/** What the model is known to refuse. A client that wants nothing left out is to hear the supplier's complaint. */
function refusedBefore({ admission, candidate, gateway }: PlanParts): readonly string[] {
  const { supplier, route } = candidate.route
  const refusals = gateway.learned.of(supplier.id, route.upstreamModel)
  const learned = refusals.filter(({ value }) => value === null).map(({ name }) => name)
  if (!isStrict(admission.prepared.exchange)) return learned
  return learned.filter((name) => OWN_PARAMETERS.includes(name))
}

function mendedPlan(
  { refusedParam, refusedScope }: SupplierFailure,
  before: readonly string[],
  parts: PlanParts,
): CallPlan | null {
  const { admission, candidate, gateway, side } = parts
  if (refusedParam === undefined || !side.strippable.has(refusedParam) || before.includes(refusedParam))
    return null
  if (isStrict(admission.prepared.exchange) && !OWN_PARAMETERS.includes(refusedParam)) return null
  const plan = planImageCall(parts, [...before, refusedParam])
  if (refusedScope !== 'parameter') return plan
  const { supplier, route } = candidate.route
  const refusal = { name: refusedParam, value: null }
  return { ...plan, noteAnswered: () => gateway.learned.note(supplier.id, route.upstreamModel, refusal) }
}

async function readImages(
  replies: readonly string[],
  signal: AbortSignal,
  { admission, candidate, gateway, side }: PlanParts,
): Promise<WholeReading> {
  const answers = replies.flatMap((text) => side.decodeReply(tryParse(text)) ?? [])
  const answer = answers.length < replies.length ? null : mergeImageAnswers(answers)
  if (answer === null) return null
  if (answer.pictures.length === 0) return { failure: refusedBy(answer.refusal) }
  const { prepared } = admission
  // More than was asked for was not held for.
  const wanted = answer.pictures.slice(0, prepared.imageRequest.count ?? 1)
  const supplierUrl = candidate.route.supplier.baseUrl
  const collected = await collectImages(wanted, { gateway, supplierUrl, signal })
  if (collected === null) return null
  const images = collected.length
  return {
    body: () => handOut(collected, { prepared, gateway, answer }),
    facts: { usage: answer.usage && { ...answer.usage, images }, outputCharacters: 0, images },
  }
}

function refusedBy(reason: string | null): SupplierFailure {
  const message = reason ?? 'The model returned no image.'
  return { kind: 'input', status: 400, message, param: null, retryAfterSeconds: null }
}

function cannotTake(names: readonly string[]): GatewayError {
  const [param = ''] = names
  const message = `The supplier of this model cannot take: ${names.join(', ')}.`
  return new GatewayError('unsupported_parameter', message, { param })
}

/** Several answers, each to one copy of the request, as one. A report that not all of them make is none. */
export function mergeImageAnswers(answers: readonly ImageAnswer[]): ImageAnswer | null {
  const [first, ...others] = answers
  if (first === undefined || others.length === 0) return first ?? null
  const { usage: _one, ...remarks } = first.remarks
  return {
    pictures: answers.flatMap(({ pictures }) => pictures),
    usage: answers.map(({ usage }) => usage).reduce(addReports),
    remarks,
    refusal: answers.find(({ refusal }) => refusal !== null)?.refusal ?? null,
  }
}

function addReports(one: Usage | null, other: Usage | null): Usage | null {
  return one === null || other === null ? null : addUsage(one, other)
}
