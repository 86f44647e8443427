import { installPackage, warnLoudly } from './debian.ts'

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
  const found = findPrometheus() ?? (installPackage('prometheus') ? findPrometheus() : null)
  if (found === null) {
    warnLoudly(
      'Rules, alerts and dashboards were NOT tested: Prometheus could not be found or installed.',
      'Install it (on Debian: apt-get install prometheus) and run again.',
    )
  }
  return found
}
