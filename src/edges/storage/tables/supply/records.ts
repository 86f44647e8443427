import type { RecordTable } from '../../../../manage/ports/records.ts'
import type { RecordFields, RecordKind } from '../../../../vocabulary/records/record.ts'
import type { Database } from '../../engines/database.ts'
import { recordTable } from '../../table.ts'
import { withEvent } from './audit-events.ts'

export function openRecords<F extends RecordFields>(
  database: Database,
  kind: RecordKind<string, F>,
): RecordTable<F> {
  const table = recordTable(kind)
  return {
    list: () => table.list(database),
    find: (id) => table.find(database, kind.whereId(id)),
    save: (value, event) => withEvent(database, event, (tx) => table.save(tx, value)),
    remove: async (id, event) => {
      await withEvent(database, event, (tx) => table.remove(tx, kind.whereId(id)))
    },
  }
}
