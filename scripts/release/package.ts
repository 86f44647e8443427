import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildOrExit } from '../build-console.ts'
import { buildSiteWhenStale } from '../docs/build-site.ts'
import { build, gatherShippedFiles, PROGRAM, ROOT } from './bundle.ts'
import { findShippedPackages, renderNotices } from './notices.ts'

/** What the npm package runs: `files` of package.json names it, and so does bin/turnpike.cjs. */
export const PACKAGE_FOLDER = join(ROOT, 'dist/package')

/** Makes what `npm pack` and `npm publish` put into the package: the program in a few files, and what it serves. */
export async function buildPackage(): Promise<void> {
  await buildOrExit()
  await buildSiteWhenStale()
  rmSync(PACKAGE_FOLDER, { recursive: true, force: true })
  mkdirSync(PACKAGE_FOLDER, { recursive: true })
  // Comments and spaces make half of it. Names are kept because error traces show them.
  await build({ ...PROGRAM, outdir: PACKAGE_FOLDER, minify: { whitespace: true, syntax: true } })
  gatherShippedFiles(PACKAGE_FOLDER)
  writeFileSync(join(PACKAGE_FOLDER, 'THIRD_PARTY_NOTICES.md'), renderNotices(await findShippedPackages()))
}

if (import.meta.main) await buildPackage()
