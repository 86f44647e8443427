import type { Settlement } from '../../vocabulary/settlement.ts'
import { type FolderLock, tryLockFolder, wasEverLocked } from './folder-lock.ts'
import { type JournalSource, linesIn } from './journal-folders.ts'
import { persistBatch } from './persist-batch.ts'
import { decodeLines, recoverLines } from './recover.ts'

export interface ReplayTarget {
  /** Returns the accounts that the database does not know. */
  findStrangers(accountIds: readonly string[]): Promise<readonly string[]>
  /** Returns the requests whose actual settlement, not just a presumed one, is stored. */
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
  /** Requests whose settlement the database will never accept. */
  readonly refused: readonly string[]
}

export const NOTHING_REPLAYED: Replayed = { added: 0, known: 0, interrupted: 0, damaged: 0, refused: [] }

/** Stores the settlements of a journal that no running process writes, as a start would. Leaves the files unchanged. */
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

/** The accounts with requests in a journal. */
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

/** Locks a journal; null when a running process uses it. */
export function lockSource({ folder }: JournalSource): FolderLock | null {
  // A copy that no process ever wrote to needs no lock, and may be read-only.
  return wasEverLocked(folder) ? tryLockFolder(folder) : { release: () => undefined }
}
