import { SETTLEMENT_EXPORT } from '../../rules/ledger/export-columns.ts'
import { formatTime } from '../../vocabulary/clock.ts'
import type { Settlement } from '../../vocabulary/settlement.ts'
import { AuditEvent } from '../../vocabulary/system.ts'
import type { SinkBatch } from '../ports/sinks.ts'

/** A batch as JSON Lines: settlements with the columns of the export, events as the audit log shows them. */
export function writeLines({ settlements, events }: SinkBatch): string {
  let text = ''
  for (const settlement of settlements) text += `${JSON.stringify(settlementLine(settlement))}\n`
  for (const event of events) text += `${JSON.stringify({ type: 'event', ...AuditEvent.show(event) })}\n`
  return text
}

function settlementLine(settlement: Settlement): Record<string, unknown> {
  const line: Record<string, unknown> = { type: 'settlement' }
  for (const { name, field, value } of SETTLEMENT_EXPORT) line[name] = field.codec.show(value(settlement))
  return line
}

/** The file of a batch. A batch that is sent again replaces its file. */
export function filePathOf({ id, stream, oldestAtMs }: SinkBatch): string {
  const time = formatTime(oldestAtMs)
  return `${stream}/${time.slice(0, 10)}/${time.replaceAll(/[-:.]/g, '')}-${id}.jsonl`
}
