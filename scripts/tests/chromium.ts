import { installPackage, warnLoudly } from './debian.ts'

// The same engine without windows takes a fifth less of the processor.
const HEADLESS = 'chromium-headless-shell'
const NAMES = [HEADLESS, 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** The browser on this machine, or the one TEST_CHROMIUM names; null when there is none. */
export function findChromium(): string | null {
  const given = process.env.TEST_CHROMIUM
  if (given) return given
  return NAMES.map((name) => Bun.which(name)).find((path) => path !== null) ?? null
}

/** Finds a browser, else installs Debian's; null, with a loud warning, when none can be had. */
export function ensureChromium(): string | null {
  const path = findChromium() ?? installChromium()
  if (path === null) {
    warnLoudly(
      'Browser tests did NOT run: no Chromium could be found or installed.',
      'The console was not tested. Install Chromium (on Debian: apt-get install chromium),',
      'or set TEST_CHROMIUM to the path of one, and run again.',
    )
  }
  return path
}

function installChromium(): string | null {
  // Older systems have it with windows only.
  return installPackage(HEADLESS) || installPackage('chromium') ? findChromium() : null
}

// Run by hand, it sees to it that there is one and prints where.
if (import.meta.main) {
  const path = ensureChromium()
  if (path === null) process.exit(1)
  console.log(path)
}
