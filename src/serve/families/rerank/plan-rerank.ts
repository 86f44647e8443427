import {
  arrange,
  countSearchUnits,
  isRankingOf,
  isSameRanking,
  type RerankAnswer,
} from '../../../conversation/families/rerank.ts'
import { NO_USAGE } from '../../../conversation/usage.ts'
import { withDetails } from '../../../conversation/usage-report.ts'
import type { SupplierFailure } from '../../../errors/supplier-failure.ts'
import type { RerankSide } from '../../../protocols/family-sides.ts'
import type { ReplyFacts } from '../../../protocols/protocol.ts'
import { encodeArranged, encodeReply, rerank, withMeta } from '../../../protocols/rerank/index.ts'
import type { Candidate } from '../../../rules/routing/candidate.ts'
import type { Price } from '../../../vocabulary/price.ts'
import { tryParseJson } from '../../../wire/json-values.ts'
import type { Admission } from '../../admission/admission.ts'
import { priceableTokens } from '../../admission/prepared-request.ts'
import { type CallPlan, isStrict, type WholeReading } from '../../delivery/call-plan.ts'
import type { Gateway } from '../../gateway.ts'
import { cannotTake } from '../kinds.ts'
import { type PreparedRerank, rerankSideOf } from './prepare-rerank.ts'

interface PlanParts {
  readonly admission: Admission<PreparedRerank>
  readonly candidate: Candidate
  readonly gateway: Gateway
  readonly side: RerankSide
}

/** Plans the call that ranks documents. */
export function planRerank(
  admission: Admission<PreparedRerank>,
  candidate: Candidate,
  gateway: Gateway,
): CallPlan {
  const side = rerankSideOf(candidate.route)
  if (side === null) throw new Error('the candidate does not rank documents')
  const parts = { admission, candidate, gateway, side }
  return planRerankCall(parts, refusedBefore(parts))
}

function planRerankCall(parts: PlanParts, refused: readonly string[]): CallPlan {
  const { admission, candidate, side } = parts
  const { prepared } = admission
  const { upstreamModel } = candidate.route.route
  const { body, dropped } = side.encodeRequest(prepared.rerankRequest, { upstreamModel, refused })
  if (dropped.length > 0 && isStrict(prepared.exchange)) throw cannotTake(dropped)
  return {
    supplierProtocol: side,
    body,
    copies: 1,
    dropped,
    operation: 'rerank',
    isStreamed: false,
    openTap: () => {
      throw new Error('rankings are not streamed')
    },
    readWhole: ([text = '']) => readRanking(text, parts),
    mend: (failure) => Promise.resolve(mendedPlan(failure, refused, parts)),
  }
}

/** Parameters the model is known to reject. A strict client gets the supplier's own error instead. */
function refusedBefore({ admission, candidate, gateway }: PlanParts): readonly string[] {
  if (isStrict(admission.prepared.exchange)) return []
  const { supplier, route } = candidate.route
  const refusals = gateway.learned.of(supplier.id, route.upstreamModel)
  return refusals.filter(({ value }) => value === null).map(({ name }) => name)
}

/** The same call without a parameter that the supplier has rejected; null when that is not the reason. */
function mendedPlan(
  { refusedParam, refusedScope }: SupplierFailure,
  before: readonly string[],
  parts: PlanParts,
): CallPlan | null {
  const { admission, candidate, gateway, side } = parts
  if (refusedParam === undefined || !side.strippable.has(refusedParam) || before.includes(refusedParam))
    return null
  if (isStrict(admission.prepared.exchange)) return null
  const plan = planRerankCall(parts, [...before, refusedParam])
  if (refusedScope !== 'parameter') return plan
  const { supplier, route } = candidate.route
  const refusal = { name: refusedParam, value: null }
  return { ...plan, noteAnswered: () => gateway.learned.note(supplier.id, route.upstreamModel, refusal) }
}

/** The supplier's reply goes back unchanged when client and supplier speak the same format, and it is as requested. */
function readRanking(text: string, parts: PlanParts): WholeReading {
  const { admission, side } = parts
  const { rerankRequest, version } = admission.prepared
  const answer = side.decodeReply(tryParseJson(text))
  if (answer === null || !isRankingOf(answer.ranking, rerankRequest.documents.length)) return null
  const facts = factsOf(answer, parts)
  const ranking = arrange(answer.ranking, rerankRequest)
  if (side.name !== rerank.name) {
    return { body: encodeReply(ranking, answer, { id: crypto.randomUUID(), version }), facts }
  }
  const isUnchanged = isSameRanking(ranking, answer.ranking)
  return { body: withMeta(isUnchanged ? text : encodeArranged(ranking, answer), answer, version), facts }
}

/** What the supplier reported. What it does not report, but is paid for by, is counted. */
function factsOf({ usage }: RerankAnswer, { admission, candidate }: PlanParts): ReplyFacts {
  const { prepared } = admission
  const isUnitMissing = usage?.details?.searchUnits === undefined && hasUnitPrice(candidate.route.price)
  if (usage !== null && !isUnitMissing) return { usage, outputCharacters: 0 }
  const searchUnits = countSearchUnits(prepared.rerankRequest, prepared.tokensPerCharacter)
  const known = usage ?? { ...NO_USAGE, input: priceableTokens(prepared) }
  return { usage: withDetails(known, { searchUnits }), isCounted: true, outputCharacters: 0 }
}

function hasUnitPrice({ searchUnitNano, variants }: Price): boolean {
  return searchUnitNano !== undefined || variants?.some((each) => each.searchUnitNano !== undefined) === true
}
