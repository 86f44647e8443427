import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const WARN_LINES = 250
const MAX_LINES = 400
const MAX_FILES = 15
const MAX_FUNCTION_LINES = 60
// Most of a component is markup.
const MAX_COMPONENT_LINES = 90
// Released migrations stay, and recorded cases are data.
const GROWS = /\/(migrations|cases)$/
// Tests are lists of cases and schemas are lists of fields: they grow with the product, not with confusion.
const EXEMPT = /(\.test\.tsx?|\/schema\.ts)$/

function countLines(path: string): number {
  return readFileSync(path, 'utf8').trimEnd().split('\n').length
}

const OPENS_FUNCTION = /(\)|=>)(:[^{]*)? ?\{$/
const OPENS_BLOCK = /^\s*(\} )?(if|else|for|while|switch|catch|do|try)\b/

/**
 * Functions over the limit, from the line that opens the body to the one that closes it. The formatter puts both at the
 * same indentation, so no parser is needed.
 */
function findLongFunctions(path: string, text: string): string[] {
  const most = path.endsWith('.tsx') ? MAX_COMPONENT_LINES : MAX_FUNCTION_LINES
  const lines = text.split('\n')
  return lines.flatMap((line, index) => {
    if (!OPENS_FUNCTION.test(line) || OPENS_BLOCK.test(line)) return []
    const indentation = line.slice(0, line.search(/\S/))
    const length = lines.slice(index + 1).findIndex((later) => later.startsWith(`${indentation}}`)) + 2
    return length > most
      ? [`${path}:${index + 1}: a function of ${length} lines, error: more than ${most}`]
      : []
  })
}

/** Folders with more files than a reader keeps in mind. Tests stand beside their source and are not counted. */
function findCrowdedFolders(paths: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const path of paths) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1)
  return [...counts]
    .filter(([folder, count]) => count > MAX_FILES && !GROWS.test(folder))
    .map(([folder, count]) => `${folder}: ${count} files, error: more than ${MAX_FILES}`)
}

function main(): void {
  const root = join(import.meta.dirname, '..')
  const sources = [...new Bun.Glob('{src,console,scripts,bench}/**/*.{ts,tsx}').scanSync(root)]
  const long = sources
    .filter((path) => !EXEMPT.test(path) && !path.includes('node_modules/'))
    .map((path) => ({ path, lines: countLines(join(root, path)) }))
    .filter(({ lines }) => lines > WARN_LINES)
    .sort((a, b) => b.lines - a.lines)
  const files = sources.filter(
    (path) => /^(src|console|scripts|bench)\//.test(path) && !/\.test\.tsx?$|\/dist\//.test(path),
  )
  const code = files.filter((path) => !path.startsWith('scripts/'))
  const problems = [
    ...findCrowdedFolders(files),
    ...code.flatMap((path) => findLongFunctions(path, readFileSync(join(root, path), 'utf8'))),
  ]

  for (const { path, lines } of long) {
    const verdict = lines > MAX_LINES ? `error: more than ${MAX_LINES}` : `warning: more than ${WARN_LINES}`
    console.error(`${path}: ${lines} lines, ${verdict}`)
  }
  for (const problem of problems) console.error(problem)
  if (problems.length > 0 || long.some(({ lines }) => lines > MAX_LINES)) process.exitCode = 1
  else
    console.log(
      `sizes: ${sources.length} files, none over ${MAX_LINES} lines, no folder over ${MAX_FILES} files`,
    )
}

main()
