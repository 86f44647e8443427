import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { MIGRATIONS } from '../../src/edges/storage/migrations.ts'

const NOTES = join(import.meta.dirname, '../../docs/operations/upgrades.md')
/** Those before it are one line: no release has a part of them only. */
const FIRST_RELEASE = 17

test('the upgrade notes name every schema change', () => {
  const listed = [...readFileSync(NOTES, 'utf8').matchAll(/^\| (\d+) \| \S/gm)].map(([, number]) =>
    Number(number),
  )
  expect(listed).toEqual(
    MIGRATIONS.map(({ version }) => version).filter((version) => version > FIRST_RELEASE),
  )
})
