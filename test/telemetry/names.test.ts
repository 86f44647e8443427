import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as conventions from '@opentelemetry/semantic-conventions/incubating'
import { fillLogFields, fillNames } from '../../scripts/telemetry-names.ts'
import { NAME_TABLES, TOKEN_TYPE } from '../../src/edges/telemetry/otel/names.ts'

const DOCS = join(import.meta.dir, '../../docs')
const names = [...Object.values(NAME_TABLES).flatMap((rows) => rows.map(({ name }) => name)), TOKEN_TYPE]

test('every name that is not ours is one of the semantic conventions', () => {
  const known = new Set<unknown>(Object.values(conventions))
  const foreign = names.filter((name) => !name.startsWith('turnpike.'))
  expect(foreign.length).toBeGreaterThan(40)
  expect(foreign.filter((name) => !known.has(name))).toEqual([])
})

test('the docs have the tables of names and fields', () => {
  for (const [page, fill] of [
    ['monitoring/opentelemetry.md', fillNames],
    ['monitoring/logs.md', fillLogFields],
  ] as const) {
    const text = readFileSync(join(DOCS, page), 'utf8')
    expect(fill(text), 'run npm run docs').toBe(text)
  }
})
