import type { SupplierFailure } from '../../../errors/supplier-failure.ts'
import type { NativeCompaction, Protocol } from '../../../protocols/protocol.ts'
import type { Candidate } from '../../../rules/routing/candidate.ts'
import type { MaybePromise } from '../../../vocabulary/runtime/maybe-promise.ts'
import { tryParseJson } from '../../../wire/json-values.ts'
import type { Admission } from '../../admission/admission.ts'
import type { CallPlan, PreparedReply } from '../../delivery/call-plan.ts'
import type { Gateway } from '../../gateway.ts'
import type { LaneParts, LanePlan } from './lanes/lane-plan.ts'
import { planLane, sidesFor } from './lanes/plan-lane.ts'
import type { PreparedText } from './prepared-text.ts'
import { unfoldReply } from './translate/translate.ts'

/** Plans a text request: most are answered, some compact their conversation. */
export function planText(
  admission: Admission<PreparedText>,
  candidate: Candidate,
  gateway: Gateway,
): MaybePromise<CallPlan> {
  const { compaction } = admission.prepared
  if (compaction === undefined) return planLane(admission, candidate, gateway)
  const parts = { admission, candidate, gateway }
  return compactsItself(compaction, parts) ? nativePlan(compaction, parts) : planSummary(parts)
}

/** Under this name it is remembered for a day that a supplier's model does not compact. */
const nameOf = ({ hasEndpoint }: NativeCompaction) => (hasEndpoint ? 'compact' : 'compaction_trigger')

function compactsItself(compaction: NativeCompaction, { admission, candidate, gateway }: LaneParts): boolean {
  // Only the gateway's own request can be cut to what there is money for.
  if (admission.ration !== null) return false
  const { supplier, route } = candidate.route
  if (!candidate.route.formats.includes(admission.prepared.protocol.name)) return false
  const refusals = gateway.learned.of(supplier.id, route.upstreamModel)
  return !refusals.some(({ name }) => name === nameOf(compaction))
}

/** Has the supplier compact the conversation. One that cannot is asked for a summary instead. */
function nativePlan(compaction: NativeCompaction, parts: LaneParts): CallPlan {
  const { protocol } = parts.admission.prepared
  const { supplier, route } = parts.candidate.route
  return {
    supplierProtocol: { name: protocol.name, decodeError: decodeAbsence(protocol, compaction) },
    ...(compaction.hasEndpoint && { operation: 'compact' }),
    body: compaction.body(route.upstreamModel),
    isStreamed: false,
    copies: 1,
    dropped: [],
    openTap: () => {
      throw new Error('a whole reply was asked for')
    },
    readWhole: ([text = '']) => {
      const sealed = compaction.readReply(text, supplier.id)
      return sealed === null ? { failure: NOT_COMPACTED } : readSealed(sealed, compaction, parts)
    },
    mend: async (failure) => {
      const isAbsent = failure.status === NOT_COMPACTED.status
      // The request for a summary would only meet with the same complaint.
      if (compaction.hasEndpoint && !isAbsent) return null
      const summary = await planSummary(parts)
      if (!isAbsent) return summary
      const refusal = { name: nameOf(compaction), value: null }
      return {
        ...summary,
        noteAnswered: () => parts.gateway.learned.note(supplier.id, route.upstreamModel, refusal),
      }
    },
  }
}

/** Statuses of a server without the endpoint. */
const ABSENT: ReadonlySet<number> = new Set([404, 405, 501])

const NOT_COMPACTED: SupplierFailure = {
  kind: 'input',
  status: 404,
  message: 'The supplier cannot compact conversations.',
  param: null,
  retryAfterSeconds: null,
}

function decodeAbsence(protocol: Protocol, { hasEndpoint }: NativeCompaction): Protocol['decodeError'] {
  return (status, body) =>
    hasEndpoint && ABSENT.has(status) ? NOT_COMPACTED : protocol.decodeError(status, body)
}

function readSealed(
  text: string,
  { client, hasEndpoint }: NativeCompaction,
  parts: LaneParts,
): PreparedReply | null {
  const { protocol, request } = parts.admission.prepared
  if (request.facts.stream) return unfoldReply(text, { ...sidesFor(protocol, parts), client })
  const reply = tryParseJson(text)
  const facts = protocol.readReply(reply)
  if (facts === null) return null
  const patch = hasEndpoint ? undefined : protocol.patchReply
  const body = patch?.(text, reply, request.shownState) ?? text
  return { body, facts, reply: body === text ? reply : tryParseJson(body) }
}

/** Has the supplier's model write a summary, which becomes the item. */
async function planSummary({ admission, candidate, gateway }: LaneParts): Promise<CallPlan> {
  return withSummary(await planLane(admission, candidate, gateway), admission.prepared.protocol)
}

function withSummary(plan: LanePlan, protocol: Protocol): CallPlan {
  const { mend, noteAnswered } = plan
  return {
    supplierProtocol: plan.supplierProtocol,
    body: plan.body,
    isStreamed: plan.isStreamed,
    copies: plan.copies,
    dropped: plan.dropped,
    openTap: () => plan.openTap(),
    readWhole: (replies) => {
      const whole = plan.readWhole(replies)
      return whole === null || protocol.compaction?.isCompacted(whole.reply) ? whole : { failure: NO_SUMMARY }
    },
    ...(mend !== undefined && {
      mend: async (failure: SupplierFailure) => {
        const mended = (await mend.call(plan, failure)) as LanePlan | null
        return mended === null ? null : withSummary(mended, protocol)
      },
    }),
    ...(noteAnswered !== undefined && { noteAnswered: () => noteAnswered.call(plan) }),
  }
}

const NO_SUMMARY: SupplierFailure = {
  kind: 'server',
  status: null,
  message: 'The model wrote no summary of the conversation.',
  param: null,
  retryAfterSeconds: null,
}
