import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  openSync,
  realpathSync,
  rmSync,
  statfsSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { newTable, type TableFile } from './records.ts'

/** A file of an open descriptor, mapped into memory. */
export class MappedFile implements TableFile {
  readonly descriptor: number

  constructor(descriptor: number) {
    this.descriptor = descriptor
  }

  map(): Uint8Array {
    return Bun.mmap(`/proc/self/fd/${this.descriptor}`, { shared: true })
  }

  /** Writes the new part: a page that has no place on a full file system ends the process that touches it. */
  extend(bytes: number): void {
    for (let { size } = fstatSync(this.descriptor); size < bytes; ) {
      size += writeSync(this.descriptor, NOTHING, 0, Math.min(NOTHING.length, bytes - size), size)
    }
  }

  close(): void {
    closeSync(this.descriptor)
  }
}

const NOTHING = new Uint8Array(1_048_576)
const MEMORY_FOLDER = '/dev/shm'
const LEAST_FREE_BYTES = 268_435_456

/** Makes an empty table in a file without a name, which is gone when the last process that has it open ends. */
export function createTableFile(dataFolder: string, capacity?: number): MappedFile {
  const path = join(findFolder(dataFolder), `turnpike-${crypto.randomUUID()}.limits`)
  const file = new MappedFile(openSync(path, 'wx+', 0o600))
  rmSync(path)
  writeSync(file.descriptor, newTable(capacity))
  return file
}

/** In memory, unless a container gives little or none; a file on a disk is written to it again and again. */
function findFolder(dataFolder: string): string {
  try {
    accessSync(MEMORY_FOLDER, constants.W_OK)
    const { bavail, bsize } = statfsSync(MEMORY_FOLDER)
    if (bavail * bsize >= LEAST_FREE_BYTES) return MEMORY_FOLDER
  } catch {
    // There is none for this user.
  }
  return realpathSync(dataFolder)
}
