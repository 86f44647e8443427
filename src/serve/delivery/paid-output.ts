import type { Protocol, StreamTap } from '../../protocols/protocol.ts'
import type { EligibleRoute } from '../../rules/routing/eligible-routes.ts'
import { isPending } from '../../vocabulary/runtime/maybe-promise.ts'
import { joinBytes } from '../../wire/sse-events.ts'
import type { Admission } from '../admission/admission.ts'

/** Whether the stream has output that its hold does not cover. */
export function isHeldBack({ pace }: StreamTap): boolean {
  return pace !== undefined && pace.wantedTokens !== null
}

export interface PaidOutput {
  /** What may be sent now. */
  readonly released: Uint8Array | null
  /** False when the hold cannot grow any more. */
  readonly isPaid: boolean
}

/** Enlarges the hold until it covers what the tap holds back. */
export async function payFor(
  { pace, usage }: StreamTap,
  route: EligibleRoute,
  admission: Pick<Admission, 'ration' | 'costUpTo'>,
): Promise<PaidOutput> {
  const hold = admission.ration?.hold ?? null
  const costOf = (tokens: number) => admission.costUpTo(tokens, route, usage)
  let released: Uint8Array | null = null
  while (pace !== undefined && pace.wantedTokens !== null) {
    const wanted = pace.wantedTokens
    const growing = hold?.grow(wanted, costOf) ?? false
    const hasGrown = isPending(growing) ? await growing : growing
    if (hold === null || !hasGrown) return { released, isPaid: false }
    // The cost is rounded, so the count of what it covers may be one too low.
    released = joinIfAny(released, pace.allow(Math.max(wanted, hold.tokensCovered(costOf))))
  }
  return { released, isPaid: true }
}

const CUT_NOTE = new TextEncoder().encode(': cut_by_balance\n\n')

/** The end of an answer that was cut. A comment says why, in formats whose clients skip comments. */
export function cutFrames(
  { pace }: StreamTap,
  { heartbeat }: Pick<Protocol, 'heartbeat'>,
): Uint8Array | null {
  return joinIfAny(heartbeat === null ? null : CUT_NOTE, pace?.cut() ?? null)
}

export function joinIfAny(first: Uint8Array | null, second: Uint8Array | null): Uint8Array | null {
  if (first === null || second === null) return first ?? second
  return joinBytes([first, second])
}
