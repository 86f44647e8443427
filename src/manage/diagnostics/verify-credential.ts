import type { SupplierFailure } from '../../errors/supplier-failure.ts'
import type { Router } from '../../rules/routing/router.ts'
import type { CredentialRefusal } from '../../serve/gateway.ts'
import type { Log } from '../../serve/ports/log.ts'
import type { SteadyClock } from '../../vocabulary/clock.ts'
import type { Snapshot } from '../../vocabulary/runtime/snapshot.ts'
import { askForFailure, planVisit, type Visit, type VisitParts } from './doctor.ts'

/**
 * An answer that may mean that a supplier refuses a credential.
 * - `said`: it says so, by its status or a code.
 * - `suspected`: its words sound so.
 * - `denied`: it refused the request and did not say why.
 */
export interface VerifierParts extends Omit<VisitParts, 'clock'> {
  snapshot(): Snapshot
  readonly router: Pick<Router, 'noteAccepted' | 'noteRefused' | 'hasAnsweredLately'>
  readonly disable: (ids: Pick<CredentialRefusal, 'supplierId' | 'credentialId'>) => void
  readonly clock: SteadyClock
  readonly log: Log
}

// A refused request may be the client's fault; several of one model are worth a question of our own.
const DENIALS_TO_VERIFY = 3
const DENIALS_KEPT_MS = 10 * 60_000
// However many requests a client sends that are refused, a credential is asked for a word no more often than this.
const VERDICT_KEPT_MS = 60_000
const MAX_REMEMBERED = 10_000

interface Denials {
  count: number
  readonly sinceMs: number
}

/**
 * Finds out with a request of our own whether a credential is refused, before anything is done to it. What clients
 * send can bring about almost any refusal; a request that holds nothing of theirs cannot.
 */
export class CredentialVerifier {
  readonly #parts: VerifierParts
  readonly #underWay = new Set<string>()
  readonly #denials = new Map<string, Denials>()
  readonly #workedAtMs = new Map<string, number>()

  constructor(parts: VerifierParts) {
    this.#parts = parts
  }

  /** Resolves when the refusal is verified and handled. Need not be awaited; never rejects. */
  async note(refusal: CredentialRefusal): Promise<void> {
    const { router, clock, log } = this.#parts
    const { credentialId, evidence } = refusal
    const nowMs = clock.monotonicMs()
    if (nowMs - (this.#workedAtMs.get(credentialId) ?? Number.NEGATIVE_INFINITY) < VERDICT_KEPT_MS) {
      if (evidence === 'said') router.noteAccepted(refusal)
      return
    }
    if (this.#underWay.has(credentialId)) return
    if (evidence === 'denied' && !this.#isRepeated(refusal, nowMs)) return
    this.#underWay.add(credentialId)
    try {
      await this.#verify(refusal)
    } catch (error) {
      log.trouble(`credential ${credentialId} could not be verified`, error)
    } finally {
      this.#underWay.delete(credentialId)
    }
  }

  #isRepeated({ credentialId, modelId }: CredentialRefusal, nowMs: number): boolean {
    const name = JSON.stringify([credentialId, modelId])
    const known = this.#denials.get(name)
    const denials =
      known !== undefined && nowMs - known.sinceMs < DENIALS_KEPT_MS ? known : { count: 0, sinceMs: nowMs }
    denials.count += 1
    this.#denials.delete(name)
    if (denials.count >= DENIALS_TO_VERIFY) return true
    remember(this.#denials, name, denials)
    return false
  }

  async #verify(refusal: CredentialRefusal): Promise<void> {
    const { router, disable, clock, log } = this.#parts
    const { supplierId, credentialId, modelId, evidence } = refusal
    const visit = this.#planVisit(refusal)
    if (visit === null) {
      // Nothing can be asked of it: a refusal is believed, a suspicion is not.
      if (evidence === 'said') disable(refusal)
      return
    }
    const failure = await askForFailure(visit, this.#parts)
    const result = verdictOn(failure)
    log.notice('a credential that was refused has been verified', {
      supplierId,
      credentialId,
      modelId,
      result,
    })
    if (result === 'works') {
      remember(this.#workedAtMs, credentialId, clock.monotonicMs())
      router.noteAccepted(refusal)
    } else if (result === 'out of money') {
      router.noteRefused(refusal, 'credential')
    } else if (result === 'denied' && router.hasAnsweredLately(refusal)) {
      // It is good for other models.
      router.noteRefused(refusal, 'model')
    } else if (result !== 'unknown') {
      disable(refusal)
    }
  }

  /** null when there is nothing to ask it for. */
  #planVisit({ supplierId, credentialId, modelId }: CredentialRefusal): Visit | null {
    const { supply } = this.#parts.snapshot()
    const supplier = supply.suppliers.get(supplierId)
    const credential = supply.credentialsBySupplier.get(supplierId)?.find(({ id }) => id === credentialId)
    if (supplier === undefined || credential === undefined) return null
    return planVisit(supply, supplier, { credential, modelId })
  }
}

function remember<Value>(memory: Map<string, Value>, name: string, value: Value): void {
  memory.delete(name)
  memory.set(name, value)
  // The first is the one that was put in first.
  for (const oldest of memory.keys()) {
    if (memory.size <= MAX_REMEMBERED) break
    memory.delete(oldest)
  }
}

const MONEY = /\b(?:balance|credits?|quota|funds|billing|payment|spending limits?|usage limits?)\b/i

type Verdict = 'works' | 'refused' | 'denied' | 'out of money' | 'unknown'

/** The request was our own, so here its words can be believed. */
function verdictOn(failure: SupplierFailure | null): Verdict {
  switch (failure?.kind) {
    case undefined:
    // A supplier that judges the request, or its rate, has accepted the credential.
    case 'input':
    case 'context-length':
    case 'rate-limited':
      return 'works'
    case 'denied':
      return 'denied'
    case 'credential':
      return isAboutMoney(failure) ? 'out of money' : 'refused'
    default:
      return 'unknown'
  }
}

/** An account that is paid up works again by itself, so it needs no operator to enable it. */
function isAboutMoney({ status, message }: SupplierFailure): boolean {
  if (status === 402 || status === 429) return true
  return status !== 401 && status !== 403 && MONEY.test(message)
}
