import { spawnSync } from 'node:child_process'

const INSTALL_TIMEOUT_MS = 600_000
// At this run level no service starts with its package: a machine that runs tests must not get a web server by it.
const ENVIRONMENT = { DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' }

let isListFresh: boolean | null = null

/** Installs a package of Debian; false when this process may not, or it cannot be had. */
export function installPackage(name: string): boolean {
  if (process.getuid?.() !== 0 || Bun.which('apt-get') === null) return false
  console.log(`Installing the package ${name} for the tests.`)
  isListFresh ??= runApt('update')
  return isListFresh && runApt('install', '-y', '--no-install-recommends', name)
}

function runApt(...args: readonly string[]): boolean {
  const env = { ...process.env, ...ENVIRONMENT }
  return spawnSync('apt-get', args, { env, stdio: 'ignore', timeout: INSTALL_TIMEOUT_MS }).status === 0
}

/** Says what is not tested, so that nobody overlooks it among thousands of lines. */
export function warnLoudly(...lines: readonly string[]): void {
  const border = '!'.repeat(78)
  console.error([border, ...lines.map((line) => `!! ${line}`), border].join('\n'))
}
