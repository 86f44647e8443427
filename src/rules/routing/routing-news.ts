import type { CandidateHealth } from './candidate-health.ts'
import type { CandidateIds } from './supply-health.ts'

/** What one node learns of the supply and others should know. Times are counted from when it is said. */
export type SupplyNews =
  /** A credential is not to be used for this long. */
  | (Omit<CandidateIds, 'modelId'> & { readonly type: 'cooling'; readonly forMs: number })
  /** A candidate has failed so often that it is left alone. */
  | (CandidateIds & { readonly type: 'circuit-opened'; readonly forMs: number })
  | (CandidateIds & { readonly type: 'circuit-closed' })

export type RoutingNews =
  | SupplyNews
  | {
      readonly type: 'pinned'
      readonly conversation: string
      readonly supplierId: string
      readonly credentialId: string
      readonly forMs: number
    }

/** Until when a candidate is not to be used, as far as is known. */
export interface Outlook {
  readonly coolingUntilMs: number | null
  readonly opensAgainAtMs: number | null
}

export function outlookOf(health: CandidateHealth, nowMs: number): Outlook {
  return {
    coolingUntilMs: health.credential.coolingUntilMs(nowMs),
    opensAgainAtMs: health.opensAgainAtMs,
  }
}

export function changesSince(
  before: Outlook,
  after: Outlook,
  { ids, nowMs }: { readonly ids: CandidateIds; readonly nowMs: number },
): SupplyNews[] {
  const news: SupplyNews[] = []
  const { supplierId, credentialId } = ids
  if (after.coolingUntilMs !== null && after.coolingUntilMs !== before.coolingUntilMs) {
    news.push({ type: 'cooling', supplierId, credentialId, forMs: after.coolingUntilMs - nowMs })
  }
  if (after.opensAgainAtMs === before.opensAgainAtMs) return news
  if (after.opensAgainAtMs === null) news.push({ type: 'circuit-closed', ...ids })
  else news.push({ type: 'circuit-opened', ...ids, forMs: Math.max(0, after.opensAgainAtMs - nowMs) })
  return news
}
