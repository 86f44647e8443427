import { decodeJournalLine, type JournalLine, settlementsOf } from '../../rules/ledger/journal-line.ts'
import type { Settlement } from '../../vocabulary/settlement.ts'
import type { LineAt } from './read-lines.ts'
import type { SegmentFiles } from './segment-files.ts'

export interface Recovered {
  /** Of requests that had ended. */
  readonly settled: number
  /** Of requests that were under way. */
  readonly interrupted: number
  /** Lines that say nothing, such as one that a crash cut short. */
  readonly damaged: number
}

export type StoreBatch = (settlements: readonly Settlement[]) => Promise<void>

const BATCH = 200

/** Stores what the lines of a journal say that nobody writes any more. */
export async function recoverLines(lines: Iterable<LineAt>, store: StoreBatch): Promise<Recovered> {
  const counts = { settled: 0, interrupted: 0, damaged: 0 }
  const decoded = decodeLines(lines, () => {
    counts.damaged += 1
  })
  for (const batch of inBatches(settlementsOf(decoded))) {
    await store(batch)
    for (const { outcome } of batch) counts[outcome === 'interrupted' ? 'interrupted' : 'settled'] += 1
  }
  return counts
}

/** Stores what a process left in its folder, and empties it. */
export async function recoverFolder(files: SegmentFiles, store: StoreBatch): Promise<Recovered> {
  const left = files.numbers()
  const recovered = await recoverLines(linesOf(files, left), store)
  for (const number of left) files.remove(number)
  return recovered
}

export function* decodeLines(lines: Iterable<LineAt>, onDamaged: () => void): Generator<JournalLine> {
  for (const { text } of lines) {
    if (text === '') continue
    const line = decodeJournalLine(text)
    if (line === null) onDamaged()
    else yield line
  }
}

function* linesOf(files: SegmentFiles, numbers: readonly number[]): Generator<LineAt> {
  for (const number of numbers) yield* files.read(number)
}

/** No request twice in one. */
function* inBatches(settlements: Iterable<Settlement>): Generator<Settlement[]> {
  let batch = new Map<string, Settlement>()
  for (const settlement of settlements) {
    if (batch.has(settlement.requestId)) continue
    batch.set(settlement.requestId, settlement)
    if (batch.size < BATCH) continue
    yield [...batch.values()]
    batch = new Map()
  }
  if (batch.size > 0) yield [...batch.values()]
}
