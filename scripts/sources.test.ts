import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hashFiles, listSources, removeOld } from './sources.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'turnpike-sources-'))
  mkdirSync(join(folder, 'deep'))
  writeFileSync(join(folder, 'a.ts'), 'one')
  writeFileSync(join(folder, 'deep/b.css'), 'two')
})
afterEach(() => rmSync(folder, { recursive: true }))

const hash = () => hashFiles(listSources(folder)).digest('hex')

test('every change of a source changes the hash, a test does not', () => {
  const before = hash()
  expect(hash()).toBe(before)
  writeFileSync(join(folder, 'a.test.ts'), 'a test')
  expect(hash()).toBe(before)
  writeFileSync(join(folder, 'deep/b.css'), 'other')
  const changed = hash()
  writeFileSync(join(folder, 'deep/c.ts'), '')
  const added = hash()
  rmSync(join(folder, 'a.ts'))
  expect(new Set([before, changed, added, hash()]).size).toBe(4)
})

test('what is old goes, unless it is kept', () => {
  const longAgo = new Date(Date.now() - 10_000)
  for (const name of ['a.ts', 'deep']) utimesSync(join(folder, name), longAgo, longAgo)
  writeFileSync(join(folder, 'new.ts'), '')
  removeOld(folder, 5_000, (name) => name === 'a.ts')
  expect(['a.ts', 'deep', 'new.ts'].map((name) => existsSync(join(folder, name)))).toEqual([
    true,
    false,
    true,
  ])
})
