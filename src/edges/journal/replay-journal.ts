import type { Settlement } from '../../vocabulary/settlement.ts'
import { type FolderLock, tryLockFolder, wasEverLocked } from './folder-lock.ts'
import { type JournalSource, linesIn } from './journal-folders.ts'
import { persistBatch } from './persist-batch.ts'
import { decodeLines, recoverLines } from './recover.ts'

export interface ReplayTarget {
  /** Those of these accounts that the database does not know. */
  findStrangers(accountIds: readonly string[]): Promise<readonly string[]>
  /** The requests of these whose settlement is stored, and was not only presumed. */
  findKnown(settlements: readonly Settlement[]): Promise<ReadonlySet<string>>
  persist(settlements: readonly Settlement[]): Promise<unknown>
  isRefusal(error: unknown): boolean
}

export interface Replayed {
  /** Settlements that were stored. */
  readonly added: number
  /** Requests whose settlement was stored before. */
  readonly known: number
  /** Requests that were under way, now stored as interrupted. */
  readonly interrupted: number
  readonly damaged: number
  /** Requests whose settlement the database will never take. */
  readonly refused: readonly string[]
}

export const NOTHING_REPLAYED: Replayed = { added: 0, known: 0, interrupted: 0, damaged: 0, refused: [] }

/** Stores what a journal says that no running process writes, as a start would. The files stay as they are. */
export async function replayJournal(source: JournalSource, target: ReplayTarget): Promise<Replayed> {
  const counts = { added: 0, known: 0, interrupted: 0 }
  const refused: string[] = []
  const { damaged } = await recoverLines(linesIn(source), async (batch) => {
    const known = await target.findKnown(batch)
    const fresh = batch.filter(({ requestId }) => !known.has(requestId))
    const refusedBefore = refused.length
    await persistBatch(fresh, {
      persist: async (settlements) => void (await target.persist(settlements)),
      isRefusal: target.isRefusal,
      setAside: ({ requestId }) => void refused.push(requestId),
    })
    const refusedHere = new Set(refused.slice(refusedBefore))
    counts.known += known.size
    for (const { requestId, outcome } of fresh) {
      if (!refusedHere.has(requestId)) counts[outcome === 'interrupted' ? 'interrupted' : 'added'] += 1
    }
  })
  return { ...counts, damaged, refused }
}

/** Whose requests a journal tells of. */
export function accountsIn(source: JournalSource): readonly string[] {
  const accounts = new Set<string>()
  for (const line of decodeLines(linesIn(source), () => undefined)) {
    accounts.add(line.type === 'open' ? line.record.accountId : line.settlement.accountId)
  }
  return [...accounts]
}

export function sumReplayed(one: Replayed, other: Replayed): Replayed {
  return {
    added: one.added + other.added,
    known: one.known + other.known,
    interrupted: one.interrupted + other.interrupted,
    damaged: one.damaged + other.damaged,
    refused: [...one.refused, ...other.refused],
  }
}

/** Takes a journal from whoever may write it; null when a running process does. */
export function lockSource({ folder }: JournalSource): FolderLock | null {
  // A copy that no process ever wrote to needs no lock, and may be where nothing can be written.
  return wasEverLocked(folder) ? tryLockFolder(folder) : { release: () => undefined }
}
