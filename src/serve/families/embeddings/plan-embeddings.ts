import { GatewayError } from '../../../errors/gateway-error.ts'
import type { SupplierFailure } from '../../../errors/supplier-failure.ts'
import { type EmbeddingSide, type InputRange, splitInputs } from '../../../protocols/embedding-side.ts'
import type { Candidate } from '../../../rules/routing/candidate.ts'
import { embeddingLimitsOf } from '../../../suppliers/index.ts'
import type { EmbeddingLimits } from '../../../vocabulary/runtime/embedding-limits.ts'
import { MAX_IMAGE_REPLY_BYTES } from '../../../wire/read-text.ts'
import type { Admission } from '../../admission/admission.ts'
import { type CallPlan, isStrict } from '../../delivery/call-plan.ts'
import type { Gateway } from '../../gateway.ts'
import { countTokens, embeddingSideOf, type PreparedEmbedding } from './prepare-embeddings.ts'
import { readReplies } from './read-replies.ts'

interface PlanParts {
  readonly prepared: PreparedEmbedding
  readonly candidate: Candidate
  readonly gateway: Gateway
  readonly side: EmbeddingSide
}

/** Plans the calls that embed the inputs: as few as the supplier's limits allow. */
export function planEmbeddings(
  { prepared }: Admission<PreparedEmbedding>,
  candidate: Candidate,
  gateway: Gateway,
): CallPlan {
  const side = embeddingSideOf(candidate.route, prepared)
  const parts = { prepared, candidate, gateway, side }
  return planCalls(parts, refusedBefore(parts))
}

function planCalls(parts: PlanParts, refused: readonly string[]): CallPlan {
  const { prepared, candidate, side } = parts
  const { upstreamModel } = candidate.route.route
  const ranges = rangesFor(parts)
  const { bodies, dropped } = encodeBodies(parts, ranges, { upstreamModel, refused })
  if (dropped.length > 0 && isStrict(prepared.exchange)) throw cannotTake(dropped)
  return {
    supplierProtocol: side,
    body: bodies[0] ?? '',
    ...(bodies.length > 1 && { bodies }),
    copies: bodies.length,
    dropped,
    operation: 'embed',
    isStreamed: false,
    // Thousands of vectors in decimal are longer than any text.
    maxReplyBytes: MAX_IMAGE_REPLY_BYTES,
    openTap: () => {
      throw new Error('embeddings are not streamed')
    },
    readWhole: (replies) =>
      readReplies(replies, {
        prepared,
        side,
        ranges,
        isOnlyRoute: prepared.target.routes.length === 1,
        noteDimensions: () => noteDimensions(parts),
      }),
    mend: (failure) => Promise.resolve(mendedPlan(failure, refused, parts)),
  }
}

// Estimates are too low for some texts, and a call that is too long is refused as a whole.
const ESTIMATE_MARGIN = 1.3

function rangesFor({ prepared, candidate, side }: PlanParts): readonly InputRange[] {
  const { supplier, route } = candidate.route
  const query = { format: side.name, upstreamModel: route.upstreamModel }
  const limits: EmbeddingLimits = embeddingLimitsOf(supplier, query) ?? side.limits
  const { inputs } = prepared.embedding.request
  if (inputs.length === 1) return [{ from: 0, to: 1 }]
  const isCounted = limits.tokens !== null && prepared.embedding.facts.promptCharacters > limits.tokens
  const weights = isCounted
    ? countTokens(inputs).map((tokens) => tokens * ESTIMATE_MARGIN)
    : inputs.map(() => 0)
  return splitInputs(weights, limits)
}

interface Sent {
  readonly bodies: readonly string[]
  readonly dropped: readonly string[]
}

function encodeBodies(
  { prepared, side }: PlanParts,
  ranges: readonly InputRange[],
  supply: { readonly upstreamModel: string; readonly refused: readonly string[] },
): Sent {
  const { client, embedding } = prepared
  if (side.name === client.name) {
    const bodies = embedding.relayBodies(ranges, supply)
    const { user } = embedding.request
    return { bodies, dropped: user === null ? [] : supply.refused.filter((name) => name === 'user') }
  }
  const { bodies, dropped } = side.encodeRequest(embedding.request, ranges, supply)
  return { bodies, dropped: [...dropped.map(embedding.wishName), ...embedding.request.others] }
}

/** Parameters the model is known to reject. Throws for dimensions that it does not have. */
function refusedBefore({ prepared, candidate, gateway, side }: PlanParts): readonly string[] {
  const { supplier, route } = candidate.route
  const refusals = gateway.learned.of(supplier.id, route.upstreamModel)
  const { dimensions } = prepared.embedding.request
  if (
    dimensions !== null &&
    refusals.some(({ name, value }) => name === DIMENSIONS && value === `${dimensions}`)
  )
    throw noDimensions(dimensions)
  const learned = refusals.filter(({ name, value }) => value === null && side.strippable.has(name))
  return learned.map(({ name }) => name).filter((name) => name !== 'user' || !isStrict(prepared.exchange))
}

const DIMENSIONS = 'dimensions'

/** Remembers that a model has no vectors of this length, so that later requests go to another supplier. */
function noteDimensions({ prepared, candidate, gateway }: PlanParts): void {
  const { supplier, route } = candidate.route
  const value = `${prepared.embedding.request.dimensions}`
  gateway.learned.note(supplier.id, route.upstreamModel, { name: DIMENSIONS, value })
}

function mendedPlan(
  { refusedParam, refusedScope, param }: SupplierFailure,
  before: readonly string[],
  parts: PlanParts,
): CallPlan | null {
  const { prepared, candidate, gateway, side } = parts
  const isAboutDimensions = (refusedParam ?? param) === side.dimensionsName
  if (isAboutDimensions && prepared.embedding.request.dimensions !== null) noteDimensions(parts)
  if (refusedParam === undefined || !side.strippable.has(refusedParam) || before.includes(refusedParam))
    return null
  if (isStrict(prepared.exchange) && refusedParam === 'user') return null
  const plan = planCalls(parts, [...before, refusedParam])
  if (refusedScope !== 'parameter') return plan
  const { supplier, route } = candidate.route
  const refusal = { name: refusedParam, value: null }
  return { ...plan, noteAnswered: () => gateway.learned.note(supplier.id, route.upstreamModel, refusal) }
}

function noDimensions(dimensions: number): GatewayError {
  const message = `The supplier of this model has no vectors of ${dimensions} dimensions.`
  return new GatewayError('unsupported_parameter', message, { param: DIMENSIONS })
}

function cannotTake(names: readonly string[]): GatewayError {
  const [param = ''] = names
  const message = `The supplier of this model cannot take: ${names.join(', ')}.`
  return new GatewayError('unsupported_parameter', message, { param })
}
