import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

const SOURCE = join(import.meta.dirname, '../..')

/** Every source file with its text, tests and this folder left out. */
function otherSources(): { path: string; text: string }[] {
  return readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .filter((path) => !path.startsWith(relative(SOURCE, import.meta.dirname)))
    .map((path) => ({ path, text: readFileSync(join(SOURCE, path), 'utf8') }))
}

test('the list is loaded by name only when prices are compared, so that a start does not wait for it', () => {
  const sources = otherSources()
  expect(sources.length).toBeGreaterThan(500)
  expect(sources.filter(({ text }) => text.includes('@pydantic/genai-prices'))).toEqual([])
  const importing = sources.filter(({ text }) => text.includes('price-list/'))
  expect(importing.map(({ path }) => path)).toContain('app/services.ts')
  const uses = importing.flatMap(({ text }) => text.match(/.*price-list\/.*/g) ?? [])
  expect(uses.filter((line) => !line.includes('await import('))).toEqual([])
})
