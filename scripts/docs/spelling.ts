import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')
const CSPELL = join(ROOT, 'node_modules/cspell/bin.mjs')

/** Checks the spelling of all pages. Words of our own are in `docs/.vitepress/words.txt`. */
export async function checkSpelling(): Promise<boolean> {
  const config = join(ROOT, 'docs/.vitepress/cspell.json')
  const pages = ['docs/**/*.md', 'README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'ARCHITECTURE.md']
  const arguments_ = ['lint', '--config', config, '--no-progress', '--no-summary', '--unique', ...pages]
  const child = Bun.spawn([process.execPath, CSPELL, ...arguments_], {
    cwd: ROOT,
    stdout: 'inherit',
    stderr: 'inherit',
  })
  return (await child.exited) === 0
}

if (import.meta.main) process.exit((await checkSpelling()) ? 0 : 1)
