import type { Listing, Page } from '../../../gateway/ports/storage.ts'
import { AuditEvent } from '../../../vocabulary/audit-event.ts'
import { readPage } from '../cursor.ts'
import type { Database } from '../database.ts'
import { queryOn } from '../query.ts'

const { columns } = AuditEvent.without('AuditEventRow', ['before', 'after'])

export async function writeAuditEvent(tx: Database, event: AuditEvent): Promise<void> {
  const { before, after, ...row } = AuditEvent.toRow(event)
  await queryOn(tx)
    .insertInto('audit_events')
    .values({ ...row, before_change: before, after_change: after })
    .execute()
}

export function listAuditEvents(database: Database, page: Page): Promise<Listing<AuditEvent>> {
  const query = queryOn(database)
    .selectFrom('audit_events')
    .select([...columns, 'before_change as before', 'after_change as after'])
  return readPage(query, page, { decode: (row) => AuditEvent.fromRow(row) })
}
