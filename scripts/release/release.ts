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
import { buildSiteWhenStale, canBuildSite } from '../docs/build-site.ts'
import { ROOT } from '../sources.ts'
import { build, gatherShippedFiles, PROGRAM } from './bundle.ts'
import { findShippedPackages, renderNotices } from './notices.ts'
import { type Rehearsal, rehearse } from './rehearsal.ts'
import { fetchRuntime, findRuntime } from './runtime.ts'
import { makeSbom } from './sbom.ts'

const OUTPUT = join(ROOT, 'dist')

/** What a binary is made for: a name for people, and the npm package whose runtime goes into it. */
export interface Target {
  readonly name: `${'linux' | 'darwin' | 'windows'}-${'x64' | 'arm64'}`
  readonly runtime: string
}

export const TARGETS: readonly Target[] = [
  { name: 'linux-x64', runtime: '@oven/bun-linux-x64' },
  { name: 'linux-arm64', runtime: '@oven/bun-linux-aarch64' },
  { name: 'darwin-x64', runtime: '@oven/bun-darwin-x64' },
  { name: 'darwin-arm64', runtime: '@oven/bun-darwin-aarch64' },
  { name: 'windows-x64', runtime: '@oven/bun-windows-x64' },
]

const HERE = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`

/**
 * Puts the gateway, its console and its reference pages into one program that needs nothing else on its machine. The
 * console must be built; `runtime` is the program that runs the code, of the kind of machine that the result is for.
 */
export async function buildBinary(runtime: string, outfile: string, target = HERE): Promise<void> {
  const staging = mkdtempSync(join(tmpdir(), 'turnpike-release-'))
  const suffix = target.startsWith('windows') ? '.exe' : ''
  try {
    await build({
      ...PROGRAM,
      // Bytecode saves parsing at every start. Names are kept because error traces show them.
      bytecode: true,
      compile: {
        // The name goes into the program, so it is always the same one: equal sources make equal bytes.
        outfile: join(staging, `turnpike${suffix}`),
        target: `bun-${target}` as Bun.Build.CompileTarget,
        executablePath: runtime,
        assets: [gatherShippedFiles(staging)],
        // A file that happens to lie in the folder must not change what the program does.
        autoloadDotenv: false,
        autoloadBunfig: false,
      },
    })
    replaceFile(join(staging, `turnpike${suffix}`), outfile)
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

async function release(target: Target): Promise<string> {
  const runtime = findRuntime(target) ?? (await fetchRuntime(target))
  const suffix = target.name.startsWith('windows') ? '.exe' : ''
  const path = join(OUTPUT, `turnpike-${packageFile.version}-${target.name}${suffix}`)
  await buildBinary(runtime, path, target.name)
  console.log(`${target.name}: ${relative(process.cwd(), path)}, ${megabytes(statSync(path).size)}`)
  if (target.name === HERE) console.log(describeRehearsal(await rehearse(path)))
  else console.log(`  not tried: this machine is ${HERE}`)
  return path
}

function describeRehearsal({ commandMs, startMs, residentBytes, steps }: Rehearsal): string {
  const lines = steps.map((step) => `  tried: ${step}`)
  const times = `${commandMs.toFixed(0)} ms for a command, ${startMs.toFixed(0)} ms from nothing to ready`
  return [...lines, `  ${times}, ${megabytes(residentBytes)} resident after it`].join('\n')
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}

/** What a user of the binaries is owed: the licences of others, and a list of what is inside. */
async function writePapers(): Promise<string[]> {
  const shipped = await findShippedPackages()
  const papers = {
    'THIRD_PARTY_NOTICES.md': renderNotices(shipped),
    [`turnpike-${packageFile.version}.cdx.json`]: await makeSbom(shipped),
  }
  return Object.entries(papers).map(([name, text]) => {
    const path = join(OUTPUT, name)
    writeFileSync(path, text)
    return path
  })
}

/** As `sha256sum --check` reads it. */
function writeSums(paths: readonly string[]): void {
  const sumOf = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex')
  const lines = paths.map((path) => `${sumOf(path)}  ${basename(path)}\n`).join('')
  writeFileSync(join(OUTPUT, 'SHA256SUMS'), lines)
  process.stdout.write(lines)
}

/** Targets that the arguments name, `here` among them; all of them without arguments. */
function chooseTargets(names: readonly string[]): readonly Target[] {
  const wanted = names.map((name) => (name === 'here' ? HERE : name))
  const unknown = wanted.find((name) => !TARGETS.some((target) => target.name === name))
  if (unknown !== undefined) {
    throw new Error(`'${unknown}' is none of here, ${TARGETS.map(({ name }) => name).join(', ')}`)
  }
  return wanted.length === 0 ? TARGETS : TARGETS.filter(({ name }) => wanted.includes(name))
}

async function main(): Promise<void> {
  const targets = chooseTargets(process.argv.slice(2))
  await buildConsoleWhenStale()
  if (canBuildSite()) await buildSiteWhenStale()
  else console.log('the documentation is left out, because its development packages are not installed')
  mkdirSync(OUTPUT, { recursive: true })
  const paths: string[] = []
  for (const target of targets) paths.push(await release(target))
  writeSums([...paths, ...(await writePapers())])
}

if (import.meta.main) await main()
