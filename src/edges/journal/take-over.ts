import { tryLockFolder } from './folder-lock.ts'
import { findJournalFolders } from './journal-folders.ts'
import { SegmentFiles } from './segment-files.ts'

/** Looks after the journals of a data folder that no running process holds, this one's own aside. */
export async function takeOverJournals(
  { dataFolder, isSynced }: { readonly dataFolder: string; readonly isSynced: boolean },
  recover: (files: SegmentFiles, folder: string) => Promise<void>,
): Promise<void> {
  for (const folder of findJournalFolders(dataFolder)) {
    const lock = tryLockFolder(folder)
    // This process holds its own.
    if (lock === null) continue
    try {
      await recover(new SegmentFiles(folder, { isSynced }), folder)
    } finally {
      lock.release()
    }
  }
}
