import { spawnSync } from 'node:child_process'

const INSTALL_TIMEOUT_MS = 300_000

export interface PrometheusTools {
  readonly prometheus: string
  readonly promtool: string
}

/** Prometheus and promtool of this machine; null when they are not on it. */
export function findPrometheus(): PrometheusTools | null {
  const [prometheus, promtool] = [Bun.which('prometheus'), Bun.which('promtool')]
  return prometheus === null || promtool === null ? null : { prometheus, promtool }
}

/** Finds Prometheus, else installs Debian's; null, with a loud warning, when it cannot be had. */
export function ensurePrometheus(): PrometheusTools | null {
  const found = findPrometheus() ?? installPrometheus()
  if (found === null) warnLoudly()
  return found
}

function installPrometheus(): PrometheusTools | null {
  if (process.getuid?.() !== 0 || Bun.which('apt-get') === null) return null
  console.log('Prometheus is not on this machine; installing its package for the tests.')
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  for (const args of [['update'], ['install', '-y', '--no-install-recommends', 'prometheus']]) {
    const result = spawnSync('apt-get', args, { env, stdio: 'ignore', timeout: INSTALL_TIMEOUT_MS })
    if (result.status !== 0) return null
  }
  return findPrometheus()
}

function warnLoudly(): void {
  const line = '!'.repeat(78)
  console.error(
    [
      line,
      '!! Rules, alerts and dashboards were NOT tested: Prometheus could not be found or installed.',
      '!! Install it (on Debian: apt-get install prometheus) and run again.',
      line,
    ].join('\n'),
  )
}
