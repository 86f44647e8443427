import { join } from 'node:path'
import { buildSite, SITE } from './build-site.ts'
import { checkSpelling } from './spelling.ts'

/**
 * npm run docs                writes the generated tables, checks the spelling and builds the site
 * npm run docs -- --tables    writes the generated tables only
 * npm run docs -- --site      builds the site only
 */
async function main(options: readonly string[]): Promise<number> {
  if (!options.includes('--site')) {
    const tables = Bun.spawnSync([process.execPath, join(import.meta.dirname, '../write-docs.ts')], {
      stdio: ['inherit', 'inherit', 'inherit'],
    })
    if (tables.exitCode !== 0 || options.includes('--tables')) return tables.exitCode
    if (!(await checkSpelling())) return 1
  }
  await buildSite()
  console.log(`The site is in ${SITE}. A running gateway serves it at /guide/.`)
  return 0
}

process.exit(await main(process.argv.slice(2)))
