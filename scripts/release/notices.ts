import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BuildOutput } from 'bun'
import { readManifest } from '../build-console.ts'
import { ROOT } from '../sources.ts'
import { build, PROGRAM } from './bundle.ts'
import { findBundledPackages } from './bundled-packages.ts'

/** A package whose code is in a release. */
export interface ShippedPackage {
  readonly name: string
  readonly version: string
  readonly licence: string
  /** Its licence and notices, word for word; empty when the package carries none. */
  readonly texts: readonly string[]
}

/** The runtime is inside the binaries, and the viewer of /docs is copied rather than bundled. */
const NOT_BUNDLED = ['node_modules/bun', 'node_modules/@fastify/swagger-ui']

const ABOUT_NOT_BUNDLED = [
  'Bun, inside the single programs, includes JavaScriptCore and other libraries under licences of their own, some of them',
  'the LGPL 2; https://bun.com/docs/project/license lists them and tells how to link them anew. Swagger UI, of which the',
  'files of /docs are taken, is Copyright SmartBear Software Inc., under the Apache License 2.0.',
].join('\n')

const LEGAL_FILE = /^(licen[cs]e|copying|notice|copyright)/i

/** Packages in the program and in the console, which must be built, sorted by name. */
export async function findShippedPackages(): Promise<ShippedPackage[]> {
  return readShippedPackages(await build({ ...PROGRAM, metafile: true }))
}

/** The same for a program that is bundled already, with its metafile. */
export function readShippedPackages(program: BuildOutput): ShippedPackage[] {
  const folders = [...findBundledPackages([program]), ...(readManifest()?.packages ?? []), ...NOT_BUNDLED]
  const byId = new Map(
    folders.map(readPackage).map((found) => [`${found.name}@${found.version}`, found] as const),
  )
  return [...byId.values()].sort((one, other) => (one.name < other.name ? -1 : 1))
}

function readPackage(folder: string): ShippedPackage {
  const path = join(ROOT, folder)
  const { name, version, license } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as {
    readonly name: string
    readonly version: string
    readonly license?: string
  }
  if (!license) throw new Error(`${folder} names no licence`)
  const texts = readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isFile() && LEGAL_FILE.test(entry.name))
    .map((entry) => readFileSync(join(path, entry.name), 'utf8').replaceAll('\r\n', '\n').trim())
  return { name, version, licence: license, texts: [...new Set(texts)] }
}

export function renderNotices(packages: readonly ShippedPackage[]): string {
  const sections = packages.map(({ name, version, licence, texts }) =>
    [`## ${name} ${version}`, `Licence: ${licence}`, ...texts.map((text) => `\`\`\`\n${text}\n\`\`\``)].join(
      '\n\n',
    ),
  )
  const head = `# Third-party notices\n\nTurnpike contains code of these ${packages.length} packages.\n\n${ABOUT_NOT_BUNDLED}`
  return `${[head, ...sections].join('\n\n')}\n`
}
