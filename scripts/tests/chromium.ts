import { spawnSync } from 'node:child_process'

// The same engine without windows takes a fifth less of the processor.
const HEADLESS = 'chromium-headless-shell'
const NAMES = [HEADLESS, 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const INSTALL_TIMEOUT_MS = 600_000

/** The browser on this machine, or the one TEST_CHROMIUM names; null when there is none. */
export function findChromium(): string | null {
  const given = process.env.TEST_CHROMIUM
  if (given) return given
  return NAMES.map((name) => Bun.which(name)).find((path) => path !== null) ?? null
}

/** Finds a browser, else installs Debian's; null, with a loud warning, when none can be had. */
export function ensureChromium(): string | null {
  const path = findChromium() ?? installChromium()
  if (path === null) warnLoudly()
  return path
}

function installChromium(): string | null {
  if (process.getuid?.() !== 0 || Bun.which('apt-get') === null) return null
  console.log('Chromium is not on this machine; installing its package for the tests.')
  if (!runApt('update')) return null
  const install = (name: string) => runApt('install', '-y', '--no-install-recommends', name)
  // Older systems have it with windows only.
  return install(HEADLESS) || install('chromium') ? findChromium() : null
}

function runApt(...args: readonly string[]): boolean {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  return spawnSync('apt-get', args, { env, stdio: 'ignore', timeout: INSTALL_TIMEOUT_MS }).status === 0
}

function warnLoudly(): void {
  const line = '!'.repeat(78)
  console.error(
    [
      line,
      '!! Browser tests did NOT run: no Chromium could be found or installed.',
      '!! The console was not tested. Install Chromium (on Debian: apt-get install chromium),',
      '!! or set TEST_CHROMIUM to the path of one, and run again.',
      line,
    ].join('\n'),
  )
}

// Run by hand, it sees to it that there is one and prints where.
if (import.meta.main) {
  const path = ensureChromium()
  if (path === null) process.exit(1)
  console.log(path)
}
