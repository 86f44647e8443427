import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const WARN_LINES = 250
const MAX_LINES = 400
// Tests are lists of cases and schemas are lists of fields: they grow with the product, not with confusion.
const EXEMPT = /(\.test\.tsx?|\/schema\.ts)$/

function countLines(path: string): number {
  return readFileSync(path, 'utf8').trimEnd().split('\n').length
}

function main(): void {
  const root = join(import.meta.dirname, '..')
  const sources = [...new Bun.Glob('{src,console,scripts,bench}/**/*.{ts,tsx}').scanSync(root)]
  const long = sources
    .filter((path) => !EXEMPT.test(path) && !path.includes('node_modules/'))
    .map((path) => ({ path, lines: countLines(join(root, path)) }))
    .filter(({ lines }) => lines > WARN_LINES)
    .sort((a, b) => b.lines - a.lines)

  for (const { path, lines } of long) {
    const verdict = lines > MAX_LINES ? `error: more than ${MAX_LINES}` : `warning: more than ${WARN_LINES}`
    console.error(`${path}: ${lines} lines, ${verdict}`)
  }
  if (long.some(({ lines }) => lines > MAX_LINES)) process.exitCode = 1
  else console.log(`sizes: ${sources.length} files, none over ${MAX_LINES} lines`)
}

main()
