import type { AuditEvent, Listing, Page } from '../../../gateway/ports/storage.ts'
import { toStoredJson } from '../columns.ts'
import { decodeCursor, pageOf } from '../cursor.ts'
import type { Database, Parameter } from '../database.ts'

interface AuditEventRow {
  readonly id: string
  readonly at_ms: bigint
  readonly actor: string
  readonly action: string
  readonly subject: string
  readonly before_change: string | null
  readonly after_change: string | null
}

export async function writeAuditEvent(tx: Database, event: AuditEvent): Promise<void> {
  await tx.rows(
    `insert into audit_events (id, at_ms, actor, action, subject, before_change, after_change)
    values ($1, $2, $3, $4, $5, $6, $7)`,
    [
      event.id,
      BigInt(event.atMs),
      event.actor,
      event.action,
      event.subject,
      event.before && toStoredJson(event.before),
      event.after && toStoredJson(event.after),
    ],
  )
}

export async function listAuditEvents(database: Database, page: Page): Promise<Listing<AuditEvent>> {
  const parameters: Parameter[] = []
  let condition = ''
  if (page.cursor !== null) {
    const { atMs, id } = decodeCursor(page.cursor)
    condition = 'where (at_ms, id) < ($1, $2)'
    parameters.push(BigInt(atMs), id)
  }
  parameters.push(BigInt(page.limit + 1))
  const rows = await database.rows<AuditEventRow>(
    `select id, at_ms, actor, action, subject, before_change, after_change
    from audit_events ${condition} order by at_ms desc, id desc limit $${parameters.length}`,
    parameters,
  )
  return pageOf(rows.map(decodeAuditEvent), page, ({ atMs, id }) => ({ atMs, id }))
}

function decodeAuditEvent(row: AuditEventRow): AuditEvent {
  const before: object | null = row.before_change && JSON.parse(row.before_change)
  const after: object | null = row.after_change && JSON.parse(row.after_change)
  return {
    id: row.id,
    atMs: Number(row.at_ms),
    actor: row.actor,
    action: row.action,
    subject: row.subject,
    before,
    after,
  }
}
