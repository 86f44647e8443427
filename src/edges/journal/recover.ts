import { type JournalLine, settlementsOf } from '../../rules/ledger/journal-line.ts'
import type { Settlement } from '../../vocabulary/settlement.ts'
import { tryLockFolder } from './folder-lock.ts'
import { findJournalFolders } from './journal-folders.ts'
import type { LineAt } from './read-lines.ts'
import { decodeSealedLine, SegmentFiles } from './segment-files.ts'

export interface Recovered {
  /** Requests that had ended. */
  readonly settled: number
  /** Requests that were under way. */
  readonly interrupted: number
  /** Unreadable lines, such as one that a crash cut short. */
  readonly damaged: number
}

export type StoreBatch = (settlements: readonly Settlement[]) => Promise<void>

export interface RecoverParts {
  readonly store: StoreBatch
  /** Called for an unreadable line before its file is removed. */
  readonly onDamaged: (line: LineAt) => void
}

const BATCH = 200

/** Stores the settlements in a journal that no process writes. */
export async function recoverLines(
  lines: Iterable<LineAt>,
  store: StoreBatch,
  onDamaged: (line: LineAt) => void = () => undefined,
): Promise<Recovered> {
  const counts = { settled: 0, interrupted: 0, damaged: 0 }
  const decoded = decodeLines(lines, (line) => {
    counts.damaged += 1
    onDamaged(line)
  })
  for (const batch of inBatches(settlementsOf(decoded))) {
    await store(batch)
    for (const { outcome } of batch) counts[outcome === 'interrupted' ? 'interrupted' : 'settled'] += 1
  }
  return counts
}

/** Stores what a process left in its folder and empties the folder. */
export async function recoverFolder(
  files: SegmentFiles,
  { store, onDamaged }: RecoverParts,
): Promise<Recovered> {
  const left = files.numbers()
  const damaged: LineAt[] = []
  const recovered = await recoverLines(linesOf(files, left), store, (line) => damaged.push(line))
  // Only now: a start that fails earlier reads the same lines again, and each must be kept once.
  for (const line of damaged) onDamaged(line)
  for (const number of left) files.remove(number)
  return recovered
}

export function* decodeLines(
  lines: Iterable<LineAt>,
  onDamaged: (line: LineAt) => void,
): Generator<JournalLine> {
  for (const at of lines) {
    if (at.text === '') continue
    const line = decodeSealedLine(at.text)
    if (line === null) onDamaged(at)
    else yield line
  }
}

function* linesOf(files: SegmentFiles, numbers: readonly number[]): Generator<LineAt> {
  for (const number of numbers) yield* files.read(number)
}

/** No batch contains a request twice. */
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

/** A journal line that cannot be read. */
export interface DamagedLine {
  readonly path: string
  readonly offset: number
  readonly bytes: number
  /** `cut_off`: cut short at the end of the file by a crash, before it was acknowledged. `altered`: changed later. */
  readonly kind: 'cut_off' | 'altered'
  /** Where its bytes were copied; null when that failed, and then its file stays. */
  readonly keptIn: string | null
}

export function damagedLine(
  { path, startsAt, endsAt, isCutOff }: LineAt,
  keptIn: string | null,
): DamagedLine {
  return { path, offset: startsAt, bytes: endsAt - startsAt, kind: isCutOff ? 'cut_off' : 'altered', keptIn }
}

/** Recovers the journals of a data folder that no running process holds. */
export async function takeOverJournals(
  { dataFolder, isSynced }: { readonly dataFolder: string; readonly isSynced: boolean },
  recover: (files: SegmentFiles, folder: string) => Promise<void>,
): Promise<void> {
  for (const folder of findJournalFolders(dataFolder)) {
    const lock = tryLockFolder(folder)
    // In use, possibly by this process itself.
    if (lock === null) continue
    try {
      await recover(new SegmentFiles(folder, { isSynced }), folder)
    } finally {
      lock.release()
    }
  }
}
