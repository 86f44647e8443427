import type { SinkStream } from '../../../../vocabulary/observability/sink.ts'
import type { Database } from '../../engines/database.ts'
import { inPortions } from '../../query.ts'

export interface StoredLines {
  readonly stream: SinkStream
  /** In the order in which sinks get them. */
  readonly ids: readonly string[]
  /** The time of the newest. */
  readonly atMs: number
}

const LARGEST_ENTRY = 500

// The place of an entry need not be unique: entries that are written at the same time may go out in either order.
const ADD = {
  settlements: addText('has_settlements'),
  events: addText('has_events'),
} as const satisfies Record<SinkStream, string>

function addText(flag: string): string {
  return `insert into sink_entries (entry_id, sink_id, place, stream, ids, lines, at_ms)
    select cast($1 as text) || '-' || sinks.id, sinks.id,
      (select coalesce(max(waiting.place), 0) + 1 from sink_entries as waiting where waiting.sink_id = sinks.id),
      cast($2 as text), cast($3 as text), cast($4 as bigint), cast($5 as bigint)
    from sinks where sinks.enabled = 1 and sinks.${flag} = 1`
}

/** Queues what a transaction stores for every sink that wants it, in the same transaction. Without sinks, adds nothing. */
export async function addSinkEntries(tx: Database, { stream, ids, atMs }: StoredLines): Promise<void> {
  for (const portion of inPortions(ids, LARGEST_ENTRY)) {
    const entry = [crypto.randomUUID(), stream, JSON.stringify(portion), BigInt(portion.length), BigInt(atMs)]
    await tx.rows(ADD[stream], entry)
  }
}
