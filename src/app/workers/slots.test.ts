import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tryLockFolder } from '../../edges/journal/folder-lock.ts'
import { journalFolderOf } from '../../edges/journal/journal-folders.ts'
import { Slots } from './slots.ts'

test('reuses a slot when its worker has ended, but never while another process writes its journal', () => {
  const folder = mkdtempSync(join(tmpdir(), 'turnpike-slots-'))
  try {
    const slots = new Slots(folder)
    expect([slots.take(), slots.take()]).toEqual([0, 1])
    slots.release(0)
    expect(slots.take()).toBe(0)
    slots.release(0)
    const left = tryLockFolder(journalFolderOf(folder, 0))
    expect(slots.take()).toBe(2)
    left?.release()
    expect(slots.take()).toBe(0)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
