import { watch } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'

export interface FileWatch {
  close(): void
}

// Editors write in several steps; this long after the last of them the file is whole.
const QUIET_MS = 100

/**
 * Tells when a file may have changed. Its folder is watched rather than the file: editors put a new file in the place
 * of the old one, and a watch on the old one would see nothing more.
 */
export function watchFile(
  path: string,
  { onChange, onTrouble }: { onChange(): void; onTrouble(error: unknown): void },
): FileWatch {
  const name = basename(path)
  let timer: ReturnType<typeof setTimeout> | undefined
  const watcher = watch(dirname(resolve(path)), (_event, changed) => {
    if (!concerns(changed, name)) return
    clearTimeout(timer)
    timer = setTimeout(onChange, QUIET_MS)
  })
  watcher.on('error', onTrouble)
  return {
    close: () => {
      clearTimeout(timer)
      watcher.close()
    },
  }
}

/** A mounted configuration is a link into a folder whose name begins with two dots and which is swapped whole. */
function concerns(changed: string | null, name: string): boolean {
  return changed === null || changed === name || changed.startsWith('..')
}
