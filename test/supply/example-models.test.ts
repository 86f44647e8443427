import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { BUILT_IN_CATALOG } from '../../src/rules/catalog/built-in/built-in-catalog.ts'

const ROOT = join(import.meta.dirname, '../..')
const TEXTS = ['*.md', 'docs/**/*.md']
const EXAMPLES = [...TEXTS, 'supply.example.yaml', 'console/pages/**/*.ts*', 'console/parts/**/*.ts*']

function filesOf(patterns: readonly string[]): readonly (readonly [file: string, text: string])[] {
  return patterns
    .flatMap((pattern) => [...new Bun.Glob(pattern).scanSync({ cwd: ROOT })])
    .filter((file) => !file.includes('.test.') && !file.startsWith('docs/decisions/'))
    .map((file) => [file, readFileSync(join(ROOT, file), 'utf8')] as const)
}

/** How examples write the model of a request or of a client's settings. */
const NAMED = [
  /["']?\b(?:model|model_name)\b["']?\s*[:=]\s*["']([a-z][\w.:-]*\d[\w.:-]*)["']/g,
  /\b[A-Z_]+_MODEL=["']?([a-z][\w.:/-]*)/g,
]

// What the page itself adds: with the operator API, with a supply file, or loaded into Ollama.
const REGISTERED = [/\/models\/([\w.:-]+)[ /'"]/g, /^ *- id: ([\w.:-]+)/gm, /\bollama (?:pull|run) (\S+)/g]

function namesIn(text: string, patterns: readonly RegExp[]): string[] {
  return patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(([, name = '']) => name))
}

test('every model that an example names is in the catalog, in the sandbox, or registered by the example', () => {
  const strangers: string[] = []
  let seen = 0
  for (const [file, text] of filesOf(EXAMPLES)) {
    const registered = new Set(namesIn(text, REGISTERED))
    for (const name of namesIn(text, NAMED)) {
      seen += 1
      const isKnown = BUILT_IN_CATALOG.models.has(name) || name.startsWith('sandbox-')
      if (!isKnown && !registered.has(name)) strangers.push(`${file}: ${name}`)
    }
  }
  expect(strangers).toEqual([])
  expect(seen).toBeGreaterThan(15)
})

test('commands in the docs run with what a clone installs', () => {
  for (const [file, text] of filesOf(TEXTS)) {
    // A clone has bun in node_modules only, so `npx bun` works and `bun` may not.
    expect([file, [...text.matchAll(/(?:^|`|\$ )bunx? .*/gm)].map(String)]).toEqual([file, []])
  }
})
