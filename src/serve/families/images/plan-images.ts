import type { ImageAnswer, ImageLook } from '../../../conversation/families/images.ts'
import { addUsage, type Usage } from '../../../conversation/usage.ts'
import type { SupplierFailure } from '../../../errors/supplier-failure.ts'
import type { ImageSide } from '../../../protocols/family-sides.ts'
import { usageOfImages } from '../../../protocols/images/index.ts'
import type { StreamTap } from '../../../protocols/protocol.ts'
import type { Candidate } from '../../../rules/routing/candidate.ts'
import { imageTraitsOf } from '../../../vocabulary/runtime/traits.ts'
import { tryParseJson } from '../../../wire/json-values.ts'
import { MAX_IMAGE_REPLY_BYTES } from '../../../wire/read-text.ts'
import type { Admission } from '../../admission/admission.ts'
import { modelOver } from '../../admission/prepared-request.ts'
import { type CallPlan, isStrict, type WholeReading } from '../../delivery/call-plan.ts'
import type { Gateway } from '../../gateway.ts'
import { cannotTake } from '../kinds.ts'
import { collectImages, handOut } from './deliver-images.ts'
import { imageSideOf, type PreparedImageRequest } from './prepare-images.ts'

interface PlanParts {
  readonly admission: Admission<PreparedImageRequest>
  readonly candidate: Candidate
  readonly gateway: Gateway
  readonly side: ImageSide
}

/** Plans the call that generates or edits images. */
export function planImages(
  admission: Admission<PreparedImageRequest>,
  candidate: Candidate,
  gateway: Gateway,
): CallPlan {
  const side = imageSideOf(candidate.route)
  if (side === null) throw new Error('the candidate does not serve images')
  const parts = { admission, candidate, gateway, side }
  return planImageCall(parts, refusedBefore(parts))
}

function planImageCall(parts: PlanParts, refused: readonly string[]): CallPlan {
  const { prepared } = parts.admission
  const { imageRequest, target } = prepared
  const { body, copies, isStreamed, look, dropped } = parts.side.encodeRequest(imageRequest, {
    upstreamModel: parts.candidate.route.route.upstreamModel,
    traits: imageTraitsOf(modelOver(target, parts.candidate.route).capabilities),
    refused,
  })
  if (dropped.length > 0 && isStrict(prepared.exchange)) throw cannotTake(dropped)
  return {
    supplierProtocol: parts.side,
    body,
    copies,
    dropped,
    operation: imageRequest.edit === null ? 'generate-image' : 'edit-image',
    isStreamed,
    maxReplyBytes: MAX_IMAGE_REPLY_BYTES,
    openTap: () => openTap(look, parts),
    readWhole: (replies, { signal }) => readImages(replies, { ...parts, signal, look }),
    mend: (failure) => Promise.resolve(mendedPlan(failure, refused, parts)),
  }
}

function openTap(look: ImageLook | null, { admission, side }: PlanParts): StreamTap {
  const { imageRequest } = admission.prepared
  const { count, quality } = imageRequest
  const tap = side.openTap?.({ count: count ?? 1, quality, look, promptTokens: admission.promptTokens })
  if (tap === undefined) throw new Error('suppliers of this format do not stream images')
  return tap
}

/** Leaving these out loses nothing that the client asked for: it gets a stream and its choice of format all the same. */
const OWN_PARAMETERS: readonly string[] = ['response_format', 'stream']

/** Parameters the model is known to reject. A strict client gets the supplier's own error instead. */
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

interface ReadingParts extends PlanParts {
  readonly signal: AbortSignal
  readonly look: ImageLook | null
}

async function readImages(
  replies: readonly string[],
  { admission, candidate, gateway, side, signal, look }: ReadingParts,
): Promise<WholeReading> {
  const answers = replies.flatMap((text) => side.decodeReply(tryParseJson(text)) ?? [])
  const answer = answers.length < replies.length ? null : mergeImageAnswers(answers)
  if (answer === null) return null
  if (answer.pictures.length === 0) return { failure: refusedBy(answer.refusal) }
  const { prepared } = admission
  // The admission reserved no money for more images than requested.
  const wanted = answer.pictures.slice(0, prepared.imageRequest.count ?? 1)
  const supplierUrl = candidate.route.supplier.baseUrl
  const images = wanted.length
  const facts = { usage: imageUsage(answer, images, look), outputCharacters: 0, images }
  try {
    const collected = await collectImages(wanted, { gateway, supplierUrl, signal })
    return collected && { body: () => handOut(collected, { prepared, gateway, answer }), facts }
  } catch (problem) {
    if (signal.aborted) return { unfetched: facts }
    throw problem
  }
}

/** What was used and how the images look, which their price may depend on: as the supplier says, else as requested. */
export function imageUsage(
  { usage, look }: ImageAnswer,
  images: number,
  requested: ImageLook | null,
): Usage | null {
  const known = look === null && requested === null ? null : { ...requested, ...look }
  return usageOfImages(usage, images, known)
}

function refusedBy(reason: string | null): SupplierFailure {
  const message = reason ?? 'The model returned no image.'
  return { kind: 'input', status: 400, message, param: null, retryAfterSeconds: null }
}

/** Combines the answers to several copies of a request. The usage is known only when all of them report it. */
export function mergeImageAnswers(answers: readonly ImageAnswer[]): ImageAnswer | null {
  const [first, ...others] = answers
  if (first === undefined || others.length === 0) return first ?? null
  const { usage: _one, ...remarks } = first.remarks
  return {
    pictures: answers.flatMap(({ pictures }) => pictures),
    usage: answers.map(({ usage }) => usage).reduce(addReports),
    look: first.look,
    remarks,
    refusal: answers.find(({ refusal }) => refusal !== null)?.refusal ?? null,
  }
}

function addReports(one: Usage | null, other: Usage | null): Usage | null {
  return one === null || other === null ? null : addUsage(one, other)
}
