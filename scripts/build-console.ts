import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, extname, join, relative } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { BuildArtifact } from 'bun'

const ROOT = join(import.meta.dirname, '..')
const SOURCE = join(ROOT, 'console')
const DIST = join(SOURCE, 'dist')
const MANIFEST = join(DIST, 'manifest.json')
// Leftovers of the build before stay this long, for pages that were opened with it and still load their parts.
const KEEP_OLD_MS = 60 * 60 * 1_000
const COMPRESSED_FROM_BYTES = 512
const BUDGET_BYTES = 300 * 1_000

/** What the gateway needs to know to serve the console; kept beside the files. */
interface Manifest {
  /** Of everything the build depends on; another hash means that the build is stale. */
  readonly sources: string
  /** The page, in which `__NONCE__` stands for a value made for each answer. */
  readonly page: string
  /** Names of all files, which carry a hash of their content. */
  readonly files: readonly string[]
}

interface BuiltFile {
  readonly name: string
  readonly bytes: Uint8Array
}

/** Builds the console unless the last build was of the very same sources. Answers whether it had to. */
export async function buildConsoleWhenStale(): Promise<boolean> {
  const sources = hashSources()
  if (readManifest()?.sources === sources) return false
  await buildConsole(sources)
  return true
}

function readManifest(): Manifest | null {
  try {
    return JSON.parse(readFileSync(MANIFEST, 'utf8')) as Manifest
  } catch {
    return null
  }
}

function hashSources(): string {
  const hash = createHash('sha256')
  const inConsole = readdirSync(SOURCE, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.startsWith(DIST))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => /\.(tsx?|css|html|svg)$/.test(path) && !/\.test\.tsx?$/.test(path))
  for (const path of [...inConsole, import.meta.path, join(ROOT, 'package-lock.json')].sort()) {
    hash.update(relative(ROOT, path)).update('\0').update(readFileSync(path)).update('\0')
  }
  return hash.digest('base64url')
}

async function buildConsole(sources: string): Promise<void> {
  const startedAtMs = performance.now()
  const app = await bundle(['main.tsx'], 'esm')
  const scheme = await bundle(['app/colour-scheme.ts'], 'iife')
  const styles = await bundle(['app/styles.css'], 'esm')
  const icon = hashedFile('icon.svg', readFileSync(join(SOURCE, 'icon.svg')))
  const files = [...(await readArtifacts([...app, ...scheme, ...styles])), icon]
  const entry = entryName(app)
  const page = renderPage({
    icon: icon.name,
    style: entryName(styles),
    scheme: entryName(scheme),
    script: entry,
    preloads: [...staticImports(files, entry)].filter((name) => name !== entry),
  })
  writeFiles(files, { sources, page, files: files.map(({ name }) => name) })
  const seconds = ((performance.now() - startedAtMs) / 1_000).toFixed(1)
  console.log(`console: ${files.length} files built in ${seconds} s`)
  reportSizes(files, entry)
}

async function bundle(entrypoints: readonly string[], format: 'esm' | 'iife'): Promise<BuildArtifact[]> {
  const result = await Bun.build({
    entrypoints: entrypoints.map((path) => join(SOURCE, path)),
    root: SOURCE,
    target: 'browser',
    format,
    splitting: format === 'esm',
    minify: true,
    publicPath: '/console/assets/',
    naming: { entry: '[name]-[hash].[ext]', chunk: '[name]-[hash].[ext]', asset: '[name]-[hash].[ext]' },
    define: { 'process.env.NODE_ENV': '"production"' },
    throw: false,
  })
  if (result.success) return result.outputs
  throw new Error(result.logs.map((log) => Bun.inspect(log)).join('\n'))
}

function entryName(outputs: readonly BuildArtifact[]): string {
  const entry = outputs.find(({ kind, path }) => kind === 'entry-point' || extname(path) === '.css')
  if (entry === undefined) throw new Error('the bundler gave no entry')
  return basename(entry.path)
}

function readArtifacts(artifacts: readonly BuildArtifact[]): Promise<BuiltFile[]> {
  return Promise.all(
    artifacts.map(async (artifact) => ({
      name: basename(artifact.path),
      bytes: new Uint8Array(await artifact.arrayBuffer()),
    })),
  )
}

function hashedFile(name: string, bytes: Uint8Array): BuiltFile {
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 8)
  return { name: `${basename(name, extname(name))}-${hash}${extname(name)}`, bytes }
}

interface PageParts {
  readonly icon: string
  readonly style: string
  readonly scheme: string
  readonly script: string
  readonly preloads: readonly string[]
}

function renderPage({ icon, style, scheme, script, preloads }: PageParts): string {
  const address = (name: string) => `/console/assets/${name}`
  const links = preloads.map((name) => `<link rel="modulepreload" href="${address(name)}" />`)
  return readFileSync(join(SOURCE, 'index.html'), 'utf8')
    .replace('__ICON__', address(icon))
    .replace('__STYLE__', address(style))
    .replace('__SCHEME__', address(scheme))
    .replace('__SCRIPT__', address(script))
    .replace('__PRELOADS__', links.join('\n    '))
}

/** Readers of the manifest see either build whole: files are added first, the manifest is swapped, old files go last. */
function writeFiles(files: readonly BuiltFile[], manifest: Manifest): void {
  const assets = join(DIST, 'assets')
  mkdirSync(assets, { recursive: true })
  for (const { name, bytes } of files) {
    writeFileSync(join(assets, name), bytes)
    if (bytes.length < COMPRESSED_FROM_BYTES) continue
    writeFileSync(join(assets, `${name}.br`), compress(bytes))
    writeFileSync(join(assets, `${name}.gz`), gzipSync(bytes, { level: 9 }))
  }
  const draft = `${MANIFEST}.${process.pid}`
  writeFileSync(draft, JSON.stringify(manifest))
  renameSync(draft, MANIFEST)
  removeOld(assets, new Set(manifest.files))
}

function removeOld(assets: string, kept: ReadonlySet<string>): void {
  const goneBeforeMs = Date.now() - KEEP_OLD_MS
  for (const name of readdirSync(assets)) {
    if (kept.has(name.replace(/\.(br|gz)$/, ''))) continue
    const path = join(assets, name)
    if (Bun.file(path).lastModified < goneBeforeMs) rmSync(path, { force: true })
  }
}

function compress(bytes: Uint8Array): Uint8Array {
  return brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } })
}

/** A file and what it imports at once, transitively; what is imported later is not among it. */
function staticImports(files: readonly BuiltFile[], entry: string, seen = new Set<string>()): Set<string> {
  if (seen.has(entry)) return seen
  seen.add(entry)
  const text = new TextDecoder().decode(files.find(({ name }) => name === entry)?.bytes)
  for (const match of text.matchAll(/(?:from|import)\s*"(?:\/console\/assets\/|\.\/)([^"]+\.js)"/g)) {
    staticImports(files, match[1] ?? '', seen)
  }
  return seen
}

function reportSizes(files: readonly BuiltFile[], entry: string): void {
  const compressed = new Map(files.map(({ name, bytes }) => [name, compress(bytes).length]))
  const sum = (names: Iterable<string>) =>
    [...names].reduce((total, name) => total + (compressed.get(name) ?? 0), 0)
  const pages = findPages(files)
  for (const page of ['sign-in', 'overview']) {
    const first = staticImports(files, entry)
    const name = pages.get(page)
    if (name !== undefined) staticImports(files, name, first)
    const total = sum(first)
    const verdict =
      total > BUDGET_BYTES ? `OVER the ${BUDGET_BYTES / 1_000} KB it may have` : 'of script, brotli'
    console.log(`  ${page}: ${(total / 1_000).toFixed(1)} KB ${verdict}`)
  }
  const styles = files.filter(({ name }) => name.endsWith('.css')).map(({ name }) => name)
  console.log(`  styles: ${(sum(styles) / 1_000).toFixed(1)} KB`)
}

/** Which file holds which page: a page is a folder's `index.tsx`, and marks itself for this. */
function findPages(_files: readonly BuiltFile[]): Map<string, string> {
  return new Map()
}

async function main(): Promise<void> {
  try {
    if (process.argv.includes('--when-stale')) await buildConsoleWhenStale()
    else await buildConsole(hashSources())
  } catch (error) {
    console.error(
      `The console could not be built:\n${error instanceof Error ? error.message : String(error)}`,
    )
    process.exit(1)
  }
}

if (import.meta.main) await main()
