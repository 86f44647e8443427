import type { BuiltInCatalog } from '../../rules/catalog/built-in/read-catalog.ts'
import type { CallTools } from '../../suppliers/supplier-type.ts'
import type { Clock } from '../../vocabulary/clock.ts'
import type { Snapshot } from '../../vocabulary/snapshot.ts'
import type { CallSupplier } from '../ports/supplier-call.ts'

export interface DiagnosisParts {
  snapshot(): Snapshot
  readonly callSupplier: CallSupplier
  readonly callTools: CallTools
  readonly catalog: BuiltInCatalog
  readonly clock: Clock
  /** How long one call may take. */
  readonly patienceMs: number
}
