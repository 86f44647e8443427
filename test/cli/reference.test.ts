import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fillCommands } from '../../scripts/write-docs.ts'

test('the reference has every command as it is', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/reference/cli.md'), 'utf8')
  expect(fillCommands(page)).toBe(page)
})
