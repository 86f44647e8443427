import { sql } from 'kysely'
import type { SinkBatch } from '../../../../manage/ports/sinks.ts'
import { type Sink, SinkProgress } from '../../../../vocabulary/observability/sink.ts'
import type { Settlement } from '../../../../vocabulary/settlement.ts'
import type { AuditEvent } from '../../../../vocabulary/system.ts'
import type { Database } from '../../engines/database.ts'
import { prepare, queryOn } from '../../query.ts'
import type { StoreContext, StoreMethods } from '../../store.ts'
import { SinkEntry, SinkState, StoredSink } from '../../stored-shapes.ts'
import { findSettlements } from '../money/settlements.ts'
import { findAuditEvents, withEvent } from './audit-events.ts'
import { SEALED_COLUMNS } from './sealed-columns.ts'

const CheapState = SinkProgress.pick('CheapState', ['failures', 'nextTryAtMs', 'lastFailure', 'oldestAtMs'])

// Entries are small when there is little traffic.
const MAX_ENTRIES = 500

// Asked for every second, also while nothing happens.
const ALL_SINKS = prepare((query) => query.selectFrom('sinks').select(StoredSink.columns).orderBy('id'))

/** Sinks, how far they have got, and what waits for them. */
export const sinkStore = {
  loadSinks: async ({ database, secrets }) => {
    const rows = await ALL_SINKS.all(database, {})
    return rows.map((row) => {
      const { sealedSecret, ...sink } = StoredSink.fromRow(row)
      return { ...sink, secret: secrets.open(sealedSecret, { ...SEALED_COLUMNS.sinks, id: sink.id }) }
    })
  },
  loadSinkStates: async ({ database }) => {
    const rows = await queryOn(database)
      .selectFrom('sinks')
      .select(['id', 'failures', 'next_try_at_ms', 'last_failure'])
      .select((row) =>
        row
          .selectFrom('sink_entries')
          .select('at_ms')
          .whereRef('sink_id', '=', 'sinks.id')
          .orderBy('place')
          .orderBy('entry_id')
          .limit(1n)
          .as('oldest_at_ms'),
      )
      .execute()
    return new Map(rows.map(({ id, ...row }) => [id, CheapState.fromRow(row)]))
  },
  loadSinkProgress: async ({ database }) => {
    const rows = await queryOn(database)
      .selectFrom('sinks')
      .leftJoin('sink_entries', 'sink_entries.sink_id', 'sinks.id')
      .select(['sinks.id', ...SinkState.columns])
      .select([
        sql<bigint>`cast(coalesce(sum(sink_entries.lines), 0) as bigint)`.as('waiting'),
        sql<bigint | null>`min(sink_entries.at_ms)`.as('oldest_at_ms'),
      ])
      .groupBy(['sinks.id', ...SinkState.columns])
      .execute()
    return new Map(rows.map((row) => [row.id, SinkProgress.fromRow(row)]))
  },
  saveSink: ({ database, secrets }, sink, event) =>
    withEvent(database, event, async (tx) => {
      const { id, ...row } = StoredSink.toRow(sealed(sink, secrets))
      await queryOn(tx)
        .insertInto('sinks')
        .values({ id, ...row })
        // What made it fail may be mended, so that it is tried at once.
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ ...row, next_try_at_ms: null }))
        .execute()
      if (sink.enabled) return
      // A sink that gets nothing any more has no backlog, and does not fail.
      const rest = { failures: 0n, last_failure: null }
      await queryOn(tx).updateTable('sinks').set(rest).where('id', '=', id).execute()
      await queryOn(tx).deleteFrom('sink_entries').where('sink_id', '=', id).execute()
    }),
  deleteSink: ({ database }, id, event) =>
    withEvent(database, event, async (tx) => {
      await queryOn(tx).deleteFrom('sink_entries').where('sink_id', '=', id).execute()
      await queryOn(tx).deleteFrom('sinks').where('id', '=', id).execute()
    }),
  loadSinkBatch: ({ database }, sinkId, maxLines) => loadBatch(database, sinkId, maxLines),
  endSinkTry: async ({ database }, sinkId, end) => {
    if (end.type === 'failed') {
      const { failure, failures, nextTryAtMs } = end
      await queryOn(database)
        .updateTable('sinks')
        .set({
          failures: BigInt(failures),
          next_try_at_ms: BigInt(nextTryAtMs),
          last_failure: failure,
        })
        .where('id', '=', sinkId)
        .execute()
      return
    }
    const { batch, atMs } = end
    const lines = BigInt(batch.settlements.length + batch.events.length)
    await database.transaction(async (tx) => {
      await queryOn(tx).deleteFrom('sink_entries').where('entry_id', 'in', batch.entryIds).execute()
      await queryOn(tx)
        .updateTable('sinks')
        .set((row) => ({
          sent: row('sent', '+', lines),
          lost: row('lost', '+', BigInt(batch.missing)),
          last_sent_at_ms: BigInt(atMs),
          failures: 0n,
          next_try_at_ms: null,
          last_failure: null,
        }))
        .where('id', '=', sinkId)
        .execute()
    })
  },
  dropOldSinkLines: ({ database }, beforeMs) =>
    database.transaction(async (tx) => {
      const dropped = await queryOn(tx)
        .deleteFrom('sink_entries')
        .where('at_ms', '<', BigInt(beforeMs))
        .returning(['sink_id', 'lines'])
        .execute()
      const lost = new Map<string, number>()
      for (const [sinkId, entries] of Map.groupBy(dropped, (entry) => entry.sink_id)) {
        const lines = entries.reduce((sum, entry) => sum + entry.lines, 0n)
        await queryOn(tx)
          .updateTable('sinks')
          .set((row) => ({ lost: row('lost', '+', lines) }))
          .where('id', '=', sinkId)
          .execute()
        lost.set(sinkId, Number(lines))
      }
      return lost
    }),
} satisfies Partial<StoreMethods>

function sealed({ secret, ...sink }: Sink, secrets: StoreContext['secrets']) {
  return { ...sink, sealedSecret: secrets.seal(secret, { ...SEALED_COLUMNS.sinks, id: sink.id }) }
}

async function loadBatch(database: Database, sinkId: string, maxLines: number): Promise<SinkBatch | null> {
  const rows = await queryOn(database)
    .selectFrom('sink_entries')
    .select(SinkEntry.columns)
    .where('sink_id', '=', sinkId)
    .orderBy('place')
    .orderBy('entry_id')
    .limit(BigInt(MAX_ENTRIES))
    .execute()
  const entries = rows.map((row) => SinkEntry.fromRow(row))
  const [first] = entries
  if (first === undefined) return null
  const taken = takeWhileFitting(entries, first.stream, maxLines)
  const ids = taken.flatMap((entry) => entry.ids)
  const isOfSettlements = first.stream === 'settlements'
  const settlements = isOfSettlements ? await findSettlements(database, ids) : []
  const events = isOfSettlements ? [] : await findAuditEvents(database, ids)
  return {
    id: first.entryId.slice(0, UUID_LENGTH),
    stream: first.stream,
    settlements: inOrder(ids, settlements, ({ requestId }: Settlement) => requestId),
    events: inOrder(ids, events, ({ id }: AuditEvent) => id),
    missing: ids.length - settlements.length - events.length,
    oldestAtMs: Math.min(...taken.map(({ atMs }) => atMs)),
    isFull: taken.length < entries.length || entries.length === MAX_ENTRIES,
    entryIds: taken.map(({ entryId }) => entryId),
  }
}

const UUID_LENGTH = 36

type Entry = ReturnType<typeof SinkEntry.fromRow>

/** At least one, all of one stream. */
function takeWhileFitting(entries: readonly Entry[], stream: string, maxLines: number): readonly Entry[] {
  let lines = 0
  const end = entries.findIndex((entry) => {
    lines += entry.lines
    return entry.stream !== stream || lines > maxLines
  })
  return end === -1 ? entries : entries.slice(0, Math.max(1, end))
}

function inOrder<T>(ids: readonly string[], found: readonly T[], idOf: (item: T) => string): readonly T[] {
  const byId = new Map(found.map((item) => [idOf(item), item]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}
