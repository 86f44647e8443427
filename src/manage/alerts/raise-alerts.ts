import type { Log } from '../../serve/ports/log.ts'
import type { Alert, Notice } from '../../vocabulary/alert.ts'
import type { AuditEvent } from '../../vocabulary/system.ts'
import { ALERT_ACTIONS } from '../../vocabulary/words.ts'
import type { Storage } from '../ports/storage.ts'
import type { AlertWatch, Sighting } from './alert-watch.ts'

export interface RaiseParts {
  readonly watch: AlertWatch
  readonly storage: Pick<Storage, 'raiseAlert' | 'endOccasion'>
  /** A fresh id, `<prefix>_…`. */
  readonly newId: (prefix: string) => string
  readonly log: Log
  /** Called for each alert that this process stored. */
  readonly onRaised?: (alert: Alert) => void
}

const ACTOR = 'alerts'

/** Stores the notices of the watch in the background. */
export class AlertRaiser {
  readonly #parts: RaiseParts
  #raising: Promise<void> | null = null
  #isFailing = false
  #alerts = 0

  constructor(parts: RaiseParts) {
    this.#parts = parts
  }

  /** Resolves when all notices so far are stored, or cannot be for now. Never rejects. */
  raise(): Promise<void> {
    if (this.#parts.watch.first === undefined) return this.#raising ?? Promise.resolve()
    this.#raising ??= this.#raiseAll().finally(() => {
      this.#raising = null
    })
    return this.#raising
  }

  async #raiseAll(): Promise<void> {
    const { watch, log } = this.#parts
    try {
      for (let sighting = watch.first; sighting !== undefined; sighting = watch.first) {
        await this.#store(sighting)
        watch.removeFirst()
      }
      this.#isFailing = false
    } catch (error) {
      // Logged once, not at every retry.
      if (!this.#isFailing) log.trouble('alerts wait for the database', error)
      this.#isFailing = true
    }
  }

  async #store(sighting: Sighting): Promise<void> {
    const { storage } = this.#parts
    switch (sighting.type) {
      case 'notice': {
        const alert: Alert = { ...sighting.notice, id: this.#newId('alt') }
        if (await storage.raiseAlert(alert, this.#audit(alert))) this.#parts.onRaised?.(alert)
        return
      }
      case 'occasion-ended':
        return storage.endOccasion(sighting.occasion, sighting.atMs)
    }
  }

  // Notices of the same millisecond are sorted by id, so ids are sequential.
  #newId(prefix: string): string {
    this.#alerts += 1
    return this.#parts.newId(`${prefix}_${String(this.#alerts).padStart(10, '0')}`)
  }

  #audit({ kind, subject, atMs, data }: Notice): AuditEvent {
    return {
      id: this.#newId('aud'),
      atMs,
      actor: ACTOR,
      action: ALERT_ACTIONS[kind],
      subject,
      before: null,
      after: data,
    }
  }
}
