import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Where all tests of one run put their files; gone with them after `remove`. */
export interface TestFolder {
  readonly path: string
  remove(): void
}

const MEMORY = '/dev/shm'
const NEEDED_BYTES = 2 * 1024 ** 3

/**
 * In memory where there is plenty of it, since the many small databases of the tests keep a disk busier than the
 * processors. No test ends the machine, so none can tell the difference.
 */
export function makeTestFolder(): TestFolder {
  const inMemory = hasRoom() ? makeFolder(MEMORY) : null
  if (inMemory !== null && mayRunPrograms(inMemory.path)) return inMemory
  inMemory?.remove()
  return makeFolder(tmpdir())
}

function makeFolder(parent: string): TestFolder {
  const path = mkdtempSync(join(parent, 'turnpike-tests-'))
  // PostgreSQL runs as another user and has its own folder in here.
  chmodSync(path, 0o711)
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    const [, free = '0'] = /^MemAvailable: +(\d+) kB$/m.exec(readFileSync('/proc/meminfo', 'utf8')) ?? []
    // Tests need memory beside their files.
    return (
      Math.min(bavail * bsize, (Number(free) * 1024) / 2, process.constrainedMemory() / 2) >= NEEDED_BYTES
    )
  } catch {
    return false
  }
}

/** Some tests run programs that they have made. */
function mayRunPrograms(folder: string): boolean {
  const program = join(folder, 'program')
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 })
  const { status } = spawnSync(program)
  rmSync(program)
  return status === 0
}
