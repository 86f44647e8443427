import { createHash } from 'node:crypto'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, relative } from 'node:path'
import packageFile from '../../package.json' with { type: 'json' }
import { buildConsoleWhenStale } from '../build-console.ts'
import { type Rehearsal, rehearse } from './rehearsal.ts'
import { fetchRuntime, findRuntime } from './runtime.ts'

const ROOT = join(import.meta.dirname, '../..')
const ENTRY = join(ROOT, 'src/cli/turnpike.ts')
const OUTPUT = join(ROOT, 'dist')

/** What a binary is made for: a name for people, and the npm package whose runtime goes into it. */
export interface Target {
  readonly name: string
  readonly runtime: string
}

export const TARGETS: readonly Target[] = [
  { name: 'linux-x64', runtime: '@oven/bun-linux-x64' },
  { name: 'linux-arm64', runtime: '@oven/bun-linux-aarch64' },
]

const HERE = `${process.platform}-${process.arch}`

/**
 * Puts the gateway, its console and its reference pages into one program that needs nothing else on its machine. The
 * console must be built; `runtime` is the program that runs the code, of the kind of machine that the result is for.
 */
export async function buildBinary(runtime: string, outfile: string): Promise<void> {
  const staging = mkdtempSync(join(tmpdir(), 'turnpike-release-'))
  try {
    const result = await Bun.build({
      entrypoints: [ENTRY],
      target: 'bun',
      // Bytecode saves parsing at every start. Names are kept because error traces show them.
      bytecode: true,
      format: 'esm',
      // What is loaded only where it is used, such as OpenTelemetry, takes no memory elsewhere.
      splitting: true,
      // The log's library notes the folder it was built in, for threads that the gateway never starts.
      define: { __dirname: '"/"' },
      compile: {
        // The name goes into the program, so it is always the same one: equal sources make equal bytes.
        outfile: join(staging, 'turnpike'),
        executablePath: runtime,
        assets: [gatherShippedFiles(staging)],
        // A file that happens to lie in the folder must not change what the program does.
        autoloadDotenv: false,
        autoloadBunfig: false,
      },
      throw: false,
    })
    if (!result.success) throw new Error(result.logs.map((log) => Bun.inspect(log)).join('\n'))
    replaceFile(join(staging, 'turnpike'), outfile)
  } finally {
    rmSync(staging, { recursive: true, force: true })
  }
}

/** Never written in place: a gateway may be running from the old one. */
function replaceFile(from: string, to: string): void {
  const draft = `${to}.${process.pid}`
  cpSync(from, draft)
  renameSync(draft, to)
}

/** The files that the source tree has beside its code, laid out as the code looks for them inside a binary. */
function gatherShippedFiles(staging: string): string {
  const shipped = join(staging, 'shipped')
  gatherConsole(join(shipped, 'console'))
  const docs = join(shipped, 'api-docs')
  cpSync(join(ROOT, 'src/edges/api-docs/page'), docs, { recursive: true })
  const viewer = join(ROOT, 'node_modules/@fastify/swagger-ui/static')
  for (const name of ['swagger-ui-bundle.js', 'swagger-ui.css']) cpSync(join(viewer, name), join(docs, name))
  return shipped
}

/** Only what the manifest names: the folder also holds files of builds before. */
function gatherConsole(folder: string): void {
  const built = join(ROOT, 'console/dist')
  const { files } = JSON.parse(readFileSync(join(built, 'manifest.json'), 'utf8')) as { files: string[] }
  mkdirSync(join(folder, 'assets'), { recursive: true })
  cpSync(join(built, 'manifest.json'), join(folder, 'manifest.json'))
  for (const path of files.flatMap((name) => ['', '.gz', '.br'].map((suffix) => `assets/${name}${suffix}`))) {
    // Small files have no compressed copy.
    if (statSync(join(built, path), { throwIfNoEntry: false })) cpSync(join(built, path), join(folder, path))
  }
}

interface Release {
  readonly path: string
  readonly sha256: string
}

async function release(target: Target, isFetchAllowed: boolean): Promise<Release | null> {
  const runtime = findRuntime(target) ?? (isFetchAllowed ? await fetchRuntime(target) : null)
  if (runtime === null) {
    console.log(
      `${target.name}: left out, because its runtime ${target.runtime} is not installed; --fetch gets it from npm`,
    )
    return null
  }
  const path = join(OUTPUT, `turnpike-${packageFile.version}-${target.name}`)
  await buildBinary(runtime, path)
  console.log(`${target.name}: ${relative(process.cwd(), path)}, ${megabytes(statSync(path).size)}`)
  if (target.name === HERE) console.log(describeRehearsal(await rehearse(path)))
  else console.log(`  not tried: this machine is ${HERE}`)
  return { path, sha256: createHash('sha256').update(readFileSync(path)).digest('hex') }
}

function describeRehearsal({ commandMs, startMs, residentBytes, steps }: Rehearsal): string {
  const lines = steps.map((step) => `  tried: ${step}`)
  const times = `${commandMs.toFixed(0)} ms for a command, ${startMs.toFixed(0)} ms from nothing to ready`
  return [...lines, `  ${times}, ${megabytes(residentBytes)} resident after it`].join('\n')
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}

/** As `sha256sum --check` reads it. */
function writeSums(releases: readonly Release[]): void {
  const lines = releases.map(({ path, sha256 }) => `${sha256}  ${basename(path)}\n`).join('')
  writeFileSync(join(OUTPUT, 'SHA256SUMS'), lines)
  process.stdout.write(lines)
}

async function main(): Promise<void> {
  const isFetchAllowed = process.argv.includes('--fetch')
  await buildConsoleWhenStale()
  mkdirSync(OUTPUT, { recursive: true })
  const releases: Release[] = []
  for (const target of TARGETS) {
    const made = await release(target, isFetchAllowed)
    if (made !== null) releases.push(made)
  }
  if (releases.length === 0) throw new Error('no binary could be made')
  writeSums(releases)
}

if (import.meta.main) await main()
