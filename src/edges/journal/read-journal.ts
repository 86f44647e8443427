import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { JournalReading } from '../../manage/ports/books.ts'
import type { Settlement } from '../../vocabulary/settlement.ts'
import { findJournalFolders } from './journal-folders.ts'
import { readLines } from './read-lines.ts'
import { decodeSealedLine } from './sealed-line.ts'
import { SEGMENT_NAME, SET_ASIDE_NAME } from './segment-files.ts'

/** A file as far as it had been written at some moment. */
interface Extent {
  readonly path: string
  readonly bytes: number
}

/** What the journal says now. Its files are read later, and no further than they go now. */
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

/** What all journals of a data folder say: each of several workers has its own. */
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
    // A segment is removed as soon as the database has all of it, and with it there is nothing left to compare.
    if (!existsSync(path)) continue
    for (const { text } of readLines(path, { to: bytes })) {
      const decoded = text === '' ? null : decodeSealedLine(text)
      if (decoded?.type === 'settled') yield decoded.settlement
    }
  }
}
