import type { Listing, Page } from '../../../../manage/ports/page.ts'
import type { Value } from '../../../../vocabulary/shape.ts'
import type { AuditEvent } from '../../../../vocabulary/system.ts'
import { readPage } from '../../cursor.ts'
import type { Database } from '../../engines/database.ts'
import { queryOn } from '../../query.ts'
import { StoredEvent } from '../../stored-shapes.ts'
import { tableOf } from '../../table.ts'
import { addSinkEntries } from './sink-entries.ts'

const EVENTS = tableOf('audit_events', StoredEvent, { key: ['id'] })

/** Inside a transaction: sinks get the event as well, or neither is stored. */
export async function writeAuditEvent(tx: Database, event: AuditEvent): Promise<void> {
  await EVENTS.insert(tx, { ...event, beforeChange: event.before, afterChange: event.after })
  await addSinkEntries(tx, { stream: 'events', ids: [event.id], atMs: event.atMs })
}

/** Stores a change and its audit event, both or neither. */
export function withEvent<Result>(
  database: Database,
  event: AuditEvent | null,
  work: (tx: Database) => Promise<Result>,
): Promise<Result> {
  return database.transaction(async (tx) => {
    const result = await work(tx)
    if (isChange(result) && event !== null) await writeAuditEvent(tx, event)
    return result
  })
}

/** Whether work changed something: its result is not false, not a count of zero, and not an earlier record. */
export function isChange(result: unknown): boolean {
  const isOld = typeof result === 'object' && result !== null && 'isNew' in result && !result.isNew
  return result !== false && result !== 0 && !isOld
}

export function listAuditEvents(database: Database, page: Page): Promise<Listing<AuditEvent>> {
  const query = queryOn(database).selectFrom('audit_events').select(StoredEvent.columns)
  return readPage(query, page, { decode: (row) => decodeEvent(StoredEvent.fromRow(row)) })
}

function decodeEvent({ beforeChange, afterChange, ...event }: Value<typeof StoredEvent>): AuditEvent {
  return { ...event, before: beforeChange, after: afterChange }
}

/** In any order. */
export async function findAuditEvents(
  database: Database,
  ids: readonly string[],
): Promise<readonly AuditEvent[]> {
  return (await EVENTS.listOf(database, { field: 'id', values: ids })).map(decodeEvent)
}
