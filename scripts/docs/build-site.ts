import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'
import { gzipSync } from 'node:zlib'
import { DOCS } from './site-map.ts'

const ROOT = join(DOCS, '..')
/** Where the gateway looks for the site (`src/edges/guide-files`). */
export const SITE = join(DOCS, '.vitepress/dist')
const MANIFEST = join(SITE, 'manifest.json')
const ICON = join(ROOT, 'console/icon.svg')
const COMPRESSED = new Set(['.html', '.js', '.css', '.svg', '.json'])
const COMPRESSED_FROM_BYTES = 512

interface Manifest {
  /** Of everything the site is made from; another hash means that the site is stale. */
  readonly sources: string
  /** The paths that are served. */
  readonly files: readonly string[]
}

/** Whether the packages that build the site are installed. They are for development only. */
export function canBuildSite(): boolean {
  return existsSync(join(ROOT, 'node_modules/vitepress'))
}

/** Builds the site unless the last build was of the same sources. Answers whether it had to. */
export async function buildSiteWhenStale(): Promise<boolean> {
  const sources = hashSources()
  if (existsSync(MANIFEST)) {
    const manifest = JSON.parse(readFileSync(MANIFEST, 'utf8')) as Manifest
    if (manifest.sources === sources) return false
  }
  await buildSite(sources)
  return true
}

/** Builds the site. A link that leads nowhere fails the build. */
export async function buildSite(sources: string = hashSources()): Promise<void> {
  rmSync(SITE, { recursive: true, force: true })
  const { build } = await import('vitepress')
  await build(DOCS)
  copyFileSync(ICON, join(SITE, 'mark.svg'))
  for (const path of filesIn(SITE)) if (path.endsWith('.html')) moveInlineCode(path)
  const files = filesIn(SITE)
  for (const path of files) compress(path)
  const manifest: Manifest = { sources, files: files.map(toName) }
  writeFileSync(MANIFEST, JSON.stringify(manifest))
}

interface Page {
  readonly text: string
  /** The scripts that were inside the page; null when there were none. */
  readonly script: { readonly name: string; readonly code: string } | null
}

/**
 * Moves the scripts inside a page to a file and drops its inline styles, which the theme sets again by script. The
 * gateway can then forbid inline code altogether.
 */
export function withoutInlineCode(page: string): Page {
  const scripts: string[] = []
  const rest = page.replaceAll(/<script id="[\w-]+">([\s\S]*?)<\/script>/g, (_, script: string) => {
    scripts.push(script)
    return scripts.length === 1 ? '<!-- first -->' : ''
  })
  const text = new HTMLRewriter()
    .on('[style]', { element: (element) => void element.removeAttribute('style') })
    .transform(rest)
  if (scripts.length === 0) return { text, script: null }
  const code = scripts.join('\n')
  const name = `assets/first.${createHash('sha256').update(code).digest('hex').slice(0, 8)}.js`
  return {
    text: text.replace('<!-- first -->', `<script src="/guide/${name}"></script>`),
    script: { name, code },
  }
}

function moveInlineCode(path: string): void {
  const { text, script } = withoutInlineCode(readFileSync(path, 'utf8'))
  writeFileSync(path, text)
  if (script !== null) writeFileSync(join(SITE, script.name), script.code)
}

function compress(path: string): void {
  const content = readFileSync(path)
  if (!COMPRESSED.has(extname(path)) || content.length < COMPRESSED_FROM_BYTES) return
  writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }))
}

/** Sorted, so that equal sources give equal bytes. */
function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .toSorted()
}

function toName(path: string): string {
  return relative(SITE, path).split(sep).join('/')
}

function hashSources(): string {
  const hash = createHash('sha256')
  const generated = /[\\/]\.vitepress[\\/](dist|cache)[\\/]/
  const sources = filesIn(DOCS).filter((path) => !generated.test(path))
  for (const path of [...sources, ICON, join(ROOT, 'package-lock.json'), ...filesIn(import.meta.dirname)]) {
    hash.update(`${relative(ROOT, path)}\0`).update(readFileSync(path))
  }
  return hash.digest('hex')
}
