import type { RecordTable } from '../../../../manage/ports/records.ts'
import type { RecordFields, RecordKind } from '../../../../vocabulary/records/record.ts'
import type { AuditEvent } from '../../../../vocabulary/system.ts'
import type { ConfigurationWriter } from '../../configuration-writer.ts'
import type { Database } from '../../engines/database.ts'
import { recordTable } from '../../table.ts'
import { withEvent } from './audit-events.ts'

interface RecordPlace {
  readonly database: Database
  readonly changes: Pick<ConfigurationWriter, 'writeIf'>
}

export function openRecords<F extends RecordFields>(
  { database, changes }: RecordPlace,
  kind: RecordKind<string, F>,
): RecordTable<F> {
  const table = recordTable(kind)
  const write = (event: AuditEvent, work: (tx: Database) => Promise<unknown>) =>
    kind.isConfiguration ? changes.writeIf(event, work) : withEvent(database, event, work)
  return {
    list: () => table.list(database),
    find: (id) => table.find(database, kind.whereId(id)),
    save: async (value, event) => {
      await write(event, (tx) => table.save(tx, value))
    },
    remove: async (id, event) => {
      await write(event, (tx) => table.remove(tx, kind.whereId(id)))
    },
  }
}
