import { existsSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { BuildOutput } from 'bun'

/** A file the bundler made. */
export interface BuiltFile {
  readonly name: string
  readonly bytes: Uint8Array
}

const STATIC_IMPORT = /(?:from|import)\s*"([^"]+\.js)"/g
const LATE_IMPORT = /import\(\s*"([^"]+\.js)"\s*\)/g

/** Files and what they import at once, transitively; what they import later is not among it. */
export function staticImports(files: readonly BuiltFile[], names: readonly string[]): Set<string> {
  return follow(files, names, () => [STATIC_IMPORT])
}

function follow(
  files: readonly BuiltFile[],
  names: readonly string[],
  patternsFor: (name: string) => readonly RegExp[],
): Set<string> {
  const seen = new Set<string>()
  const visit = (name: string): void => {
    if (seen.has(name)) return
    seen.add(name)
    const text = new TextDecoder().decode(files.find((file) => file.name === name)?.bytes)
    for (const pattern of patternsFor(name)) {
      for (const match of text.matchAll(pattern)) visit(basename(match[1] ?? ''))
    }
  }
  for (const name of names) visit(name)
  return seen
}

/** Names of pages and of the files that hold them. */
export function findPages({ metafile }: BuildOutput): Map<string, string> {
  const pages = new Map<string, string>()
  for (const [path, { entryPoint = '' }] of Object.entries(metafile?.outputs ?? {})) {
    const page = /pages\/([^/]+)\/index\.tsx$/.exec(entryPoint)?.[1]
    if (page !== undefined) pages.set(page, basename(path))
  }
  return pages
}

/**
 * Bytes of compressed script that a page may load in all, by page: what it loads later, such as each kind of chart, is
 * counted as well; what the frame may load later is not.
 */
export function measurePages(
  files: readonly BuiltFile[],
  entry: string,
  { folder, pages }: { readonly folder: string; readonly pages: ReadonlyMap<string, string> },
): Record<string, number> {
  const frame = staticImports(files, [entry])
  const patternsFor = (name: string) => (frame.has(name) ? [STATIC_IMPORT] : [STATIC_IMPORT, LATE_IMPORT])
  const measure = (name: string) =>
    [...follow(files, [entry, name], patternsFor)].reduce((sum, file) => sum + sizeOf(join(folder, file)), 0)
  return Object.fromEntries([...pages].map(([page, name]) => [page, measure(name)]))
}

/** As it travels to a browser. */
export function sizeOf(path: string): number {
  return statSync(existsSync(`${path}.br`) ? `${path}.br` : path).size
}
