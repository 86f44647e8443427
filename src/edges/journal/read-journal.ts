import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { JournalReading } from '../../manage/ports/ledger.ts'
import { settlementsOf } from '../../rules/ledger/journal-line.ts'
import { endedAtMs } from '../../rules/ledger/period.ts'
import { amount, integer, text, time } from '../../vocabulary/field.ts'
import type { Settlement } from '../../vocabulary/settlement.ts'
import { shape, type Value } from '../../vocabulary/shape.ts'
import { findJournalFolders, type JournalSource, linesIn } from './journal-folders.ts'
import { readLines } from './read-lines.ts'
import { decodeLines } from './recover.ts'
import { decodeSealedLine, SEGMENT_NAME, SET_ASIDE_NAME } from './segment-files.ts'

/** A file up to its size at some moment. */
interface Extent {
  readonly path: string
  readonly bytes: number
}

/** A snapshot of the journal. Its files are read later, up to their current size. */
export function readJournal(folder: string): JournalReading {
  const names = existsSync(folder) ? readdirSync(folder).sort() : []
  const measure = (name: string): Extent[] => {
    const path = join(folder, name)
    return existsSync(path) ? [{ path, bytes: statSync(path).size }] : []
  }
  const segments = names.filter((name) => SEGMENT_NAME.test(name)).flatMap(measure)
  const asides = names.filter((name) => name === SET_ASIDE_NAME).flatMap(measure)
  return { settled: () => settlementsIn(segments), setAside: () => settlementsIn(asides) }
}

/** A snapshot of all journals in a data folder. Each worker has its own. */
export function readJournals(dataFolder: string): JournalReading {
  const journals = findJournalFolders(dataFolder).map(readJournal)
  return {
    settled: () => inTurn(journals.map((journal) => journal.settled())),
    setAside: () => inTurn(journals.map((journal) => journal.setAside())),
  }
}

function* inTurn(lists: readonly Iterable<Settlement>[]): Generator<Settlement> {
  for (const list of lists) yield* list
}

function* settlementsIn(extents: readonly Extent[]): Generator<Settlement> {
  for (const { path, bytes } of extents) {
    // A segment is removed once the database has all of it; then there is nothing left to compare.
    if (!existsSync(path)) continue
    for (const { text } of readLines(path, { to: bytes })) {
      const decoded = text === '' ? null : decodeSealedLine(text)
      if (decoded?.type === 'settled') yield decoded.settlement
    }
  }
}

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

/** Summarizes a journal without a database. */
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
