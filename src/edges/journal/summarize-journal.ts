import { statSync } from 'node:fs'
import { endedAtMs } from '../../rules/ledger/aggregate.ts'
import { settlementsOf } from '../../rules/ledger/journal-line.ts'
import { amount, integer, text, time } from '../../vocabulary/field.ts'
import { shape, type Value } from '../../vocabulary/shape.ts'
import { type JournalSource, linesIn } from './journal-sources.ts'
import { decodeLines } from './recover.ts'

export const JournalSummary = shape('JournalSummary', {
  folder: text(),
  files: integer(),
  bytes: integer(),
  settled: integer(),
  /** Admitted and never settled. */
  underWay: integer(),
  damaged: integer(),
  /** When the first and the last request ended; null when none did. */
  firstEndedAtMs: time().nullable(),
  lastEndedAtMs: time().nullable(),
  amountNano: amount(),
})
type JournalSummary = Value<typeof JournalSummary>

/** What a journal says, without asking any database. */
export function summarizeJournal(source: JournalSource): JournalSummary {
  const summary = {
    folder: source.folder,
    files: source.files.length,
    bytes: source.files.reduce((sum, file) => sum + statSync(file).size, 0),
    settled: 0,
    underWay: 0,
    damaged: 0,
    firstEndedAtMs: null as number | null,
    lastEndedAtMs: null as number | null,
    amountNano: 0n,
  }
  const lines = decodeLines(linesIn(source), () => {
    summary.damaged += 1
  })
  for (const settlement of settlementsOf(lines)) {
    if (settlement.outcome === 'interrupted') {
      summary.underWay += 1
      continue
    }
    const atMs = endedAtMs(settlement)
    summary.settled += 1
    summary.amountNano += settlement.amountNano
    summary.firstEndedAtMs = Math.min(summary.firstEndedAtMs ?? atMs, atMs)
    summary.lastEndedAtMs = Math.max(summary.lastEndedAtMs ?? atMs, atMs)
  }
  return summary
}
