import type { ModelCatalog } from '../../rules/catalog/names.ts'
import type { LiveConfiguration } from '../../serve/ports/configuration.ts'
import type { Log } from '../../serve/ports/log.ts'
import type { Clock } from '../../vocabulary/clock.ts'
import type { Snapshot } from '../../vocabulary/runtime/snapshot.ts'
import type { AuditLog } from '../identity/audit-log.ts'
import type { RandomSource } from '../operations/parts.ts'
import type { SendWebhook } from '../ports/alerts.ts'
import type { Diagnostics } from '../ports/diagnostics.ts'
import type { Operations } from '../ports/operations.ts'
import type { Storage } from '../ports/storage.ts'
import type { BodyKeeping } from './body-keeping.ts'
import type { LiveEvents } from './live-events.ts'

export interface ConsoleParts {
  snapshot(): Snapshot
  /** What is known of models that have no record. */
  readonly catalog?: ModelCatalog
  readonly configuration: Pick<LiveConfiguration, 'changing'>
  readonly operations: Operations
  readonly storage: Storage
  readonly bodies: BodyKeeping
  readonly events: LiveEvents
  readonly send: SendWebhook
  readonly examineOwn: Diagnostics['examineOwn']
  readonly random: Pick<RandomSource, 'id'>
  readonly audit: AuditLog
  readonly clock: Clock
  readonly log: Log
}
