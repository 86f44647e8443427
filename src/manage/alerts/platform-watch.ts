import type { CandidateIds } from '../../rules/routing/supply-health.ts'
import type { AlertKind, Notice } from '../../vocabulary/alert.ts'
import type { Clock } from '../../vocabulary/clock.ts'
import type { OperatorMessage } from '../../vocabulary/observability/alert-channel.ts'
import type { Snapshot } from '../../vocabulary/runtime/snapshot.ts'
import type { Standing } from '../../vocabulary/supply.ts'
import type { AlertStore } from '../ports/alerts.ts'
import type { SinkStore } from '../ports/sinks.ts'
import type { AlertWatch } from './alert-watch.ts'

/** What the watch looks at. */
export interface Platform {
  standing(ids: CandidateIds): Standing
  readonly journal: { readonly waiting: number; readonly oldestAtMs: number | null }
  readonly nodeName: string
}

export interface PlatformParts {
  readonly snapshot: () => Snapshot
  readonly platform: Platform
  readonly storage: Pick<SinkStore, 'loadSinkStates'> & Pick<AlertStore, 'loadOpenOccasions'>
  readonly clock: Clock
  readonly watch: Pick<AlertWatch, 'note' | 'noteEnded'>
  /** Tells operators without the database. */
  readonly tellNow: (message: OperatorMessage) => Promise<void>
  readonly newId: (prefix: string) => string
  /** Occasions that were reported and have not ended. */
  readonly openOccasions: readonly string[]
}

// Shorter failures are normal, and requests go elsewhere.
const CIRCUIT_PATIENCE_MS = 5 * 60_000
const JOURNAL_PATIENCE_MS = 60_000
const SINK_PATIENCE_MS = 5 * 60_000
const LEAST_SINK_FAILURES = 3

/** Notices what concerns the platform as a whole: suppliers that fail for long, sinks that fail, and a slow database. */
export class PlatformWatch {
  readonly #parts: PlatformParts
  readonly #reported: Set<string>
  /** Since when each circuit has not been closed. */
  #openSinceMs = new Map<string, number>()
  #journalAlert: OperatorMessage | null = null

  constructor(parts: PlatformParts) {
    this.#parts = parts
    this.#reported = new Set(parts.openOccasions)
  }

  /** Call it every few seconds. Rejects when the database does not answer. */
  async look(): Promise<void> {
    this.#lookAtJournal()
    await this.#lookAtCircuits()
    await this.#lookAtSinks()
  }

  /** Each node judges by its own requests, and an alert that any of them sees stays or comes back. */
  async #lookAtCircuits(): Promise<void> {
    const { snapshot, platform, clock } = this.#parts
    const nowMs = clock.nowMs()
    const open = new Map<string, number>()
    const found = new Map<string, Notice>()
    const untried = new Set<string>()
    for (const { route, credentialId } of candidatesOf(snapshot())) {
      const ids = { modelId: route.modelId, supplierId: route.supplierId, credentialId }
      const subject = `${ids.modelId}/routes/${ids.supplierId}`
      const occasion = `circuit.open ${subject} ${credentialId}`
      const { circuit, latencyMs } = platform.standing(ids)
      if (circuit === 'closed') {
        if (latencyMs === null) untried.add(occasion)
        continue
      }
      const sinceMs = this.#openSinceMs.get(occasion) ?? nowMs
      open.set(occasion, sinceMs)
      if (nowMs - sinceMs < CIRCUIT_PATIENCE_MS) continue
      const data = { model: ids.modelId, supplier: ids.supplierId, credential_id: credentialId }
      found.set(occasion, this.#noticeOf('circuit.open', { subject, occasion, data }))
    }
    this.#openSinceMs = open
    await this.#forgetEndedElsewhere('circuit.open', found)
    this.#report('circuit.open', found, untried)
  }

  /** Another node has seen a success and ended an alert that this node still sees. */
  async #forgetEndedElsewhere(kind: AlertKind, found: ReadonlyMap<string, Notice>): Promise<void> {
    const reported = [...found.keys()].filter((occasion) => this.#reported.has(occasion))
    if (reported.length === 0) return
    const open = new Set(await this.#parts.storage.loadOpenOccasions(kind))
    for (const occasion of reported) if (!open.has(occasion)) this.#reported.delete(occasion)
  }

  async #lookAtSinks(): Promise<void> {
    const { storage, clock } = this.#parts
    const found = new Map<string, Notice>()
    for (const [id, { failures, lastFailure, oldestAtMs }] of await storage.loadSinkStates()) {
      const isLate = oldestAtMs !== null && clock.nowMs() - oldestAtMs >= SINK_PATIENCE_MS
      const occasion = `sink.failing ${id}`
      // One that was reported stays so until a try succeeds.
      const isFailing = failures > 0 && this.#reported.has(occasion)
      if (!isFailing && !(failures >= LEAST_SINK_FAILURES && isLate)) continue
      const data = { sink: id, failures, failure: lastFailure }
      found.set(occasion, this.#noticeOf('sink.failing', { subject: id, occasion, data }))
    }
    this.#report('sink.failing', found)
  }

  /** The database may not answer, so that operators are told at once, and the alert is stored later. */
  #lookAtJournal(): void {
    const { platform, clock, watch, tellNow } = this.#parts
    const { waiting, oldestAtMs } = platform.journal
    const nowMs = clock.nowMs()
    const occasion = `journal.waiting ${platform.nodeName}`
    const isWaiting = oldestAtMs !== null && nowMs - oldestAtMs >= JOURNAL_PATIENCE_MS
    if (isWaiting === (this.#journalAlert !== null)) return
    if (this.#journalAlert !== null) {
      void tellNow({ ...this.#journalAlert, status: 'resolved', atMs: nowMs })
      this.#journalAlert = null
      watch.noteEnded(occasion)
      return
    }
    const oldestSeconds = Math.round((nowMs - (oldestAtMs ?? nowMs)) / 1_000)
    const data = { node: platform.nodeName, waiting, oldest_seconds: oldestSeconds }
    const notice = this.#noticeOf('journal.waiting', { subject: platform.nodeName, occasion, data })
    const { occasion: _, ...told } = notice
    this.#journalAlert = { ...told, id: this.#parts.newId('alt'), status: 'raised' }
    void tellNow(this.#journalAlert)
    watch.note(notice)
  }

  #noticeOf(kind: AlertKind, about: Pick<Notice, 'subject' | 'occasion' | 'data'>): Notice {
    return { kind, accountId: null, atMs: this.#parts.clock.nowMs(), ...about }
  }

  /** Notes what is new, and what of this kind is over; not what this node knows nothing of yet, as after a start. */
  #report(
    kind: AlertKind,
    found: ReadonlyMap<string, Notice>,
    unknown: ReadonlySet<string> = new Set(),
  ): void {
    const { watch } = this.#parts
    for (const [occasion, notice] of found) {
      if (!this.#reported.has(occasion)) watch.note(notice)
      this.#reported.add(occasion)
    }
    for (const occasion of this.#reported) {
      if (!occasion.startsWith(`${kind} `) || found.has(occasion) || unknown.has(occasion)) continue
      this.#reported.delete(occasion)
      watch.noteEnded(occasion)
    }
  }
}

function* candidatesOf({ supply }: Snapshot) {
  for (const routes of supply.routesByModel.values()) {
    for (const route of routes) {
      if (!route.enabled || supply.suppliers.get(route.supplierId)?.enabled !== true) continue
      for (const { id, state } of supply.credentialsBySupplier.get(route.supplierId) ?? []) {
        if (state === 'active') yield { route, credentialId: id }
      }
    }
  }
}
