import type { Supply } from '../../vocabulary/runtime/snapshot.ts'
import type { Credential } from '../../vocabulary/supply.ts'
import type { Candidate } from './candidate.ts'
import { CandidateHealth, CredentialHealth } from './candidate-health.ts'
import { type BreakerParts, CircuitBreaker } from './circuit-breaker.ts'

/** Names one candidate. */
export interface CandidateIds {
  readonly modelId: string
  readonly supplierId: string
  readonly credentialId: string
}

interface KnownCredential {
  readonly secret: string
  readonly health: CredentialHealth
  readonly byModel: Map<string, CandidateHealth>
}

interface KnownSupplier {
  readonly circuit: CircuitBreaker
  readonly credentials: Map<string, KnownCredential>
}

// Of one credential; more than any supplier has.
const MAX_MODELS = 10_000

/** The health of everything in use, by supplier, then credential, then model. */
export class SupplyHealth {
  readonly #parts: BreakerParts
  readonly #suppliers = new Map<string, KnownSupplier>()

  constructor(parts: BreakerParts) {
    this.#parts = parts
  }

  /** How many candidates are known. */
  get size(): number {
    let size = 0
    for (const { credentials } of this.#suppliers.values()) {
      for (const { byModel } of credentials.values()) size += byModel.size
    }
    return size
  }

  of({ route, credential }: Omit<Candidate, 'reason'>, modelId: string, nowMs: number): CandidateHealth {
    return this.ofModel(route.supplier.id, credential, { modelId, nowMs })
  }

  ofCredential(supplierId: string, credential: Credential): CredentialHealth {
    const supplier = this.#suppliers.get(supplierId) ?? this.#addSupplier(supplierId)
    const found = supplier.credentials.get(credential.id)
    return found?.secret === credential.secret
      ? found.health
      : this.#addCredential(supplier, credential).health
  }

  ofModel(
    supplierId: string,
    credential: Credential,
    { modelId, nowMs }: { readonly modelId: string; readonly nowMs: number },
  ): CandidateHealth {
    const supplier = this.#suppliers.get(supplierId) ?? this.#addSupplier(supplierId)
    const found = supplier.credentials.get(credential.id)
    // A credential with a new secret starts fresh.
    const known = found?.secret === credential.secret ? found : this.#addCredential(supplier, credential)
    let health = known.byModel.get(modelId)
    if (health === undefined) {
      health = new CandidateHealth(supplier.circuit, known.health, this.#parts)
      health.usedAtMs = nowMs
      // Over a wildcard, clients choose the names.
      if (known.byModel.size < MAX_MODELS) known.byModel.set(modelId, health)
    }
    return health
  }

  find({ supplierId, credentialId, modelId }: CandidateIds): CandidateHealth | null {
    return this.#suppliers.get(supplierId)?.credentials.get(credentialId)?.byModel.get(modelId) ?? null
  }

  findCredential({ supplierId, credentialId }: Omit<CandidateIds, 'modelId'>): CredentialHealth | null {
    return this.#suppliers.get(supplierId)?.credentials.get(credentialId)?.health ?? null
  }

  forgetCredential({ supplierId, credentialId }: Omit<CandidateIds, 'modelId'>): void {
    this.#suppliers.get(supplierId)?.credentials.delete(credentialId)
  }

  /** Forgets what is no longer in the supply. If it returns under the same name, it starts fresh. */
  keepOnly({ suppliers, credentialsBySupplier, routesByModel }: Supply): void {
    for (const [supplierId, { credentials }] of this.#suppliers) {
      if (!suppliers.has(supplierId)) this.#suppliers.delete(supplierId)
      const ids = new Set(credentialsBySupplier.get(supplierId)?.map(({ id }) => id))
      for (const [credentialId, { byModel }] of credentials) {
        if (!ids.has(credentialId)) credentials.delete(credentialId)
        for (const modelId of byModel.keys()) {
          const routes = routesByModel.get(modelId) ?? []
          if (!routes.some((route) => route.supplierId === supplierId)) byModel.delete(modelId)
        }
      }
    }
  }

  /** Forgets entries that have not been used for long. */
  sweep(nowMs: number): void {
    for (const [supplierId, { credentials }] of this.#suppliers) {
      for (const [credentialId, known] of credentials) {
        if (this.#isIdle(known, nowMs)) credentials.delete(credentialId)
      }
      if (credentials.size === 0) this.#suppliers.delete(supplierId)
    }
  }

  #isIdle({ byModel, health }: KnownCredential, nowMs: number): boolean {
    const { idleMs } = this.#parts.settings
    for (const [modelId, { usedAtMs }] of byModel) {
      if (usedAtMs + idleMs <= nowMs) byModel.delete(modelId)
    }
    return byModel.size === 0 && health.coolingUntilMs(nowMs) === null
  }

  #addSupplier(supplierId: string): KnownSupplier {
    const supplier = { circuit: new CircuitBreaker(this.#parts), credentials: new Map() }
    this.#suppliers.set(supplierId, supplier)
    return supplier
  }

  #addCredential({ credentials }: KnownSupplier, { id, secret }: Credential): KnownCredential {
    const known = { secret, health: new CredentialHealth(this.#parts), byModel: new Map() }
    credentials.set(id, known)
    return known
  }
}

/** What one node learned about the supply, for the other nodes. Durations count from when it is sent. */
export type HealthChange =
  /** A credential must not be used for this long. */
  | (Omit<CandidateIds, 'modelId'> & { readonly type: 'cooling'; readonly forMs: number })
  /** A candidate failed too often; its circuit opened. */
  | (CandidateIds & { readonly type: 'circuit-opened'; readonly forMs: number })
  | (CandidateIds & { readonly type: 'circuit-closed' })

export type RoutingChange =
  | HealthChange
  | {
      readonly type: 'pinned'
      readonly conversation: string
      readonly supplierId: string
      readonly credentialId: string
      readonly forMs: number
    }

/** Until when a candidate must not be used. */
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
): HealthChange[] {
  const changes: HealthChange[] = []
  const { supplierId, credentialId } = ids
  if (after.coolingUntilMs !== null && after.coolingUntilMs !== before.coolingUntilMs) {
    changes.push({ type: 'cooling', supplierId, credentialId, forMs: after.coolingUntilMs - nowMs })
  }
  if (after.opensAgainAtMs === before.opensAgainAtMs) return changes
  if (after.opensAgainAtMs === null) changes.push({ type: 'circuit-closed', ...ids })
  else changes.push({ type: 'circuit-opened', ...ids, forMs: Math.max(0, after.opensAgainAtMs - nowMs) })
  return changes
}
