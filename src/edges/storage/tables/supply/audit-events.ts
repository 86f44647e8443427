import type { Listing, Page } from '../../../../gateway/ports/storage.ts'
import { AuditEvent } from '../../../../vocabulary/audit-event.ts'
import { readPage } from '../../cursor.ts'
import type { Database } from '../../database.ts'
import { queryOn } from '../../query.ts'
import { insertRows, planInsert } from '../../statements.ts'
import type { Tables } from '../../tables.ts'

const { columns } = AuditEvent.without('AuditEventRow', ['before', 'after'])

const TABLE_COLUMNS = [
  ...columns,
  'before_change',
  'after_change',
] as const satisfies (keyof Tables['audit_events'])[]

// Written once: every change writes an event, and an import of payments thousands.
const INSERT = planInsert({ table: 'audit_events', columns: TABLE_COLUMNS, ending: '' })

export async function writeAuditEvent(tx: Database, event: AuditEvent): Promise<void> {
  const { before, after, ...row } = AuditEvent.toRow(event)
  await insertRows(tx, INSERT, [[...Object.values(row), before, after]])
}

export function listAuditEvents(database: Database, page: Page): Promise<Listing<AuditEvent>> {
  const query = queryOn(database)
    .selectFrom('audit_events')
    .select([...columns, 'before_change as before', 'after_change as after'])
  return readPage(query, page, { decode: (row) => AuditEvent.fromRow(row) })
}
