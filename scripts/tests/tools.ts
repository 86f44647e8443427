import { installPackage, warnLoudly } from './debian.ts'

/** Programs that few tests need, and Debian's packages of them: balancers whose configuration we ship, and shells. */
const PACKAGES = { nginx: 'nginx-light', caddy: 'caddy', zsh: 'zsh', fish: 'fish' } as const

/** Installs those that are missing; warns loudly of those that cannot be had. */
export function ensureTools(): void {
  const missing = Object.entries(PACKAGES)
    .filter(([program, name]) => Bun.which(program) === null && !installPackage(name))
    .map(([program]) => program)
  if (missing.length === 0) return
  warnLoudly(`The tests of these programs did NOT run, because they are not here: ${missing.join(', ')}.`)
}
