import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Listing, Page } from '../../../../manage/ports/page.ts'
import type { Value } from '../../../../vocabulary/shape.ts'
import type { AuditEvent, AuditFilter } from '../../../../vocabulary/system.ts'
import { readPage } from '../../cursor.ts'
import type { Database } from '../../engines/database.ts'
import { allOf, given, queryOn } from '../../query.ts'
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

export function listAuditEvents(
  database: Database,
  page: Page,
  { actor, kind, subject, fromMs, toMs }: AuditFilter = {},
): Promise<Listing<AuditEvent>> {
  const conditions = given<'audit_events'>([
    ['at_ms', '>=', fromMs],
    ['at_ms', '<', toMs],
    // Actions begin with the kind and a full stop, after which comes the slash.
    ['action', '>=', kind && `${kind}.`],
    ['action', '<', kind && `${kind}/`],
  ])
  const query = queryOn(database)
    .selectFrom('audit_events')
    .select(StoredEvent.columns)
    .where(allOf([...conditions, ...contains('actor', actor), ...contains('subject', subject)]))
  return readPage(query, page, { decode: (row) => decodeEvent(StoredEvent.fromRow(row)) })
}

/** Whether a column contains a text, whatever the case of its letters. */
function contains(column: 'actor' | 'subject', wanted: string | undefined): RawBuilder<SqlBool>[] {
  if (wanted === undefined) return []
  const pattern = `%${wanted.toLowerCase().replaceAll(/[\\%_]/g, '\\$&')}%`
  return [sql<SqlBool>`lower(${sql.ref(column)}) like ${pattern} escape '\\'`]
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
