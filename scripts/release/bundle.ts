import { cpSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { BuildConfig, BuildOutput } from 'bun'
import { SITE } from '../docs/build-site.ts'
import { ROOT } from '../sources.ts'

/** What the files of every release are made with, whether one binary or a folder. */
export const PROGRAM = {
  entrypoints: [join(ROOT, 'src/cli/turnpike.ts')],
  target: 'bun',
  format: 'esm',
  // What is loaded only where it is used, such as OpenTelemetry, takes no memory elsewhere.
  splitting: true,
  // The log's library notes the folder it was built in, for threads that the gateway never starts.
  define: { __dirname: '"/"' },
  throw: false,
} as const satisfies BuildConfig

/** Comments and spaces make half of a program in files. Names are kept because error traces show them. */
export const COMPACT = { whitespace: true, syntax: true } as const

export async function build(options: BuildConfig): Promise<BuildOutput> {
  const result = await Bun.build(options)
  if (!result.success) throw new Error(result.logs.map((log) => Bun.inspect(log)).join('\n'))
  return result
}

/** The files that the source tree has beside its code, laid out as the released code looks for them. */
export function gatherShippedFiles(folder: string): string {
  const shipped = join(folder, 'shipped')
  gatherConsole(join(shipped, 'console'))
  // Without the site, `/guide/` says how to build it.
  if (existsSync(SITE)) cpSync(SITE, join(shipped, 'guide'), { recursive: true })
  gatherApiDocs(join(shipped, 'api-docs'))
  return shipped
}

export function gatherApiDocs(folder: string): void {
  cpSync(join(ROOT, 'src/edges/api-docs/page'), folder, { recursive: true })
  const viewer = join(ROOT, 'node_modules/@fastify/swagger-ui/static')
  for (const name of ['swagger-ui-bundle.js', 'swagger-ui.css'])
    cpSync(join(viewer, name), join(folder, name))
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
