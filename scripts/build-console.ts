import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, utimesSync, writeFileSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { BuildArtifact, BuildOutput } from 'bun'
import { ERROR_CODES } from '../src/errors/codes.ts'
import { SUPPLIER_TYPES_SERVED } from '../src/suppliers/index.ts'
import { Price, SERVICE_TIERS } from '../src/vocabulary/price.ts'
import { wireName } from '../src/vocabulary/shape.ts'
import { type BuiltFile, findPages, measurePages, sizeOf, staticImports } from './console/sizes.ts'
import { findBundledPackages } from './release/bundled-packages.ts'
import { hashFiles, listSources, ROOT, removeOld } from './sources.ts'

const SOURCE = join(ROOT, 'console')
const DIST = join(SOURCE, 'dist')
const ASSETS = join(DIST, 'assets')
const MANIFEST = join(DIST, 'manifest.json')
const PUBLIC_PATH = '/console/assets/'
// Leftovers of the build before stay this long, for pages that were opened with it and still load their parts.
const KEEP_OLD_MS = 60 * 60 * 1_000
const COMPRESSED_FROM_BYTES = 512

/** What the gateway needs to know to serve the console; kept beside the files. */
interface Manifest {
  /** Of everything the build depends on; another hash means that the build is stale. */
  readonly sources: string
  /** The page, in which `__NONCE__` stands for a value made for each answer. */
  readonly page: string
  /** Names of all files, which carry a hash of their content. */
  readonly files: readonly string[]
  /** Bytes of compressed script that a page may load in all, by page. */
  readonly mostScriptBytes: Readonly<Record<string, number>>
  /** Folders of the npm packages that are in it, for the notices of a release. */
  readonly packages: readonly string[]
}

// The choices of the supplier form, so that the console needs no separate list.
const SUPPLIER_TYPES = JSON.stringify(
  Object.fromEntries(
    SUPPLIER_TYPES_SERVED.map(({ name, label, exampleUrl, formats, options = [], aborts }) => [
      name,
      { label, exampleUrl, formats, options, aborts },
    ]),
  ),
)

// The fields of the price form. General rates are those that every price has.
const everyPrice: Readonly<Record<string, unknown>> = Price.draft.read({ input: '0', output: '0' })
const CODES = JSON.stringify(Object.keys(ERROR_CODES))

const PRICE_FACTS = JSON.stringify({
  tiers: SERVICE_TIERS,
  rates: Object.entries(Price.fields)
    .filter(([, { naming }]) => naming.unit === 'amount')
    .map(([name, field]) => ({
      name: wireName(name, field),
      per: name.endsWith('PerMillion') ? 'million' : 'unit',
      isGeneral: everyPrice[name] !== undefined,
      isRequired: !field.hasDefault,
    })),
})

/** Builds the console unless the last build was of the very same sources. Answers whether it had to. */
export async function buildConsoleWhenStale(): Promise<boolean> {
  const sources = hashSources()
  if (readManifest()?.sources === sources) return false
  await buildConsole(sources)
  return true
}

export function readManifest(): Manifest | null {
  try {
    return JSON.parse(readFileSync(MANIFEST, 'utf8')) as Manifest
  } catch {
    return null
  }
}

function hashSources(): string {
  const inConsole = listSources(SOURCE).filter(
    (path) => !path.startsWith(DIST) && /\.(tsx?|css|html|svg)$/.test(path),
  )
  const hash = hashFiles([...inConsole, import.meta.path, join(ROOT, 'package-lock.json')])
  return hash.update(SUPPLIER_TYPES).update(PRICE_FACTS).update(CODES).digest('base64url')
}

async function buildConsole(sources: string): Promise<void> {
  const startedAtMs = performance.now()
  const app = await bundle('main.tsx', 'esm')
  const scheme = await bundle('app/shell/colour-scheme.ts', 'iife')
  const styles = await bundle('app/styles.css', 'esm')
  const icon = hashedFile('icon.svg', readFileSync(join(SOURCE, 'icon.svg')))
  const files = [...(await readArtifacts([app, scheme, styles].flatMap(({ outputs }) => outputs))), icon]
  const entry = entryName(app)
  const page = renderPage({
    icon: icon.name,
    style: entryName(styles),
    scheme: entryName(scheme),
    script: entry,
    preloads: [...staticImports(files, [entry])].filter((name) => name !== entry),
  })
  writeCompressed(files)
  const mostScriptBytes = measurePages(files, entry, { folder: ASSETS, pages: findPages(app) })
  swapManifest({
    sources,
    page,
    files: files.map(({ name }) => name),
    mostScriptBytes,
    packages: findBundledPackages([app, scheme, styles]),
  })
  const seconds = ((performance.now() - startedAtMs) / 1_000).toFixed(1)
  const { 'sign-in': signIn = 0, overview = 0 } = mostScriptBytes
  const first = `script at most ${kilobytes(signIn)} for sign-in, ${kilobytes(overview)} for overview`
  console.log(
    `console: ${files.length} files built in ${seconds} s; ${first}, ${kilobytes(sizeOf(join(ASSETS, entryName(styles))))} of styles`,
  )
}

async function bundle(entrypoint: string, format: 'esm' | 'iife'): Promise<BuildOutput> {
  const result = await Bun.build({
    entrypoints: [join(SOURCE, entrypoint)],
    root: SOURCE,
    target: 'browser',
    format,
    splitting: format === 'esm',
    minify: true,
    metafile: true,
    publicPath: PUBLIC_PATH,
    naming: { entry: '[name]-[hash].[ext]', chunk: '[name]-[hash].[ext]', asset: '[name]-[hash].[ext]' },
    define: {
      'process.env.NODE_ENV': '"production"',
      BUILT_IN_SUPPLIER_TYPES: SUPPLIER_TYPES,
      BUILT_IN_PRICE_FACTS: PRICE_FACTS,
      BUILT_IN_ERROR_CODES: CODES,
    },
    throw: false,
  })
  if (result.success) return result
  throw new Error(result.logs.map((log) => Bun.inspect(log)).join('\n'))
}

function entryName({ outputs }: BuildOutput): string {
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
  const address = (name: string) => PUBLIC_PATH + name
  const links = preloads.map((name) => `<link rel="modulepreload" href="${address(name)}" />`)
  return readFileSync(join(SOURCE, 'index.html'), 'utf8')
    .replace('__ICON__', address(icon))
    .replace('__STYLE__', address(style))
    .replace('__SCHEME__', address(scheme))
    .replace('__SCRIPT__', address(script))
    .replace('__PRELOADS__', links.join('\n    '))
}

/**
 * A file that is there already has the same content, since its name says what it holds. It is left alone: a gateway may
 * be serving it at this moment, and a browser would keep half of it for good.
 */
function writeCompressed(files: readonly BuiltFile[]): void {
  mkdirSync(ASSETS, { recursive: true })
  for (const { name, bytes } of files) {
    const path = join(ASSETS, name)
    if (bytes.length >= COMPRESSED_FROM_BYTES) {
      writeOnce(`${path}.gz`, () => gzipSync(bytes, { level: 9 }))
      writeOnce(`${path}.br`, () => brotliCompressSync(bytes))
    }
    writeOnce(path, () => bytes)
  }
}

function writeOnce(path: string, content: () => Uint8Array): void {
  if (!existsSync(path)) writeWhole(path, content())
}

/** Readers of the manifest see either build whole: files are added first, the manifest is swapped, old files go last. */
function swapManifest(manifest: Manifest): void {
  const before = readManifest()?.files ?? []
  writeWhole(MANIFEST, JSON.stringify(manifest))
  const kept = new Set(manifest.files)
  touch(before.filter((name) => !kept.has(name)))
  removeOld(ASSETS, KEEP_OLD_MS, (name) => kept.has(name.replace(/\.(br|gz)$/, '')))
}

/** A file is old from the build that no longer has it, and not from the one that made it. */
function touch(names: readonly string[]): void {
  const now = new Date()
  for (const path of names.flatMap((name) =>
    ['', '.gz', '.br'].map((suffix) => join(ASSETS, name + suffix)),
  )) {
    if (existsSync(path)) utimesSync(path, now, now)
  }
}

function writeWhole(path: string, content: string | Uint8Array): void {
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, content)
  renameSync(draft, path)
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1_000).toFixed(1)} KB`
}

function printSizes(): void {
  console.log('most script each page may load, compressed with brotli:')
  for (const [page, bytes] of Object.entries(readManifest()?.mostScriptBytes ?? {}).sort()) {
    console.log(`  ${page.padEnd(22)} ${kilobytes(bytes).padStart(9)}`)
  }
}

/** Builds the console, by default only when it is stale. If that fails, says why and ends the process. */
export async function buildOrExit(build: () => Promise<unknown> = buildConsoleWhenStale): Promise<void> {
  try {
    await build()
  } catch (error) {
    console.error(
      `The console could not be built:\n${error instanceof Error ? error.message : String(error)}`,
    )
    process.exit(1)
  }
}

async function main(): Promise<void> {
  if (process.argv.includes('--when-stale')) return buildOrExit()
  await buildOrExit(() => buildConsole(hashSources()))
  printSizes()
}

if (import.meta.main) await main()
