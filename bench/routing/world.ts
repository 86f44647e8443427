import type { FailureKind } from '../../src/errors/supplier-failure.ts'
import type { Candidate } from '../../src/rules/routing/candidate.ts'
import type { EligibleRoute } from '../../src/rules/routing/eligible-routes.ts'
import type { AttemptVerdict } from '../../src/rules/routing/router.ts'
import type { Random } from '../../src/rules/routing/routing-settings.ts'
import { A_PRICE, aCredential, aRoute, aSupplier } from '../../src/vocabulary/testing/specimens.ts'

export const DAY_MS = 24 * 60 * 60 * 1_000
const MINUTE_MS = 60_000

/** One of the suppliers of the simulated world. */
interface SupplierPlan {
  readonly id: string
  /** In hundredths of the cheapest. */
  readonly pricePercent: bigint
  readonly firstByteMs: number
  /** Requests per minute and credential before it answers 429. */
  readonly rpm: number
  /** Whether it says in headers what is left, and in a 429 when to come back. */
  readonly saysLimits: boolean
  readonly errorShare: number
}

const SUPPLIERS: readonly SupplierPlan[] = [
  { id: 'alder', pricePercent: 100n, firstByteMs: 700, rpm: 14, saysLimits: true, errorShare: 0.004 },
  { id: 'birch', pricePercent: 110n, firstByteMs: 500, rpm: 12, saysLimits: false, errorShare: 0.01 },
  { id: 'cedar', pricePercent: 130n, firstByteMs: 350, rpm: 16, saysLimits: true, errorShare: 0.003 },
  { id: 'elder', pricePercent: 160n, firstByteMs: 900, rpm: 20, saysLimits: true, errorShare: 0.02 },
  { id: 'fir', pricePercent: 200n, firstByteMs: 300, rpm: 24, saysLimits: false, errorShare: 0.002 },
]
const CREDENTIALS_EACH = 4

/** What is wrong for a while: with a whole supplier, or with one credential of it. */
interface Trouble {
  readonly fromMs: number
  readonly untilMs: number
  readonly type: 'dead' | 'hangs' | 'errors' | 'slow'
}

export const ROUTES: readonly EligibleRoute[] = SUPPLIERS.map(({ id, pricePercent }) => ({
  route: aRoute({ supplierId: id }),
  cost: null,
  price: {
    ...A_PRICE,
    inputNanoPerMillion: (A_PRICE.inputNanoPerMillion * pricePercent) / 100n,
    outputNanoPerMillion: (A_PRICE.outputNanoPerMillion * pricePercent) / 100n,
    imageNano: 0n,
  },
  supplier: aSupplier({ id }),
  formats: ['chat-completion'],
  credentials: Array.from({ length: CREDENTIALS_EACH }, (_, index) =>
    aCredential({ id: `${id}-${index + 1}`, supplierId: id }),
  ),
}))

/** How an attempt will end, and after how long. */
export interface Ending {
  readonly afterMs: number
  readonly result: AttemptVerdict
}

const HANG_MS = 10_000
const REFUSED_MS = 30
const LIMITED_MS = 80
const ERROR_MS = 400

/** Twenty credentials whose latency, limits and health change over a day, in the same way for the same seed. */
export class World {
  readonly #random: Random
  readonly #troubles = new Map<string, Trouble[]>()
  readonly #spent = new Map<string, { minute: number; requests: number }>()

  constructor(planning: Random, random: Random) {
    this.#random = random
    for (const { id } of SUPPLIERS) {
      this.#troubles.set(id, drawTroubles(planning, { count: 5, longestMinutes: 40 }))
      for (let index = 1; index <= CREDENTIALS_EACH; index += 1) {
        this.#troubles.set(`${id}-${index}`, drawTroubles(planning, { count: 3, longestMinutes: 30 }))
      }
    }
  }

  attempt({ route, credential }: Candidate, nowMs: number): Ending {
    const plan = SUPPLIERS.find(({ id }) => id === route.supplier.id)
    if (plan === undefined) throw new Error(`no supplier ${route.supplier.id}`)
    const troubles = [...this.#troublesOf(plan.id, nowMs), ...this.#troublesOf(credential.id, nowMs)]
    const isIn = (type: Trouble['type']) => troubles.some((trouble) => trouble.type === type)
    if (isIn('dead')) return failing('unreachable', REFUSED_MS)
    if (isIn('hangs')) return failing('timeout', HANG_MS)
    const left = this.#spend(credential.id, plan.rpm, nowMs)
    const resetSeconds = Math.ceil((MINUTE_MS - (nowMs % MINUTE_MS)) / 1_000)
    if (left < 0) return failing('rate-limited', LIMITED_MS, plan.saysLimits ? resetSeconds : null)
    if (isIn('errors') || this.#random() < plan.errorShare) return failing('server', ERROR_MS)
    const firstByteMs = this.#drawLatency(plan, nowMs) * (isIn('slow') ? 6 : 1)
    const remaining = plan.saysLimits ? { requests: left, tokens: null, resetSeconds } : null
    return { afterMs: firstByteMs, result: { type: 'answered', firstByteMs, remaining } }
  }

  #troublesOf(id: string, nowMs: number): Trouble[] {
    const troubles = this.#troubles.get(id) ?? []
    return troubles.filter(({ fromMs, untilMs }) => fromMs <= nowMs && nowMs < untilMs)
  }

  /** Requests left in this minute after this one; negative when it was one too many. */
  #spend(id: string, rpm: number, nowMs: number): number {
    const minute = Math.floor(nowMs / MINUTE_MS)
    const spent = this.#spent.get(id)
    const requests = (spent?.minute === minute ? spent.requests : 0) + 1
    this.#spent.set(id, { minute, requests })
    return rpm - requests
  }

  /** Slower by day than by night, and spread around that. */
  #drawLatency({ firstByteMs }: SupplierPlan, nowMs: number): number {
    const byDay = 1 + 0.3 * Math.sin((2 * Math.PI * nowMs) / DAY_MS)
    const spread = Math.exp(0.35 * drawNormal(this.#random))
    return Math.round(firstByteMs * byDay * spread)
  }
}

function failing(kind: FailureKind, afterMs: number, retryAfterSeconds: number | null = null): Ending {
  return {
    afterMs,
    result: { type: 'failed', failure: { kind, status: null, retryAfterSeconds }, remaining: null },
  }
}

function drawTroubles(random: Random, bounds: { count: number; longestMinutes: number }): Trouble[] {
  const types = ['dead', 'hangs', 'errors', 'slow'] as const
  return Array.from({ length: bounds.count }, () => {
    const fromMs = random() * DAY_MS
    const lastsMs = (2 + random() * (bounds.longestMinutes - 2)) * MINUTE_MS
    return { fromMs, untilMs: fromMs + lastsMs, type: types[Math.floor(random() * types.length)] ?? 'dead' }
  })
}

export function drawNormal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}

/** The same numbers in every run. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
