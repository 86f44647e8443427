import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildOrExit } from '../build-console.ts'
import { buildSiteWhenStale } from '../docs/build-site.ts'
import { ROOT } from '../sources.ts'
import { build, COMPACT, gatherShippedFiles, PROGRAM } from './bundle.ts'
import { readShippedPackages, renderNotices } from './notices.ts'

/** What the npm package runs: `files` of package.json names it, and so does bin/turnpike.cjs. */
const PACKAGE_FOLDER = join(ROOT, 'dist/package')

/** Makes what `npm pack` and `npm publish` put into the package: the program in a few files, and what it serves. */
export async function buildPackage(folder = PACKAGE_FOLDER): Promise<void> {
  await buildOrExit()
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const program = await build({
    ...PROGRAM,
    outdir: folder,
    minify: COMPACT,
    metafile: true,
  })
  gatherShippedFiles(folder)
  writeFileSync(join(folder, 'THIRD_PARTY_NOTICES.md'), renderNotices(readShippedPackages(program)))
}

if (import.meta.main) {
  await buildSiteWhenStale()
  await buildPackage()
}
