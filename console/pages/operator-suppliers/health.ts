import type { CredentialStanding, Route, SupplierHealth } from '../../api/wire.ts'
import type { Tone } from '../../parts/layout/status-badge.tsx'

export interface Health {
  readonly tone: Tone
  readonly label: string
}

/** Health of one credential over all its routes; the worst route counts. */
export interface CredentialHealth {
  readonly circuit: CredentialStanding['circuit']
  readonly opensAgainAt: string | null
  readonly coolingUntil: string | null
  readonly latencyMs: number | null
  readonly successRate: number | null
  readonly remainingRequests: number | null
  readonly remainingTokens: number | null
  readonly reported: CredentialStanding['supplier_remaining']
}

const WORSE = { closed: 0, 'half-open': 1, open: 2 } as const

export function healthOfCredential(id: string, routes: readonly Route[]): CredentialHealth | null {
  const standings = routes.flatMap(({ credentials }) => credentials.filter((one) => one.id === id))
  const [first] = standings
  if (first === undefined) return null
  const worst = standings.reduce((a, b) => (WORSE[b.circuit] > WORSE[a.circuit] ? b : a))
  const latencies = standings.flatMap(({ latency_ms }) => (latency_ms === null ? [] : [latency_ms]))
  return {
    circuit: worst.circuit,
    opensAgainAt: worst.opens_again_at,
    coolingUntil: latest(standings.map(({ cooling_until }) => cooling_until)),
    latencyMs: latencies.length === 0 ? null : latencies.reduce((a, b) => a + b, 0) / latencies.length,
    successRate: Math.min(...standings.map(({ success_rate }) => success_rate)),
    remainingRequests: first.remaining_requests,
    remainingTokens: first.remaining_tokens,
    reported:
      standings.find(({ supplier_remaining }) => supplier_remaining !== null)?.supplier_remaining ?? null,
  }
}

function latest(times: readonly (string | null)[]): string | null {
  return times.reduce((a, b) => (a === null || (b !== null && b > a) ? b : a), null)
}

const GOOD_SHARE = 0.95

/** What is known of a supplier's candidates: its routes, once for each active credential. */
export type Candidates = Pick<
  SupplierHealth,
  'routes' | 'candidates' | 'open' | 'cooling_until' | 'success_rate'
>

/** Health of a supplier over all its routes and credentials. */
export function judgeHealth(known: Candidates): Health {
  if (known.routes === 0) return { tone: 'neutral', label: 'No route' }
  if (known.candidates === 0) return { tone: 'bad', label: 'No credential' }
  if (known.open === known.candidates) return { tone: 'bad', label: 'Failing' }
  const isCooling = known.cooling_until !== null && Date.parse(known.cooling_until) > Date.now()
  if (known.open > 0 || isCooling || known.success_rate < GOOD_SHARE) {
    return { tone: 'warning', label: 'Degraded' }
  }
  return { tone: 'good', label: 'Healthy' }
}

export function healthOfSupplier(id: string, routes: readonly Route[]): Health {
  const own = routes.filter(({ supplier }) => supplier === id)
  const standings = own.flatMap(({ credentials }) => credentials.filter(({ state }) => state === 'active'))
  return judgeHealth({
    routes: own.length,
    candidates: standings.length,
    open: standings.filter(({ circuit }) => circuit === 'open').length,
    cooling_until: latest(standings.map(({ cooling_until }) => cooling_until)),
    success_rate: Math.min(1, ...standings.map(({ success_rate }) => success_rate)),
  })
}
