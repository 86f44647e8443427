import type { RecordFields, RecordKind, RecordSettings } from '../../vocabulary/records/record.ts'
import type { ValueIn } from '../../vocabulary/shape.ts'
import type { AuditEvent } from '../../vocabulary/system.ts'
import type { Listing, Page } from './page.ts'

/** The table of one kind of record. Each change is one transaction together with its audit event. */
export interface RecordTable<F extends RecordFields> {
  /** All of them: operators write records by hand, so there are few. */
  list(): Promise<readonly ValueIn<F>[]>
  find(id: string): Promise<ValueIn<F> | null>
  /** Inserts or replaces. */
  save(value: ValueIn<F>, event: AuditEvent): Promise<void>
  remove(id: string, event: AuditEvent): Promise<void>
}

export interface RecordStore {
  records<F extends RecordFields>(kind: RecordKind<string, F>): RecordTable<F>
}

/** What operators do with one kind of record. */
export interface RecordOperations<F extends RecordFields> {
  list(page: Page): Promise<Listing<ValueIn<F>>>
  /** All of them, in the order of the list. */
  listAll(): Promise<readonly ValueIn<F>[]>
  find(id: string): Promise<ValueIn<F>>
  /** Creates or replaces. A record that does not change leaves no audit event. */
  put(id: string, settings: RecordSettings<F>, actor: string): Promise<ValueIn<F>>
  delete(id: string, actor: string): Promise<void>
}
